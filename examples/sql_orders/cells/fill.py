# @name filled
# @sql connection=shop write=true
# @cache forever
DROP TABLE IF EXISTS orders;
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount REAL);
INSERT INTO orders (customer, amount) VALUES ('ada', 12.5), ('grace', 40.0), ('ada', 7.5);
