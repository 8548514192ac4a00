# @variant cleaning loose
names = [name.strip() or "unknown" for name in raw]
