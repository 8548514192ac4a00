raw = ["  Ada ", "GRACE", "", "linus"]
