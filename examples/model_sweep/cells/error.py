# @per_variant model
error = sum((p - y) ** 2 for p, y in zip(predictions, ys)) / len(ys)
