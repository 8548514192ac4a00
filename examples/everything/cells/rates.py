# @fetch rates http://127.0.0.1:8901/rates.csv
rate = dict(line.split(",") for line in rates.read_text().split())
rate = {name: float(value) for name, value in rate.items()}
