# %%
with open("notes.txt", "w") as file:
    file.write("one\ntwo\nthree\n")
# %%
with open("notes.txt") as file:
    lines = file.read().splitlines()
lines
# %%
import csv

with open("table.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["name", "value"])
    writer.writerows([("a", 1), ("b", 2)])
# %%
with open("table.csv") as file:
    rows = list(csv.DictReader(file))
rows
# %%
import json
from pathlib import Path

Path("data").mkdir(exist_ok=True)
Path("data/settings.json").write_text(json.dumps({"rows": rows}))
# %%
sorted(path.name for path in Path("data").iterdir())
# %%
json.loads(Path("data/settings.json").read_text())["rows"][1]
# %%
with open("notes.txt", "a") as file:
    file.write("four\n")
# %%
print(open("notes.txt").read())
