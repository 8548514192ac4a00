# %%
import ipywidgets as widgets

bar = widgets.IntProgress(max=4, description="Loading")
display(bar)
for step in range(4):
    bar.value = step + 1
bar.value
# %%
from tqdm.notebook import tqdm

squares = [n * n for n in tqdm(range(20))]
sum(squares)
