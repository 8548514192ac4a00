# @variant model linear
predictions = [8.6 * x - 13 for x in xs]
