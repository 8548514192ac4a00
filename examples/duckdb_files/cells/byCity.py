# @name by_city
# @sql connection=lake
# @mount trips data
SELECT city, count(*) AS trips, round(avg(minutes), 1) AS minutes FROM trips GROUP BY city ORDER BY city
