# %%
import sqlite3

connection = sqlite3.connect("shop.db")
connection.execute("create table if not exists sales (item text, price real)")
connection.execute("delete from sales")
connection.executemany("insert into sales values (?, ?)", [("pen", 1.5), ("book", 12.0)])
connection.commit()
# %%
connection = sqlite3.connect("shop.db")
connection.execute("select count(*) from sales").fetchone()
# %%
import pandas as pd

frame = pd.read_sql("select * from sales", connection)
frame
# %%
connection.close()
# %%
frame["price"].sum()
