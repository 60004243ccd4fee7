# New columns: the sums are those of all columns, and the next columns need nothing else.
source("helpers.R")
m <- outer(1:20, 1:30, function(i, j) (i * j * j) %% 7)
rownames(m) <- paste0("r", 1:20)
batches <- list(m[, 1:10], m[, 11:20], m[, 21:30])
x <- first <- factorize(batches[[1]], 4, "nmf", restarts = 1)
ww <- mw <- 0
for (k in seq_along(batches)) {
  x <- nmu_update(x, batches[[k]], threads = k)
  ww <- ww + x$W %*% t(x$W)
  mw <- mw + batches[[k]] %*% t(x$W)
  stopifnot(inherits(x, "nmu_model"), all.equal(x$WW, ww), all.equal(x$MW, mw), x$iterations_done <= 10, x$stop %in% c("iterations", "tolerance"))
  stopifnot(identical(dim(x$W), c(4L, 10L)), identical(rownames(x$V), rownames(m)), all(x$V >= 0))
}

# Its rows are matched by name, also those of the sums.
y <- nmu_update(nmu_update(first, batches[[1]]), batches[[2]])
z <- nmu_update(nmu_update(first, batches[[1]]), batches[[2]][20:1, ])
stopifnot(identical(rownames(z$V), rownames(m)[20:1]), all.equal(z$V[rownames(m), ], y$V), all.equal(z$MW[rownames(m), ], y$MW))
# One turn, and a model in a file without sums.
stopifnot(nmu_update(first, batches[[2]], iterations = 1)$iterations_done == 1)
path <- tempfile(fileext = ".npz")
nmu_save(y, path)
stopifnot(identical(predict(nmu_load(path), m), predict(y, m)))

refused <- function(call, says) grepl(says, tryCatch({ call; "nothing" }, nmu_error = conditionMessage))
stopifnot(refused(nmu_update(factorize(m, 2, "kl", restarts = 1), m), "kl"), refused(nmu_update(list(V = m), m), "factorize"))
stopifnot(refused(nmu_update(factorize(m, 2, "nmf", sum_to_one = "w", restarts = 1), m), "sums of one"))
stopifnot(refused(nmu_update(factorize(m, 2, "nmf", l2_v = 1, l2_w = 1, restarts = 1), m), "penalties"))
stopifnot(refused(nmu_update(first, m[-1, ]), "19 rows"), refused(nmu_update(first, -m), "[Nn]egative"))
other <- m
rownames(other)[1] <- "other"
stopifnot(refused(nmu_update(y, other), "other"))
