# @variant cleaning strict
names = [name.strip().title() for name in raw if name.strip()]
