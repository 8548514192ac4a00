income = sum(row["amount"] * rate[row["currency"]] for row in sums.to_pylist()) * (1 - discount / 100)
growth = {"value": income, "year": 0}
