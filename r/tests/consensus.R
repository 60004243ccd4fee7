# Comparison of many runs.
source("helpers.R")
set.seed(1)
v <- rbind(diag(3), matrix(rexp(9 * 3), 9))
w <- cbind(400 * diag(3), matrix(400 * rgamma(3 * 21, 0.5), 3))
v <- sweep(v, 2, colSums(v), "/")
m <- matrix(rpois(12 * 24, v %*% w), 12, dimnames = list(paste0("r", 1:12), paste0("c", 1:24)))
x <- nmu_consensus(m, c(4, 2:3), "kl", runs = 20, resample = "poisson", seed = 3, iterations = 200)
stopifnot(inherits(x, "nmu_consensus"), x$rank == 3, identical(x$points$rank, c(2, 3, 4)), nzchar(x$reason), x$all_runs == 60, x$runs_finished == 60)
stopifnot(x$resample == "poisson", x$measure == "divergence", x$level == 0.95, x$runs == 20, identical(x$points$runs, c(20, 20, 20)))
for (k in 2:4) {
  r <- as.character(k)
  several <- x$parts[[r]]$kept > 1 # else the intervals are missing
  stopifnot(abs(colSums(x$V[[r]])[several] - 1) < 1e-12, dim(x$W[[r]]) == c(k, 24), identical(rownames(x$V_high[[r]]), rownames(m)), identical(colnames(x$W_low[[r]]), colnames(m)))
  of <- function(name) if (startsWith(name, "V")) x[[name]][[r]][, several, drop = FALSE] else x[[name]][[r]][several, , drop = FALSE]
  stopifnot(of("V_low") <= of("V"), of("V") <= of("V_high"), of("W_low") <= of("W"), of("W") <= of("W_high"))
  stopifnot(identical(unname(is.nan(x$V_low[[r]][1, ])), !several), identical(unname(is.nan(x$W_high[[r]][, 1])), !several))
  stopifnot(nrow(x$parts[[r]]) == k, abs(mean(x$parts[[r]]$silhouette) - x$points$stability[k - 1]) < 1e-12, x$parts[[r]]$kept <= 20)
  stopifnot(identical(dimnames(x$map[[r]]), list(colnames(m), colnames(m))), diag(x$map[[r]]) == 1, x$map[[r]] == t(x$map[[r]]))
}
print(x)

# Plots.
grDevices::pdf(NULL)
plot(x)
plot(x, "parts", main = "a title")
map <- plot(x, "map", rank = 2)
stopifnot(identical(sort(colnames(map)), sort(colnames(m))))
refused <- function(expr, text) caught(expr, text, "nmu_option_error")
refused(plot(x, "map", rank = 9), "rank is 9; choose one of 2, 3, 4")
refused(plot(x, "parts", rank = 9), "rank is 9; choose one of 2, 3, 4")
refused(nmu_consensus(m, 2, runs = 1), "runs=1: choose a whole number, 2 or more")
refused(nmu_consensus(m, "2:5"), "choose a vector of ranks")
refused(nmu_consensus(m, 1e5), "the largest rank is 1e+05")
refused(nmu_consensus(m, 1:1e9), "choose at most")
refused(nmu_rank(m, c(2, 1e5), consensus = TRUE), "the largest rank is 1e+05")
refused(nmu_rank(m, 1:1e9), "choose at most")
refused(nmu_consensus(m, 2, run = 3), "did you mean runs?")
refused(nmu_consensus(m, 2, init = "svd"), "choose a random one, or resample")

# Other forms of the matrix, runs that go on, and progress.
path <- tempfile(fileext = ".csv")
utils::write.table(m, path, sep = ",", row.names = FALSE, col.names = FALSE)
agree <- function(a, b) stopifnot(identical(unname(a$V[[1]]), unname(b$V[[1]])), identical(unname(a$W_high[[1]]), unname(b$W_high[[1]])), identical(a$points, b$points))
seen <- numeric()
short <- function(m, ...) nmu_consensus(m, 3, runs = 6, resample = "columns", iterations = 40, ...)
want <- short(m)
agree(want, short(path, progress = function(state) seen <<- c(seen, state$restarts)))
agree(want, short(m, threads = 1))
stopifnot(all(seen == 6), short(m, weights = 1 / (m + 1))$points$expected_q > 0)
for (long in list(function(...) nmu_consensus(m, 3, runs = 40, iterations = 2000, ...), function(...) nmu_rank(m, 3, folds = 20, restarts = 20, iterations = 2000, ...))) {
  state <- tempfile()
  limit <- 0.001
  while (long(checkpoint = state, time_limit = limit)$stop == "time limit" && !file.exists(state)) limit <- 2 * limit
  stopifnot(file.exists(state), identical(long(), long(resume = state))) # some runs were finished, and not all
}
