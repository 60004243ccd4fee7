source("helpers.R")
m <- outer(1:24, 1:30, function(i, j) (i * j) %% 7)

# A bad value: its place counts from 1.
for (bad in c(-2, NA, Inf)) {
  x <- m
  x[7, 12] <- bad
  e <- caught(factorize(x, 2), "row 7, column 12 of M", "nmu_value_error")
  stopifnot(e$row == 7, e$col == 12, e$matrix == "M", identical(is.na(e$value), is.na(bad)), is.na(bad) || e$value == bad)
}
start <- list(V = matrix(1, 24, 2), W = matrix(1, 2, 30))
start$W[2, 3] <- -1
e <- caught(factorize(m, init = start), class = "nmu_value_error")
stopifnot(e$row == 2, e$col == 3, e$matrix == "W")

# Options.
for (call in expression(
  factorize(m, 0), factorize(m, 2.5), factorize(m, "two"), factorize(m, "3"), factorize(m, TRUE), factorize(m, 2^31 - 1), factorize(m, NA), factorize(m, 1:2), factorize(m, 2, "gmu"), factorize(m, 2, NULL), factorize(m, 2, c("nmf", "gnmu")), factorize(m, 2, init = 3),
  factorize(m, 2, "nmf", feasible = "final"),
  factorize(m, 2, "gnmu", "final"), factorize(m, 2, feasible = 1:2), factorize(m, 2, seed = -1), factorize(m, 2, seed = 1e300),
  factorize(m, 2, threads = 1e9), factorize(m, 2, tolerance = -1), factorize(m, 2, tolerance = NA), factorize(m, 2, time_limit = Inf),
  factorize(m, 2, init = "best"), factorize(m, 2, progress = 3), biclique(m > 3, starts = -1)
)) caught(eval(call), class = "nmu_option_error")

# Sparse matrices whose slots do not agree.
sparse_classes()
for (places in c("i", "j")) {
  sparse <- function(p = c(0L, 2L, 3L, 3L), k = c(0L, 2L, 1L), x = c(1, 2, 3), Dim = c(3L, 3L)) {
    arguments <- list(if (places == "i") "dgCMatrix" else "dgRMatrix", p = p, x = x, Dim = Dim, Dimnames = list(NULL, NULL))
    arguments[[places]] <- k
    do.call(methods::new, arguments)
  }
  stopifnot(factorize(sparse(), 1)$rank == 1, biclique(sparse(x = c(1, 1, 1)))$edges == 2)
  for (call in expression(
    sparse(p = integer()), sparse(p = c(0L, 3L)), sparse(p = c(0L, 2L, 3L, 4L)), sparse(p = c(0L, 2L, 3L, 2L)), sparse(p = c(1L, 2L, 3L, 3L)),
    sparse(p = c(0L, 1000000000L, 3L, 3L)), sparse(p = c(0L, NA, 3L, 3L)), sparse(k = 0:1), sparse(k = integer()), sparse(k = c(0L, 3L, 1L)),
    sparse(k = c(0L, -1L, 1L)), sparse(k = c(0L, NA, 1L)), sparse(x = c(1, 2)), sparse(x = numeric()), sparse(Dim = 3L), sparse(Dim = c(30L, 30L)),
    sparse(Dim = c(NA, 3L)), sparse(Dim = c(3L, NA)), sparse(Dim = c(-1L, 3L)), sparse(Dim = c(3L, -1L))
  )) for (f in list(factorize, biclique)) caught(f(eval(call), 1), class = "nmu_shape_error")
}

# Shapes.
for (call in expression(
  factorize(1:3, 2), factorize(matrix("a"), 1), factorize(m[0, ], 2), factorize(m[, 0], 2), factorize(list(), 1), factorize(m, init = list(V = start$V, W = t(start$W))),
  factorize(m, init = list(V = start$V)), improve(m, list(V = m, W = m)), measures(m, start[2:1]),
  predict(factorize(m, 2, restarts = 1), m[1:3, ]), plot(factorize(m, 2, restarts = 1), size = c(3, 3)), nmu_sha256("a")
)) caught(eval(call))

x <- factorize(m, 2, restarts = 1)
caught(predict(x, m[1:3, ]), "newdata has 3 rows and object$V has 24; they must be the same", "nmu_shape_error")
caught(predict(x, t(m)), "t(newdata) has as many", "nmu_shape_error")
caught(factorize(m, NULL), class = "nmu_option_error") # the rank has no default

# A child that was forked.
if (.Platform$OS.type == "unix") {
  x <- parallel::mccollect(parallel::mcparallel(tryCatch(nmu_info(), error = class)))[[1]]
  stopifnot(x[1] == "nmu_fork_error")
}
