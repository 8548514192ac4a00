boxes = [Box(1, 2), Box(3, 4)]
