# Other classes of matrices, and what is none.
source("helpers.R")
m <- outer(1:8, 1:6, function(i, j) (i * j * j) %% 5 * ((i + j) %% 3 > 0))
dimnames(m) <- list(paste0("r", 1:8), paste0("c", 1:6))
factors <- function(m, ...) factorize(m, 2, "rnmu", seed = 1, iterations = 30, restarts = 1, ...)
refused <- function(expr, text) caught(expr, text, "nmu_shape_error")

# The class that the rows of a sparse matrix have without package Matrix.
entries <- which(t(m) != 0, arr.ind = TRUE)
triplets <- structure(class = c("DocumentTermMatrix", "simple_triplet_matrix"), list(
  i = rev(entries[, 2]), j = rev(entries[, 1]), v = rev(t(m)[t(m) != 0]), nrow = 8L, ncol = 6L, dimnames = list(Docs = rownames(m), Terms = colnames(m))))
x <- factors(triplets)
stopifnot(identical(rownames(x$V), rownames(m)), identical(colnames(x$W), colnames(m)))
stopifnot(abs(x$relative_error - norm(m - fitted(x), "F") / norm(m, "F")) < 1e-9)
stopifnot(all.equal(predict(x, triplets), predict(x, m)))
broken <- triplets
broken$i[1] <- 9L
refused(factors(broken), "the parts of m, a DocumentTermMatrix, do not agree")
broken$i <- 1:3
refused(factors(broken), "do not agree")
refused(measures(triplets, x), "m is a DocumentTermMatrix, and a sparse matrix is not for this function; use as.matrix(m)")

# Columns of a data frame that are not of numbers.
table <- data.frame(a = 1:4, group = c("x", "y", "x", "y"), b = 4:1)
refused(factorize(table, 1), 'column "group" of m holds no numbers, but class character; leave it out: m[-2]')
table$group <- factor(table$group)
refused(factorize(table, 1), 'column "group" of m holds no numbers, but class factor')
table$group <- as.Date("2026-01-01") + 0:3
refused(factorize(table, 1), 'column "group" of m holds no numbers, but class Date')
table$group <- c(TRUE, FALSE, TRUE, TRUE)
stopifnot(same(factorize(table, 1), factorize(as.matrix(table) + 0, 1)))
stopifnot(same(factorize(table[-2], 1), factorize(as.matrix(table[-2]), 1)))

# Whole numbers of package bit64 are the bits of doubles.
integer64 <- function(high, low, ...) structure(readBin(writeBin(as.integer(rbind(c(low), high)), raw(), endian = "little"), "double", length(high), endian = "little"), class = "integer64", ...)
whole <- integer64(integer(48), m, dim = dim(m), dimnames = dimnames(m))
table <- as.data.frame(m)
table$c2 <- integer64(integer(8), m[, 2])
stopifnot(same(factors(whole), factors(m)), same(factors(table), factors(m, threads = integer64(0L, 1L))))
stopifnot(same(factors(m, skip_rows = integer64(integer(8), c(1L, integer(7)))), factors(m, skip_rows = c(1, numeric(7)))))
values <- nmu:::of_integer64(integer64(c(0L, 1L, 0L, -1L, NA, NA), c(7L, 5L, -1L, -2L, 0L, 1L), names = letters[1:6]))
stopifnot(identical(values, c(a = 7, b = 2^32 + 5, c = 2^32 - 1, d = -2, e = NA, f = -2^63)))

# Objects of Bioconductor and others, by the names of their classes.
for (x in list(c("SummarizedExperiment", "assay(m)"), c("DelayedMatrix", "as.matrix(m)"), c("IterableMatrix", 'as(m, "dgCMatrix")'))) {
  methods::setClass(x[1], representation(dim = "integer"))
  methods::setClass(paste0(x[1], "Below"), contains = x[1])
  refused(factorize(methods::new(x[1], dim = c(2L, 2L)), 1), paste0("m is a ", x[1], ", and no matrix or data frame of numbers"))
  refused(factorize(methods::new(paste0(x[1], "Below"), dim = c(2L, 2L)), 1), paste("; use", x[2]))
}

