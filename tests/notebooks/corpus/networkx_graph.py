# %%
import networkx as nx

graph = nx.Graph()
graph.add_edge("a", "b", weight=4)
# %%
graph.add_edge("b", "c", weight=1)
graph.add_edge("a", "c", weight=7)
# %%
nx.shortest_path(graph, "a", "c", weight="weight")
# %%
graph.number_of_edges(), sorted(graph.degree)
# %%
nx.pagerank(graph)["b"] > 0.3
# %%
graph.nodes["a"]["colour"] = "red"
# %%
graph.nodes(data=True)
# %%
print(graph)
