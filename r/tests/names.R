# Matrices whose rows and columns have names, in the order of m or in another one.
source("helpers.R")
m <- outer(0:6, 0:4, function(i, j) (1 + (i * i) %% 7) * (1 + j) + (6 - i) * (1 + (j * j) %% 3)) # of rank 2
dimnames(m) <- list(paste0("r", 0:6), paste0("c", 0:4))
rows <- c(5, 3, 1, 7, 6, 2, 4)
cols <- c(4, 1, 5, 3, 2)
mixed <- m[rows, cols]
refused <- function(expr, text) caught(expr, text, "nmu_shape_error")

x <- factorize(m, 2, "nmf", seed = 1, restarts = 2)
stopifnot(x$relative_error < 0.01)

# The rows of a basis.
for (new in list(mixed, as.data.frame(mixed))) {
  y <- told(predict(x, new))
  stopifnot(grepl("the rows of object$V are those of newdata in another order", y$said, fixed = TRUE), identical(colnames(y$value), colnames(mixed)))
  stopifnot(abs(x$V %*% y$value[, colnames(m)] - m) < 0.1)
}
stopifnot(length(told(predict(x, m))$said) == 0)

# A start, factors to improve and measure, masks and weights.
z <- list(V = x$V[rows, ], W = x$W[, cols])
seen <- (row(m) + col(m)) %% 4 > 0
weight <- 1 + (row(m) + 2 * col(m)) %% 3
dimnames(seen) <- dimnames(weight) <- dimnames(m)
for (calls in list(
  expression(factorize(m, method = "nmf", init = x, iterations = 5), factorize(m, method = "nmf", init = z, iterations = 5)),
  expression(improve(m, x), improve(m, z)),
  expression(factorize(m, 2, "nmf", iterations = 5, mask = seen), factorize(m, 2, "nmf", iterations = 5, mask = seen[rows, cols])),
  expression(factorize(m, 2, "gnmu", iterations = 5, weights = weight), factorize(m, 2, "gnmu", iterations = 5, weights = weight[rows, cols]))
)) {
  want <- told(eval(calls[[1]]))
  got <- told(eval(calls[[2]]))
  stopifnot(same(got$value, want$value), length(want$said) == 0, length(got$said) == 2, grepl("matched by name", got$said))
}
stopifnot(identical(told(measures(m, z))$value, measures(m, x)))
stopifnot(identical(told(predict(x, m, weights = weight[rows, cols], mask = seen[rows, cols]))$value, predict(x, m, weights = weight, mask = seen)))

# Different names, and one that occurs more than once.
other <- m
rownames(other)[4] <- "R3"
colnames(other)[2] <- "c 1"
refused(predict(x, other), '"R3" is only in newdata, and "r3" only in object$V')
refused(factorize(m, init = list(V = x$V, W = factorize(other, 2)$W)), '"c1" is only in m, and "c 1" only in init$W')
refused(factorize(m, 2, mask = other > 3), '"r3" is only in m, and "R3" only in mask')
refused(factorize(m, 2, weights = other), '"r3" is only in m, and "R3" only in weights')
refused(measures(m, factorize(other, 2)), "different names")
twice <- m
rownames(twice)[4] <- "r2"
y <- factorize(twice, 2, "nmf")
stopifnot(length(told(predict(y, twice))$said) == 0)
refused(predict(y, twice[7:1, ]), '"r2" occurs more than once')

# Without names on one side, or with names that only count, the sizes decide.
for (names in list(NULL, as.character(1:7), as.character(0:6))) {
  y <- m
  rownames(y) <- names
  y <- told(predict(x, y))
  stopifnot(length(y$said) == 0, abs(x$V %*% y$value - m) < 0.1)
}
rownames(m) <- 1:7
x <- factorize(m, 2, "nmf", seed = 1, restarts = 2)
y <- told(predict(x, m[rows, ]))
stopifnot(length(y$said) == 1, abs(x$V %*% y$value - m) < 0.1)
