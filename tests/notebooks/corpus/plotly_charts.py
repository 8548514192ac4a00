# %%
import plotly.express as px
import plotly.graph_objects as go

fig = px.scatter(x=[1, 2, 3], y=[2, 1, 3], title="Dots")
fig
# %%
fig.add_trace(go.Scatter(x=[1, 3], y=[1, 3], mode="lines"))
# %%
fig.update_layout(height=300)
fig.show()
# %%
bars = go.Figure(go.Bar(x=["a", "b"], y=[3, 1]))
bars
# %%
len(fig.data)
