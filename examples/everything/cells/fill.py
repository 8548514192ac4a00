# @name filled
# @sql connection=shop write=true
# @cache forever
DROP TABLE IF EXISTS orders;
CREATE TABLE orders (currency TEXT, amount REAL);
INSERT INTO orders VALUES ('EUR', 100), ('USD', 80), ('EUR', 60);
