# %%
import sqlite3

connection = sqlite3.connect(":memory:")
# %%
connection.execute("create table pets (name text, age int)")
connection.executemany("insert into pets values (?, ?)", [("Rex", 3), ("Tom", 9), ("Ida", 1)])
connection.commit()
# %%
cursor = connection.cursor()
cursor.execute("select name, age from pets order by age")
# %%
cursor.fetchall()
# %%
for name, age in connection.execute("select * from pets where age > 2"):
    print(name, age)
# %%
connection.execute("select avg(age) from pets").fetchone()[0]
