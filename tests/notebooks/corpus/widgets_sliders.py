# %%
import ipywidgets as widgets
from IPython.display import display
# %%
slider = widgets.IntSlider(value=3, min=0, max=10, description="Width")
display(slider)
slider.value = 4
# %%
slider.value + 1
# %%
a = widgets.FloatText(2.5, description="Number")
b = widgets.FloatSlider(2.5, max=10, description="Slider")
link = widgets.jslink((a, "value"), (b, "value"))
display(a, b)
# %%
widgets.HBox([widgets.Checkbox(True, description="Filled"), widgets.Dropdown(options=["red", "green"], value="green")])
# %% [markdown]
# What a person chose is read below.
# %%
from ipywidgets import interact


@interact(n=(1, 6), word=["tick", "tock"])
def say(n, word):
    print(" ".join([word] * n))
# %%
out = widgets.Output()
with out:
    print("kept in the box")
out
# %%
button = widgets.Button(description="Count")
count = widgets.Label("0")


def clicked(_):
    count.value = str(int(count.value) + 1)


button.on_click(clicked)
button.click()
count.value
# %%
widgets.VBox([button, count])
