# %%
from IPython.display import HTML, Image, Latex, Markdown, display
# %%
HTML("<b>bold</b> and <i>italic</i>")
# %%
display(Markdown("**a list**\n\n- one\n- two"))
display(HTML("<ul><li>x</li></ul>"))
"last"
# %%
for n in range(3):
    display(n)
# %%
Latex(r"$\frac{a}{b}$")
# %%
print("text", end="")
display({"a": 1})
print(" more")
# %%
1 + 1;
# %%
class Pretty:
    def _repr_html_(self):
        return "<em>pretty</em>"


Pretty()
# %%
[Pretty] and None
