# @name large
# @sql connection=shop
# @cache forever
# @after fill
SELECT customer, amount FROM orders WHERE amount >= :least ORDER BY amount
