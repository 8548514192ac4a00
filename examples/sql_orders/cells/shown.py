[(row["customer"], row["amount"]) for row in large.to_pylist()]
