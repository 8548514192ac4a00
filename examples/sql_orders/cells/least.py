least = 10
