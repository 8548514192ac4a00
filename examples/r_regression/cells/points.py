import pyarrow as pa

points = pa.table({"x": list(range(10)), "y": [2 * x + 1 + (x % 3) * 0.1 for x in range(10)]})
