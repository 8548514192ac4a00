# %%
import anywidget
import traitlets
# %%
class Counter(anywidget.AnyWidget):
    _esm = """
    function render({ model, el }) {
      const button = document.createElement("button");
      button.textContent = `count is ${model.get("value")}`;
      button.addEventListener("click", () => {
        model.set("value", model.get("value") + 1);
        model.save_changes();
      });
      model.on("change:value", () => { button.textContent = `count is ${model.get("value")}`; });
      el.append(button);
    }
    export default { render };
    """
    _css = "button { border-radius: 4px }"
    value = traitlets.Int(0).tag(sync=True)
# %%
counter = Counter(value=3)
print(type(counter).__name__)
# %%
seen = []
counter.observe(lambda change: seen.append(change["new"]), "value")
counter.value = 5
seen
# %%
print(counter.value)
