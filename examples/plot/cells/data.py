import math

xs = [step / 20 for step in range(127)]
ys = [math.sin(x) * math.exp(-x / 4) for x in xs]
