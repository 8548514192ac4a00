# @variant model linear
def predict(x):
    return 8.6 * x - 13


predictions = [predict(x) for x in xs]
