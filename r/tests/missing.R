# Missing entries, masks and weights.
source("helpers.R")
same <- function(x, y) identical(unname(x$V), unname(y$V)) && identical(unname(x$W), unname(y$W))
m <- outer(1:12, 1:9, function(i, j) (1 + (i * i) %% 7) * (1 + j) + (13 - i) * (1 + (j * j) %% 3)) # of rank 2
seen <- (row(m) * 3 + col(m)) %% 5 > 0

# What is missing changes no bit, however it is said, and is found from the rest.
gaps <- bad <- m
gaps[!seen] <- NA
bad[!seen] <- -1e9
find <- function(m, ...) factorize(m, 2, "nmf", seed = 1, restarts = 2, iterations = 3000, ...)
x <- find(gaps, missing = "allow")
stopifnot(abs(fitted(x) - m) < 0.01 * max(m), x$relative_error < 1e-4)
stopifnot(same(x, find(bad, mask = seen)), same(x, find(gaps, mask = seen)), same(x, find(as.data.frame(gaps), missing = "allow")))
stopifnot(same(x, find(bad, mask = seen + 0)), same(x, find(bad, mask = as.data.frame(seen))), same(x, find(bad, weights = seen + 0)))
stopifnot(same(x, suppressWarnings(find(bad, missing_value = c(-9, -1e9)))), same(x, suppressWarnings(find(bad, negative = "missing"))))
stopifnot(same(x, suppressWarnings(find(seen * m, missing_value = 0))))
half <- seen
half[1:6, ] <- TRUE
some <- bad
some[1:6, ] <- gaps[1:6, ] # some by NA, some by the mask
stopifnot(same(x, find(some, missing = "allow", mask = half)))
exact <- find(gaps, missing = "allow", missing_solver = "exact")
stopifnot(!same(x, exact), abs(fitted(exact) - m) < 0.01 * max(m))
stopifnot(same(find(m), find(m, missing = "allow")), same(find(m), find(m, mask = m >= 0)), same(find(m), find(m, weights = m * 0 + 3)))

# Errors are those of the observed entries, with their weights.
weight <- 1 + (row(m) + 2 * col(m)) %% 3
x <- factorize(bad, 1, "nmf", restarts = 1, mask = seen, weights = weight)
stopifnot(abs(x$relative_error - sqrt(sum((weight * (m - fitted(x))^2)[seen]) / sum((weight * m^2)[seen]))) < 1e-9)
stopifnot(abs(x$relative_error - factorize(m, 1, "nmf", restarts = 1)$relative_error) > 1e-4)

# Weights of new columns.
x <- find(m)
for (w in list(predict(x, gaps, missing = "allow"), predict(x, bad, mask = seen), predict(x, bad, weights = weight * seen))) {
  stopifnot(abs(x$V %*% w - m) < 0.01 * max(m))
}

# Entries that a sparse matrix does not store: the same matrix, with NA there.
sparse_classes()
stored <- methods::new("dgRMatrix", p = as.integer(c(0, cumsum(rowSums(seen)))), j = unlist(apply(seen, 1, which)) - 1L,
  x = t(m)[t(seen)], Dim = dim(m), Dimnames = list(NULL, NULL))
x <- factorize(stored, 2, "nmf", seed = 1, restarts = 2, iterations = 3000, sparse_missing = TRUE)
stopifnot(abs(fitted(x) - m) < 0.05 * max(m))

# Errors.
caught(factorize(gaps, 1), "row 1, column 2 of M", "nmu_value_error")
caught(factorize(m, 1, missing = "drop"), 'missing=drop: choose error or allow', "nmu_option_error")
caught(factorize(m, 1, missing_solver = "best"), "majorize or exact", "nmu_option_error")
caught(factorize(m, 1, mask = seen[, 1:3]), "mask", "nmu_shape_error")
caught(factorize(m, 1, weights = seen[1:3, ] + 0), "weights", "nmu_shape_error")
caught(factorize(m, 1, mask = gaps > 0), "mask has NA", "nmu_option_error")
caught(factorize(m, 1, mask = "all"), "mask: stat all: no such file", "nmu_option_error")
caught(factorize(m, 1, weights = -m), "the weights", "nmu_value_error")
caught(predict(x, m, mask = seen[, 1:3]), "mask", "nmu_shape_error")
caught(factorize(stored, 1, mask = seen), "sparse", "nmu_option_error")
none <- seen
none[3, ] <- FALSE
e <- caught(factorize(m, 1, mask = none), "row 3 of M has no observed entry", "nmu_value_error")
stopifnot(e$row == 3, is.na(e$col))
