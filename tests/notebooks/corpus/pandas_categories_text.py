# %%
import pandas as pd

people = pd.DataFrame(
    {"name": ["Ann Lee", "Bob Ray", "Cy Dow"], "grade": pd.Categorical(["b", "a", "b"], ["a", "b"], ordered=True)}
)
# %%
people["first"] = people["name"].str.split().str[0]
people
# %%
people.grade.cat.codes
# %%
people.sort_values("grade")["first"].tolist()
# %%
people.name.str.contains("o")
# %%
people.set_index("first", inplace=True)
# %%
people.loc["Bob"]
# %%
people["scores"] = [[1, 2], [3], []]
people.explode("scores")
# %%
people.apply(lambda row: row["name"].upper(), axis=1)
