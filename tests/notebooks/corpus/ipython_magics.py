# %%
# %load_ext autoreload
# %autoreload 2
# %matplotlib inline
# %%
# %time total = sum(range(1000))
# %%
total
# %%
# %%time
values = [n**2 for n in range(100)]
len(values)
# %%
# %timeit -n 1 -r 1 sum(values)
# %%
# !echo hello from the shell
# %%
names = ["a", "b"]
# listing = !echo one
listing
# %%
# %who_ls
# %%
# len?
# %%
# %pwd
# %%
# %%bash
# echo from bash
