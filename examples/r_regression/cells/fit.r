fit <- lm(y ~ x, data = points)
slope <- round(coef(fit)[["x"]], 3)
plot(points$x, points$y)
abline(fit)
