# @loop max_iter=5 carry=growth
growth = {"value": growth["value"] * 1.1, "year": growth["year"] + 1}
