# %% [markdown]
# # Names used again and again
# %%
x = 3
print(x)
# %%
x = x + 1
x
# %%
for i in range(3):
    print(i, end=" ")
i
# %%
x = [x, i]
x
# %%
y, (a, *b) = 1, "word"
b
# %%
x = sum(x)
print(f"{x=}")
# %%
del y
try:
    y
except NameError as problem:
    print(problem)
