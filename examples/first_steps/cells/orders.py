orders = [("apple", 3), ("pear", 5), ("plum", 2)]
