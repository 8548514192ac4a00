state = {"x": 8.0, "step": 0}
