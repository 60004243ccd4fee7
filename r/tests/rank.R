# Comparison of ranks.
source("helpers.R")
set.seed(1)
v <- matrix(runif(20 * 3), 20)
w <- matrix(0.1 * runif(3 * 24), 3)
w[cbind(rep(1:3, 8), 1:24)] <- 1
m <- round(v %*% w + 0.01 * runif(20 * 24), 4)
dimnames(m) <- list(NULL, paste0("c", 1:24))
x <- nmu_rank(m, 2:5, seed = 3, iterations = 200, restarts = 4, folds = 3, consensus = TRUE)
stopifnot(inherits(x, "nmu_rank"), x$rank == 3, identical(x$points$rank, c(2, 3, 4, 5)), nzchar(x$reason), x$all_runs == 28, x$runs_finished == 28)
stopifnot(x$points$stability[2] > 0.99, x$points$held_out_error[2] == min(x$points$held_out_error), x$least == 3)
for (k in 2:4) {
  stopifnot(abs(x$points$training_error[k - 1] - factorize(m, k, "nmf", seed = 3, iterations = 200, restarts = 4)$relative_error) < 1e-12)
}

stopifnot(identical(names(x$consensus), c("2", "3", "4", "5")), identical(dimnames(x$consensus[["3"]]), list(colnames(m), colnames(m))))
stopifnot(diag(x$consensus[["3"]]) == 1, x$consensus[["3"]] == t(x$consensus[["3"]]))
print(x)

# Plots.
grDevices::pdf(NULL)
plot(x)
plot(x, "stability", main = "a title")
map <- plot(x, "consensus")
stopifnot(identical(sort(colnames(map)), sort(colnames(m))), identical(colnames(map), rev(rownames(map))))
group <- (match(colnames(map), colnames(m)) - 1) %% 3
stopifnot(length(rle(group)$lengths) == 3) # columns that agree lie beside each other
stopifnot(identical(dim(plot(x, "consensus", rank = 5)), c(24L, 24L)))
y <- nmu_rank(m, c(4, 2), "kl", folds = 1, restarts = 2, iterations = 30)
stopifnot(is.nan(y$points$held_out_error), identical(y$points$rank, c(2, 4)), length(y$consensus) == 0)
plot(y)
refused <- function(expr, text) caught(expr, text, "nmu_option_error")
refused(plot(y, "consensus"), "consensus = TRUE")
refused(plot(x, "consensus", rank = 9), "rank is 9; choose one of 2, 3, 4, 5")
refused(nmu_rank(m, "2:5"), "choose a vector of ranks")
refused(nmu_rank(m, 0:2), "a rank is 0")
refused(nmu_rank(m, 2:3, fold = 2), "did you mean folds?")

# At rank 1 all columns agree: where that is advised, the map is of the most stable of the others.
y <- nmu_rank(as.matrix(USArrests), 1:3, consensus = TRUE, seed = 1)
stopifnot(y$rank == 1, any(plot(y, "consensus") < 1), plot(y, "consensus", rank = 1) == 1)

# The columns of which a large consensus matrix is.
large <- matrix(runif(4 * 1003), 4, dimnames = list(NULL, 1:1003))
y <- nmu_rank(large, 2, folds = 1, restarts = 2, iterations = 5, consensus = TRUE)
stopifnot(identical(dim(y$consensus[[1]]), c(1000L, 1000L)), !anyDuplicated(colnames(y$consensus[[1]])), colnames(y$consensus[[1]])[1000] == "1002")

# Other matrices.
path <- tempfile(fileext = ".csv")
utils::write.table(m, path, sep = ",", row.names = FALSE, col.names = FALSE)
short <- function(m, ...) nmu_rank(m, 2:3, iterations = 20, restarts = 2, folds = 2, ...)
stopifnot(identical(short(m)$points, short(path)$points), !identical(short(m)$points, short(m, mask = m > 0.1)$points))
seen <- numeric()
x <- short(m, progress = function(state) seen <<- c(seen, state$restarts))
stopifnot(all(seen == 8))

# Topics.
fit <- factorize(m, 3, "kl", restarts = 1)
z <- nmu_topics(fit)
stopifnot(abs(colSums(z$V) - 1) < 1e-12, abs(colSums(z$mixtures) - 1) < 1e-12, abs(z$V %*% z$W - fitted(fit)) < 1e-12)
stopifnot(abs(z$mixtures - sweep(z$W, 2, colSums(z$W), "/")) < 1e-12, identical(dimnames(z$mixtures), dimnames(fit$W)))

# Columns of what was not measured are not printed.
said <- capture.output(print(y))
stopifnot(!any(grepl("held_out_error|NaN", said)), any(grepl("training_error", said)))
