# @name total
total = sum(count * price[fruit] for fruit, count in orders)
total
