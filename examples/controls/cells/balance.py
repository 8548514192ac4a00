balance = 0.0
for _ in range(years * 12):
    balance = (balance + monthly) * (1 + rate / 1200)
