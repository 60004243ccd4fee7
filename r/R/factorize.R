factorize <- function(m, rank, method = "rnmu", ..., init = NULL, seed = 0, iterations = NULL,
                      restarts = NULL, threads = NULL, tolerance = NULL, check_every = NULL, target_error = NULL,
                      time_limit = NULL, progress = NULL, missing = "error", mask = NULL, weights = NULL,
                      missing_solver = NULL, sparse_missing = FALSE) {
  m <- as_input(m, sparse = TRUE)
  v <- w <- NULL
  if (is.list(init)) {
    v <- aligned(as_input(init[["V"]], "init$V"), "init$V", "m", rows = m$dimnames[[1]])
    w <- aligned(as_input(init[["W"]], "init$W"), "init$W", "m", cols = m$dimnames[[2]])
    if (base::missing(rank)) rank <- ncol(v)
    init <- "given"
  }
  res <- .Call(C_factor, m$data, whole(rank, "rank", 1, most_factors(size_of(m$data))), v, w, c(list(
    method = string(method, "method"), method_options = method_options(...), progress = checked_function(progress)
  ), settings(
    init = if (!is.null(init)) string(init, "init"),
    seed = whole(seed, "seed", 0, 2^53), iterations = whole(iterations, "iterations"),
    restarts = whole(restarts, "restarts"), threads = whole(threads, "threads"),
    tolerance = number(tolerance, "tolerance"), check_every = whole(check_every, "check_every"),
    target_error = number(target_error, "target_error"), time_limit = number(time_limit, "time_limit"),
    sparse_missing = isTRUE(sparse_missing),
    missing_solver = if (!is.null(missing_solver)) string(missing_solver, "missing_solver"),
    observed = observed(missing, mask, weights, m, "m")
  )))
  finish(checked(res), method, m, l1 = identical(list(...)[["norm"]], "l1"))
}

# most_factors returns the limit of the library for a matrix of this size, so that no memory is taken
# for more.
most_factors <- function(size) {
  sides <- sum(as.numeric(size))
  entries <- max(2^24, 8 * prod(as.numeric(size)))
  floor(2 * entries / (sides + sqrt(sides^2 + 4 * entries)))
}

# size_of returns the numbers of rows and columns of what as_input returns.
size_of <- function(data) if (is.list(data)) data$dim else dim(data)

improve <- function(m, x, iterations = NULL, threads = NULL, time_limit = NULL, progress = NULL) {
  m <- as_input(m)
  v <- basis(x, m)
  w <- weights_of(x, m)
  res <- .Call(C_improve, m$data, v, w, c(list(progress = checked_function(progress)), settings(
    iterations = whole(iterations, "iterations"), threads = whole(threads, "threads"),
    time_limit = number(time_limit, "time_limit")
  )))
  finish(checked(res), "improve", m)
}

# basis and weights_of return V and W of x in the order of m.
basis <- function(x, m) aligned(as_input(x$V, "x$V"), "x$V", "m", rows = m$dimnames[[1]])
weights_of <- function(x, m) aligned(as_input(x$W, "x$W"), "x$W", "m", cols = m$dimnames[[2]])

# finish makes an object of class nmu of what the library has found. It leaves out the numbers that
# method does not have: any of them may be 0. l1 says whether the norm is that.
finish <- function(res, method, m, l1 = FALSE) {
  rownames(res$V) <- m$dimnames[[1]]
  colnames(res$W) <- m$dimnames[[2]]
  res$blocks <- as.data.frame(res$blocks)
  if (method != "kl") res$relative_divergence <- NULL
  if (!l1) res$blocks$relative_l1 <- res$relative_l1 <- NULL
  structure(c(res, list(method = method)), class = "nmu")
}

measures <- function(m, x) {
  m <- as_input(m)
  res <- .Call(C_measures, m$data, basis(x, m), weights_of(x, m))
  unlist(checked(res))
}

biclique <- function(m, seed = 0, starts = NULL, iterations = NULL, threads = NULL) {
  m <- as_input(m, sparse = TRUE)
  res <- checked(.Call(C_biclique, m$data, settings(
    seed = whole(seed, "seed", 0, 2^53), starts = whole(starts, "starts"),
    iterations = whole(iterations, "iterations"), threads = whole(threads, "threads")
  )))
  names(res$rows) <- m$dimnames[[1]][res$rows]
  names(res$cols) <- m$dimnames[[2]][res$cols]
  structure(res, class = "nmu_biclique")
}

nmu_sha256 <- function(x) checked(.Call(C_sha256, as_input(x, "x")$data))

nmu_info <- function() checked(.Call(C_info))
