# @variant plan bold
budget = growth["value"] * 0.5
