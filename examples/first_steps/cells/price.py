price = {"apple": 0.5, "pear": 0.75, "plum": 0.25}
