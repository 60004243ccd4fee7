source("helpers.R")
m <- outer(1:24, 1:30, function(i, j) (i * j) %% 7)
dimnames(m) <- list(paste0("r", 1:24), paste0("c", 1:30))

# Every method: the shapes, the names, the error.
for (method in c("nmf", "gnmu", "rnmu", "snmf", "hoyer")) {
  options <- list(snmf = list(sparsity_v = 0.5, sparsity_w = 0.5), hoyer = list(hoyer_v = 0.5))[[method]]
  x <- do.call(factorize, c(list(m, 4, method, seed = 3, iterations = 30, restarts = 2), options))
  stopifnot(
    inherits(x, "nmu"), identical(dim(x$V), c(24L, 4L)), identical(dim(x$W), c(4L, 30L)),
    identical(rownames(x$V), rownames(m)), identical(colnames(x$W), colnames(m)),
    all(x$V >= 0), all(x$W >= 0), x$best_seed %in% 3:4, x$restarts_finished == 2, x$stop == "iterations",
    all.equal(x$relative_error, norm(m - fitted(x), "F") / norm(m, "F")),
    all.equal(unname(measures(m, x)["relative_error"]), x$relative_error),
    nrow(x$blocks) == (if (method == "rnmu") 4 else 1)
  )
  print(x)
}

# The same bits with any number of threads, from any type of number, and in two runs.
x <- factorize(m, 4, seed = 1, iterations = 20, restarts = 1)
y <- factorize(as.data.frame(m), 4, seed = 1, iterations = 20, restarts = 1, threads = 1)
whole <- m
storage.mode(whole) <- "integer"
stopifnot(same(x, y), same(x, factorize(whole, 4, seed = 1, iterations = 20, restarts = 1)))
stopifnot(nmu_sha256(x$V) == nmu_sha256(y$V), nchar(nmu_sha256(x$W)) == 64)
stopifnot(nmu_sha256(matrix(0, 1, 1)) == "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc")

# A start that is given stays as it is, and m too.
before <- list(V = x$V + 0, W = x$W + 0, m = m + 0)
y <- factorize(m, method = "nmf", init = x, iterations = 5)
stopifnot(identical(before, list(V = x$V, W = x$W, m = m)), y$relative_error < x$relative_error)
z <- improve(m, x)
stopifnot(z$relative_error < x$relative_error, all(z$V[x$V == 0] == 0), identical(x$V, before$V))

# Options of a method: underscores, feasibility, the l1 norm.
x <- factorize(m, 3, "gnmu", feasible = "final", iterations = 20, restarts = 1)
stopifnot(all(fitted(x) <= m + 1e-12), x$max_violation == 0)
x <- factorize(m, 3, "rnmu", norm = "l1", iterations = 20, restarts = 1)
stopifnot(x$relative_l1 > 0, x$blocks$relative_l1[3] == x$relative_l1)

# Only an underapproximation is to stay below m.
said <- function(method) any(grepl("violation", capture.output(print(factorize(m, 3, method, iterations = 5, restarts = 1)))))
stopifnot(said("gnmu"), said("rnmu"), !said("nmf"), !said("kl"))

# NULL stands for every default, and so does 0.
x <- factorize(m, 3, seed = 2)
y <- factorize(m, 3, seed = 2, iterations = NULL, restarts = NULL, threads = NULL, tolerance = NULL, check_every = NULL,
  target_error = NULL, time_limit = NULL)
z <- factorize(m, 3, seed = 2, iterations = 0, restarts = 0, threads = 0, tolerance = 0, check_every = 0, target_error = 0, time_limit = 0)
stopifnot(same(x, y), same(x, z), x$restarts_finished == 10)
stopifnot(identical(predict(x, m), predict(x, m, iterations = NULL, tolerance = NULL, threads = NULL)))
stopifnot(vapply(formals(factorize)[c("iterations", "restarts", "threads", "tolerance", "check_every", "time_limit")], is.null, NA))

