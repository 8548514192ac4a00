# @name damped wave
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 3))
axes.plot(xs, ys)
axes.set_title("A damped wave")
axes.axhline(0, linewidth=0.5)
figure
