spread <- round(budget$bold - budget$careful, 2)
