# Missing entries, masks and weights.
library(nmu)
m <- outer(1:12, 1:9, function(i, j) (1 + (i * i) %% 7) * (1 + j) + (13 - i) * (1 + (j * j) %% 3)) # of rank 2
seen <- (row(m) * 3 + col(m)) %% 5 > 0
same <- function(x, y) identical(unname(x$V), unname(y$V)) && identical(unname(x$W), unname(y$W))
caught <- function(expr, class, text) {
  e <- tryCatch({ expr; NULL }, nmu_error = identity)
  if (!inherits(e, class) || !grepl(text, conditionMessage(e), fixed = TRUE)) stop("no ", class, " with ", text, " but ", conditionMessage(e))
}

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
if (!methods::isClass("dgRMatrix")) {
  methods::setClass("dgRMatrix", methods::representation(j = "integer", p = "integer", x = "numeric", Dim = "integer", Dimnames = "list"))
}
stored <- methods::new("dgRMatrix", p = as.integer(c(0, cumsum(rowSums(seen)))), j = unlist(apply(seen, 1, which)) - 1L,
  x = t(m)[t(seen)], Dim = dim(m), Dimnames = list(NULL, NULL))
x <- factorize(stored, 2, "nmf", seed = 1, restarts = 2, iterations = 3000, sparse_missing = TRUE)
stopifnot(abs(fitted(x) - m) < 0.05 * max(m))

# Errors.
caught(factorize(gaps, 1), "nmu_value_error", "row 1, column 2 of M")
caught(factorize(m, 1, missing = "drop"), "nmu_option_error", 'missing=drop: choose error or allow')
caught(factorize(m, 1, missing_solver = "best"), "nmu_option_error", "majorize or exact")
caught(factorize(m, 1, mask = seen[, 1:3]), "nmu_shape_error", "mask")
caught(factorize(m, 1, weights = seen[1:3, ] + 0), "nmu_shape_error", "weights")
caught(factorize(m, 1, mask = gaps > 0), "nmu_option_error", "mask has NA")
caught(factorize(m, 1, mask = "all"), "nmu_option_error", "mask: stat all: no such file")
caught(factorize(m, 1, weights = -m), "nmu_value_error", "the weights")
caught(predict(x, m, mask = seen[, 1:3]), "nmu_shape_error", "mask")
caught(factorize(stored, 1, mask = seen), "nmu_option_error", "sparse")
none <- seen
none[3, ] <- FALSE
e <- caught(factorize(m, 1, mask = none), "nmu_value_error", "row 3 of M has no observed entry")
stopifnot(e$row == 3, is.na(e$col))
