max(by_city.to_pylist(), key=lambda row: row["minutes"])["city"]
