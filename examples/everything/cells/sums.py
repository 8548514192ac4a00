# @name sums
# @sql connection=shop
# @cache forever
# @after fill
SELECT currency, sum(amount) AS amount FROM orders GROUP BY currency ORDER BY currency
