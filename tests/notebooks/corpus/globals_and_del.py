# %%
total = 0


def add(amount):
    global total
    total += amount
# %%
add(5)
add(6)
# %%
total
# %%
add(1)
print(total)
# %%
temporary = list(range(5))
kept = sum(temporary)
del temporary
# %%
kept
# %%
"temporary" in globals(), "kept" in dir()
# %%
if __name__ == "__main__":
    print("main", kept)