# A formula takes columns of a data frame, or variables.
table <- datasets::iris
table[2, "Petal.Width"] <- NA
columns <- as.matrix(table[c("Petal.Length", "Petal.Width")])
x <- factorize(~ Petal.Length + Petal.Width, 1, "nmf", data = table, missing = "allow")
y <- factorize(columns, 1, "nmf", missing = "allow")
stopifnot(identical(unname(x$V), unname(y$V)), identical(x$W, y$W), colnames(x$W) == colnames(columns), nrow(x$V) == 150)
stopifnot(identical(factors(~ . - Species, data = datasets::iris)$W, factors(as.matrix(datasets::iris[1:4]))$W))
length <- iris$Petal.Length
width <- iris$Petal.Width
stopifnot(identical(nmu_rank(~ length + width, 1:2, restarts = 2)$points, nmu_rank(cbind(length, width), 1:2, restarts = 2)$points))
refused(factorize(Species ~ ., 1, data = datasets::iris), "write a formula of one side")
refused(factorize(~ Species, 1, data = datasets::iris), 'column "Species" of m holds no numbers')
rm(length)

# Messages say what was given.
refused(factorize(1:3, 1), "m is a integer, and no matrix or data frame of numbers")
refused(factorize(matrix("a"), 1), "m is a matrix of type character")
refused(factorize(NULL, 1), "m is a NULL")
refused(measures(list(), x), "m is a list")

package <- "Matrix"
if (requireNamespace(package, quietly = TRUE)) {
  library(package, character.only = TRUE)
  sparse <- as(m, "CsparseMatrix")
  want <- factors(sparse)
  for (class in c("TsparseMatrix", "RsparseMatrix")) {
    x <- factors(as(sparse, class))
    stopifnot(same(x, want), all.equal(predict(x, as(sparse, class)), predict(x, m)))
  }
  positive <- as((m > 0) + 0, "CsparseMatrix")
  for (y in list(sparse > 0, as(sparse, "nMatrix"), as(as(sparse, "nMatrix"), "TsparseMatrix"), as(sparse > 0, "RsparseMatrix"))) {
    stopifnot(same(factors(y), factors(positive)), biclique(y)$edges == biclique(m > 0)$edges)
  }
  square <- crossprod(m)
  for (y in list(crossprod(sparse), as(crossprod(sparse), "TsparseMatrix"))) {
    stopifnot(same(factors(y), factors(as(square, "CsparseMatrix"))))
  }
  stopifnot(same(factors(triu(sparse[1:6, ])), factors(as(as(triu(m[1:6, ]), "generalMatrix"), "CsparseMatrix"))))
  stopifnot(abs(factors(Diagonal(5))$relative_error^2 - 3 / 5) < 1e-9)
  stopifnot(same(factors(Diagonal(x = 1:3)), factors(as(diag(1:3), "CsparseMatrix"))))
  stopifnot(same(factors(as(5:1, "pMatrix")), factors(as(diag(5)[5:1, ], "CsparseMatrix"))))
  # A dense one is as a matrix of R.
  for (y in list(Matrix(m, sparse = FALSE), Matrix(m > 0, sparse = FALSE), Matrix(square, sparse = FALSE))) {
    stopifnot(same(factors(y), factors(as.matrix(y) + 0)), measures(y, factors(y))["relative_error"] < 1)
  }
  refused(measures(as(sparse, "TsparseMatrix"), want), "m is a dgTMatrix, and a sparse matrix is not for this function")
  refused(factorize(as(as(sparse, "TsparseMatrix"), "sparseVector"), 1), "m is a dsparseVector")
  stopifnot(same(factorize(m, 2, mask = as(m > 0 | row(m) == col(m), "denseMatrix"), method = "nmf"), factorize(m, 2, "nmf", mask = m > 0 | row(m) == col(m))))
} else {
  message("package Matrix is not installed, so its classes are not tested")
}
