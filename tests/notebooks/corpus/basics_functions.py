# %%
def area(radius, pi=3.14159):
    """The area of a circle."""
    return pi * radius**2
# %%
area(2)
# %%
def volume(radius, height):
    return area(radius) * height


volume(1, 10)
# %%
def area(radius):
    return 3 * radius * radius
# %%
volume(1, 10)
# %%
def counter():
    count = 0

    def step():
        nonlocal count
        count += 1
        return count

    return step


step = counter()
# %%
step(), step()
# %%
step()
# %%
square = lambda value: value**2
list(map(square, range(5)))
# %%
area.__name__, volume(2, 1)