# Weights of new columns.
x <- factorize(m, 4, "nmf", seed = 1, restarts = 1)
w <- predict(x, m[, 5:9])
stopifnot(identical(dim(w), c(4L, 5L)), identical(colnames(w), colnames(m)[5:9]))
stopifnot(norm(m[, 5:9] - x$V %*% w, "F") <= norm(m[, 5:9] - x$V %*% x$W[, 5:9], "F") + 1e-9)
stopifnot(identical(unname(w[, 2]), unname(predict(x, m[, 6, drop = FALSE])[, 1])))
stopifnot(all(x$V %*% predict(x, m, feasible = TRUE) <= m + 1e-12))
stopifnot(abs(colSums(predict(x, m, sum_to_one = TRUE)) - 1) < 1e-12)
counts <- round(10 * m)
x <- factorize(counts, 2, "kl", restarts = 1, iterations = 2000)
deviance <- function(x) sum(ifelse(counts > 0, counts * log(counts / x), 0) - counts + x)
stopifnot(abs(x$relative_divergence - deviance(fitted(x)) / deviance(mean(counts))) < 1e-9, is.null(y$relative_divergence))
stopifnot(abs(predict(x, counts) - x$W) < 1e-2 * max(x$W))
stopifnot(deviance(x$V %*% predict(x, counts)) < deviance(x$V %*% predict(x, counts, divergence = FALSE)))
y <- factorize(m, 3, "nmf", init = "snpa", sum_to_one = "w", iterations = 20)
stopifnot(abs(colSums(y$W) - 1) < 1e-12)

# Sparse matrices: those of package Matrix, of which those of helpers.R have the slots.
sparse_classes()
pointers <- function(counts) as.integer(c(0, cumsum(counts)))
at <- which(m != 0, arr.ind = TRUE)
cols <- methods::new("dgCMatrix", i = unname(at[, 1]) - 1L, p = pointers(colSums(m != 0)), x = m[m != 0], Dim = dim(m), Dimnames = dimnames(m))
at <- which(t(m) != 0, arr.ind = TRUE)
rows <- methods::new("dgRMatrix", j = unname(at[, 1]) - 1L, p = pointers(rowSums(m != 0)), x = t(m)[t(m) != 0], Dim = dim(m), Dimnames = dimnames(m))
x <- factorize(cols, 3, seed = 1, iterations = 20, restarts = 1)
stopifnot(same(x, factorize(rows, 3, seed = 1, iterations = 20, restarts = 1)), identical(rownames(x$V), rownames(m)))
stopifnot(all.equal(x$relative_error, norm(m - fitted(x), "F") / norm(m, "F")))
for (sparse in list(cols, rows)) {
  for (sums in c(FALSE, TRUE)) {
    stopifnot(identical(predict(x, sparse, sum_to_one = sums), predict(x, m, sum_to_one = sums)))
  }
  stopifnot(identical(predict(x, sparse, feasible = TRUE), predict(x, m, feasible = TRUE)))
}

# A biclique.
b <- biclique(m > 3)
stopifnot(all(m[b$rows, b$cols] > 3), b$edges == length(b$rows) * length(b$cols), b$edges <= b$bound)
stopifnot(identical(names(b$rows), rownames(m)[b$rows]))
print(b)
one <- methods::new("dgRMatrix", j = rows@j, p = rows@p, x = rep(1, length(rows@x)), Dim = dim(m), Dimnames = dimnames(m))
stopifnot(identical(biclique(one)[1:4], biclique(m != 0)[1:4]))

# Plots.
grDevices::pdf(NULL)
plot(x)
plot(x, size = c(6, 4))
stopifnot(identical(par("mfrow"), c(1L, 1L)))

# The numbers of a method are there if they are 0, and those of other methods are not. More factors
# than rows or columns are allowed.
constant <- matrix(4, 5, 4)
x <- factorize(constant, 1, "kl", restarts = 1)
stopifnot(x$relative_divergence >= 0, x$relative_divergence < 1e-12, is.null(x$relative_l1))
x <- factorize(matrix(0, 3, 3), 1, "rnmu", norm = "l1")
stopifnot(x$relative_l1 == 0, is.null(x$relative_divergence))
stopifnot(is.null(factorize(m, 2, restarts = 1)$relative_l1), identical(dim(factorize(constant, 6, "nmf", restarts = 1)$V), c(5L, 6L)))
