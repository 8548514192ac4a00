# @variant model square
predictions = [x * x for x in xs]
