min(error, key=error.get)
