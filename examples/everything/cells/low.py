# @variant plan careful
budget = growth["value"] * 0.2
