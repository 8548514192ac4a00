areas = [scaled(box, 2).area() for box in boxes]
areas
