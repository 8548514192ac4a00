# %%
import sqlite3
import pandas as pd

con = sqlite3.connect(":memory:")
# %%
sales = pd.DataFrame({"region": ["north", "south", "north", "west"], "amount": [10, 20, 30, 5]})
sales.to_sql("sales", con, index=False)
# %%
pd.read_sql("SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total", con)
# %%
def run_query(q):
    with con:
        return pd.read_sql(q, con)


def run_command(c):
    with con:
        con.isolation_level = None
        con.execute(c)
# %%
run_command("CREATE VIEW big AS SELECT * FROM sales WHERE amount >= 20")
# %%
run_query("SELECT * FROM big")
# %%
con.row_factory = sqlite3.Row
# %%
row = con.execute("SELECT * FROM sales LIMIT 1").fetchone()
dict(row)
# %%
c = con.cursor()
c.execute("create table notes (id integer primary key, body text)")
# %%
for text in ["first", "second", "third"]:
    c.execute("insert into notes (body) values (?)", (text,))
c.lastrowid
# %%
con.execute("select count(*) from notes").fetchone()[0]
# %%
con.create_function("shout", 1, lambda s: s.upper() + "!")
# %%
[r[0] for r in con.execute("select shout(body) from notes")]
# %%
try:
    c.execute("insert into notes (id, body) values (1, 'again')")
except sqlite3.IntegrityError as e:
    print("Error:", e)
# %%
tables = con.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
print([t[0] for t in tables])
# %%
con.close()
