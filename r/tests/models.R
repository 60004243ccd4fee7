# Models: a basis in a file, and the weights of new columns with it.
source("helpers.R")
m <- outer(1:12, 1:9, function(i, j) (i * j * j) %% 7)
rownames(m) <- paste0("r\u00e9", 1:12)
new <- m[12:1, 1:4] + 1
rownames(new) <- rownames(m)
path <- tempfile(fileext = ".npz")
weights <- list(kl = list(divergence = TRUE), "nmf sum" = list(sum_to_one = TRUE))
plain <- function(x) structure(list(V = x$V, method = "rnmu", method_options = ""), class = "nmu_model")
for (by in c("rnmu", "nmf", "nmf sum", "kl", "snmf")) {
  options <- switch(by, "nmf sum" = list(sum_to_one = "w"), kl = list(solver = "coordinate"), snmf = list(sparsity_v = 0.25))
  x <- do.call(factorize, c(list(m, 3, sub(" .*", "", by), restarts = 1), options))
  stopifnot(identical(nmu_save(x, path), x))
  y <- nmu_load(path)
  stopifnot(inherits(y, "nmu_model"), identical(y$V, x$V), identical(y$method, x$method), isFALSE(y$topics))
  want <- do.call(predict, c(list(plain(x), new), weights[[by]]))
  stopifnot(identical(predict(y, new), want), identical(predict(x, new), want))
  for (name in names(weights[[by]])) {
    off <- do.call(predict, c(list(y, new), setNames(list(FALSE), name)))
    stopifnot(identical(off, predict(plain(x), new)), !identical(off, want))
  }
  again <- tempfile()
  nmu_save(y, again)
  stopifnot(identical(readBin(again, "raw", 1e6), readBin(path, "raw", 1e6)))
}
x <- improve(m, factorize(m, 2, "nmf", restarts = 1))
nmu_save(x, path)
stopifnot(identical(nmu_load(path)$method, "nmf"), identical(predict(nmu_load(path), new), predict(x, new)))
stopifnot(grepl("12 rows in 2 factors by nmf, whose rows have names", capture.output(print(nmu_load(path)))))
nmu_save(factorize(unname(m), 2, restarts = 1), path)
stopifnot(is.null(rownames(nmu_load(path)$V)))

refused <- function(call, says) grepl(says, tryCatch({ call; "nothing" }, nmu_error = conditionMessage))
other <- new
rownames(other)[1] <- "other"
nmu_save(factorize(m, 2, restarts = 1), path)
stopifnot(refused(predict(nmu_load(path), other), "other"), refused(predict(nmu_load(path), new[-1, ]), "11 rows"))
stopifnot(refused(predict(nmu_load(path)), "holds no weights"), refused(nmu_load("absent.npz"), "absent.npz"))
stopifnot(refused(nmu_load(path, max_memory = 1000), "needs .* of memory; the limit is 1 KB"), refused(nmu_load(path, 0), "max_memory is 0"))
# A folder of a run.
dir <- tempfile()
unzip(path, exdir = dir)
file.rename(file.path(dir, "model.json"), file.path(dir, "result.json"))
stopifnot(identical(nmu_load(dir)$V, nmu_load(path)$V))
unlink(file.path(dir, "V.npy"))
stopifnot(refused(nmu_load(dir), "V.npy: no such file"))
stopifnot(refused(nmu_save(list(V = m), path), "factorize"), refused(nmu_save(x, file.path(tempdir(), "no folder", "x")), "no folder"))
