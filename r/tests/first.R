# The first call of a process may be of rank 1.
library(nmu)
m <- outer(1:4, 1:3)
x <- factorize(m, 1)
stopifnot(identical(dim(x$V), c(4L, 1L)), identical(dim(x$W), c(1L, 3L)), x$blocks$rank == 1, x$relative_error < 1e-9)
for (y in list(improve(m, x), factorize(m, method = "nmf", init = x, iterations = 5))) {
  stopifnot(identical(dim(y$V), c(4L, 1L)), y$blocks$rank == 1, y$relative_error < 1e-9)
}
stopifnot(identical(dim(predict(x, m)), c(1L, 3L)), measures(m, x)["relative_error"] < 1e-9)
stopifnot(identical(factorize(m, 3, "rnmu")$blocks$rank, c(1, 2, 3)))
