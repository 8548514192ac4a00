# %%
import sqlite3
import os

if os.path.exists("school.db"):
    os.remove("school.db")
conn = sqlite3.connect("school.db")
cur = conn.cursor()
# %%
cur.execute("""CREATE TABLE students (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    grade REAL
)""")
# %%
cur.execute("INSERT INTO students (name, grade) VALUES ('Ana', 8.5)")
cur.execute("INSERT INTO students (name, grade) VALUES ('Luis', 6.0)")
conn.commit()
# %%
more = [("Eva", 9.1), ("Tom", 4.4), ("Ida", 7.7)]
cur.executemany("INSERT INTO students (name, grade) VALUES (?, ?)", more)
print(cur.rowcount, "rows")
# %%
conn.commit()
# %%
cur.execute("SELECT * FROM students")
rows = cur.fetchall()
for row in rows:
    print(row)
# %%
cur.execute("SELECT name FROM students WHERE grade > ?", (7,))
# %%
print(cur.fetchone())
print(cur.fetchall())
# %%
cur.execute("UPDATE students SET grade = grade + 1 WHERE name = 'Tom'")
conn.commit()
cur.execute("SELECT name, grade FROM students WHERE name = 'Tom'").fetchone()
# %%
import pandas as pd

df = pd.read_sql_query("SELECT * FROM students ORDER BY grade DESC", conn)
df
# %%
df["passed"] = df["grade"] >= 5
df.to_sql("results", conn, if_exists="replace", index=False)
# %%
pd.read_sql("SELECT passed, COUNT(*) AS n, AVG(grade) AS mean FROM results GROUP BY passed", conn)
# %%
cur.execute("DELETE FROM students WHERE grade < 6")
print("deleted", cur.rowcount)
conn.commit()
# %%
[name for (name,) in conn.execute("SELECT name FROM students")]
# %%
cur.close()
conn.close()
# %%
with sqlite3.connect("school.db") as again:
    print(again.execute("SELECT count(*) FROM results").fetchone())
