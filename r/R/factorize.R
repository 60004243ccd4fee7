factorize <- takes("factor", function(m, rank, method = "nmf", ..., data = NULL, init = NULL, continue = NULL, progress = NULL) {
  m <- request("factor", m, environment(), list(...), init = if (is.list(init)) "given" else init)
  v <- w <- NULL
  if (is.list(init)) {
    v <- aligned(init[["V"]], "init$V", m, cols = FALSE)
    w <- aligned(init[["W"]], "init$W", m, rows = FALSE)
    if (base::missing(rank)) rank <- ncol(v)
  }
  rank <- whole(rank, "rank", 1, most_factors(m$dim))
  if (!is.null(continue)) {
    k <- ncol(continue$V)
    if (!inherits(continue, "nmu") || k > rank) {
      refuse("nmu_option_error", "continue is %s; choose a result of factorize with %.0f factors or fewer", shown(class(continue)[1]), rank)
    }
    v <- cbind(aligned(continue$V, "continue$V", m, cols = FALSE), matrix(0, m$dim[1], rank - k))
    w <- rbind(aligned(continue$W, "continue$W", m, rows = FALSE), matrix(0, rank - k, m$dim[2]))
    m$options$settings <- paste(c(m$options$settings, "continue=true"), collapse = ",")
    m$options$known <- as.list(continue$blocks)
  }
  finish(factored(m, rank, v, w), method, m, l1 = identical(list(...)[["norm"]], "l1"), continue)
})

nmu_estimate <- takes("factor", function(m, rank, method = "nmf", ..., data = NULL, init = NULL) {
  sizes <- if (is.numeric(m) && is.null(dim(m)) && length(m) == 2) vapply(m, whole, 0, "a size of m", 1)
  m <- request("factor", if (is.null(sizes)) m else matrix(0), environment(), list(...), init = if (is.list(init)) "given" else init)
  if (!is.null(sizes)) m$data <- sizes
  unlist(ask("estimate", m = m$data, rank = whole(rank, "rank", 1, 2^31 - 1), options = m$options)$result)
})

# factored makes the call, with room for the errors at all checks.
factored <- function(m, rank, v, w, improve = FALSE) {
  s <- m$values
  kept <- isTRUE(s$record) || is.null(s$iterations) || length(c(s$tolerance, s$target_error)) > 0
  every <- max(1, s$check_every, 10 * is.null(s$check_every))
  checks <- max(s$iterations, most_iterations * is.null(s$iterations)) / every + 1
  errors <- if (kept) as.integer(min(2^20, rank * checks)) else 0L
  c(ask("factor", m = m$data, rank = rank, v = v, w = w, errors = errors, improve = improve, options = m$options), check_every = every)
}

# most_factors returns the limit of the library for a matrix of this size, so that no memory is taken
# for more.
most_factors <- function(size) {
  sides <- sum(as.numeric(size))
  entries <- max(2^24, 8 * prod(as.numeric(size)))
  floor(2 * entries / (sides + sqrt(sides^2 + 4 * entries)))
}

improve <- takes("improve", function(m, x, ..., progress = NULL) {
  m <- request("improve", m, environment(), list(...), "nmf")
  v <- aligned(x$V, "x$V", m, cols = FALSE)
  finish(factored(m, ncol(v), v, aligned(x$W, "x$W", m, rows = FALSE), improve = TRUE), "improve", m)
})

# finish makes an object of class nmu of what the library has found. It leaves out the numbers that
# method does not have: any of them may be 0. l1 says whether the norm is that. Blocks that were
# known before keep their history.
finish <- function(found, method, m, l1 = FALSE, known = NULL) {
  res <- c(found[c("V", "W")], found$result)
  rownames(res$V) <- m$dimnames[[1]]
  colnames(res$W) <- m$dimnames[[2]]
  blocks <- as.data.frame(found$blocks, stringsAsFactors = FALSE)
  ends <- pmin(cumsum(blocks$history_length), length(found$history))
  res$history <- Map(function(from, to) found$history[seq_len(to - from) + from], c(0, ends)[seq_along(ends)], ends)
  kept <- which(!known$blocks$stop %in% c("time limit", "cancelled"))
  res$history[kept] <- known$history[kept]
  blocks$history_length <- NULL
  if (method != "kl") blocks$relative_divergence <- res$relative_divergence <- NULL
  if (!l1) blocks$relative_l1 <- res$relative_l1 <- NULL
  structure(c(noted(res), list(blocks = blocks, check_every = found$check_every, method = method,
    method_options = paste(m$options$method_options, collapse = ""))), class = "nmu")
}

# noted warns of the notes on a result, and returns it with a text for each of them.
noted <- function(res) {
  res$notes <- strsplit(res$notes, "\n", fixed = TRUE)[[1]]
  for (text in res$notes) warning(text, call. = FALSE)
  res
}

measures <- function(m, x) {
  m <- as_input(m)
  unlist(ask("measures", m = m$data, v = aligned(x$V, "x$V", m, cols = FALSE), w = aligned(x$W, "x$W", m, rows = FALSE))$result)
}

biclique <- takes("biclique", function(m, ...) {
  m <- request("biclique", m, environment(), list(...))
  res <- ask("biclique", m = m$data, options = m$options)
  places <- Map(function(at, names) setNames(at + 1L, names[at + 1L]), lapply(res[c("rows", "cols")], as.integer), list(m$dimnames[[1]], m$dimnames[[2]]))
  structure(c(places, res$result[c("edges", "bound", "start")]), class = "nmu_biclique")
})

nmu_topics <- function(x) {
  res <- ask("topics", v = as_input(x$V, "x$V")$data, w = as_input(x$W, "x$W")$data)
  dimnames(res$mixtures) <- dimnames(res$W)
  res
}

nmu_sha256 <- function(x) ask("sha256", m = as_input(x, "x")$data)$result

nmu_info <- function() ask("info")$result
