# %%
import pandas as pd

sales = pd.DataFrame(
    {
        "region": ["n", "s", "n", "s", "e"],
        "quarter": [1, 1, 2, 2, 1],
        "amount": [10, 20, 30, 5, 7.5],
    }
)
# %%
sales.groupby("region")["amount"].sum()
# %%
sales.groupby(["region", "quarter"]).agg(total=("amount", "sum"), rows=("amount", "size"))
# %%
table = sales.pivot_table(index="region", columns="quarter", values="amount", aggfunc="sum")
table
# %%
table.fillna(0).sum(axis=1)
# %%
sales["share"] = sales["amount"] / sales.groupby("region")["amount"].transform("sum")
sales
# %%
for region, part in sales.groupby("region"):
    print(region, len(part))
# %%
sales.region.value_counts()
# %%
grouped = sales.groupby("region")
# %%
grouped.amount.max()
# %%
pd.crosstab(sales.region, sales.quarter)
