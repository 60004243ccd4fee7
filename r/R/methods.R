print.nmu <- function(x, ...) {
  percent <- function(part) sprintf("%.2f %%", 100 * part)
  cat(sprintf("%d x %d in %d factors by %s: %d iterations, ended by %s\n",
    nrow(x$V), ncol(x$W), ncol(x$V), x$method, x$iterations_done, x$stop))
  cat(sprintf("relative error      %s\n", percent(x$relative_error)))
  if (!is.null(x$relative_divergence)) cat(sprintf("deviance explained  %s\n", if (x$relative_divergence < Inf) percent(1 - x$relative_divergence) else "nothing: the divergence is infinite"))
  if (!is.null(x$relative_l1)) cat(sprintf("relative l1 error   %s\n", percent(x$relative_l1)))
  if (endsWith(x$method, "nmu")) { # an underapproximation, as its name says
    cat(sprintf("largest violation   %s%.3g, of entries up to %.3g\n",
      if (x$violation_bound) "at most " else "", x$max_violation, x$largest_entry))
  }
  cat(sprintf("zeros               %s of V, %s of W\n", percent(mean(x$V == 0)), percent(mean(x$W == 0))))
  if (x$restarts_finished > 0) cat(sprintf("seed                %.0f, the best of %d\n", x$best_seed, x$restarts_finished))
  invisible(x)
}

basis <- function(object, ...) UseMethod("basis")

basis.nmu <- function(object, ...) object$V

coef.nmu <- function(object, type = c("weights", "basis"), ...) if (match.arg(type) == "weights") object$W else object$V

fitted.nmu <- function(object, ...) object$V %*% object$W

residuals.nmu <- function(object, m, ...) {
  if (base::missing(m)) refuse("nmu_shape_error", "a result does not hold the matrix that was factored; write residuals(object, m)")
  m <- as_input(m, sparse = TRUE)
  product <- aligned(object$V, "object$V", m, cols = FALSE) %*% aligned(object$W, "object$W", m, rows = FALSE)
  size <- m$dim
  if (any(size != dim(product))) {
    refuse("nmu_shape_error", "m is %d x %d and V W is %d x %d; they must be the same", size[1], size[2], nrow(product), ncol(product))
  }
  entries <- m$data
  if (is.list(entries)) {
    entries <- matrix(0, size[1], size[2])
    entries[cbind(rep(seq_len(size[1]), diff(m$data$p)), m$data$j + 1L)] <- m$data$x
  }
  structure(entries - product, dimnames = m$dimnames)
}

summary.nmu <- function(object, ...) {
  hoyer <- function(x) (sqrt(length(x)) - sum(x) / sqrt(sum(x^2))) / (sqrt(length(x)) - 1)
  v <- object$V
  w <- object$W
  object$factors <- data.frame(norm = sqrt(colSums(v^2) * rowSums(w^2)), basis_zeros = colMeans(v == 0), weight_zeros = rowMeans(w == 0),
    basis_hoyer = apply(v, 2, hoyer), weight_hoyer = apply(w, 1, hoyer))
  class(object) <- c("summary.nmu", class(object))
  object
}

print.summary.nmu <- function(x, digits = 3, ...) {
  NextMethod()
  if (nzchar(x$missing_solver)) cat(sprintf("missing solver      %s\n", x$missing_solver))
  cat("\nfactors\n")
  print(x$factors, digits = digits, ...)
  invisible(x)
}

predict.nmu <- takes("transform", function(object, newdata, ..., init = NULL, details = FALSE) {
  if (base::missing(newdata)) {
    if (is.null(object$W)) refuse("nmu_shape_error", "a model holds no weights; write predict(object, newdata)")
    return(object$W)
  }
  off <- object$method == "kl" && isFALSE(divergence) || object$method == "nmf" && isFALSE(sum_to_one)
  m <- new_columns(object, newdata, environment(), list(...), if (!off) method_of(object, "object"), init = if (!is.null(init)) "given")
  if (!is.null(init)) init <- aligned(init, "init", m, rows = FALSE)
  res <- ask("transform", v = m$v, m = m$data, w = init, options = m$options)
  colnames(res$W) <- m$dimnames[[2]]
  if (isTRUE(details)) c(res["W"], res$result) else res$W
})

# new_columns does what request does, for the weights of new columns. by is the method of the basis with its
# options, or NULL. v, in what it returns, is the basis with its rows in the order of those of newdata.
new_columns <- function(object, newdata, env, options = list(), by, ...) {
  m <- request("transform", newdata, env, options, name = "newdata", ...)
  m$options[c("method", "method_options")] <- by
  if (m$dim[1] != nrow(object$V)) {
    turned <- if (m$dim[2] == nrow(object$V)) "; t(newdata) has as many" else ""
    refuse("nmu_shape_error", "newdata has %d rows and object$V has %d; they must be the same, as newdata are columns%s",
      m$dim[1], nrow(object$V), turned)
  }
  m$v <- aligned(object$V, "object$V", m, cols = FALSE)
  m
}

plot.nmu <- function(x, size = NULL, columns = ceiling(sqrt(ncol(x$V))), which = c("basis", "iterations", "rank"), ...) {
  which <- match.arg(which)
  if (which != "basis") {
    e <- errors_of(x, which)
    draw(plot, c(e, list(type = "b", pch = 20, ylim = c(0, highest(e$y)), xaxt = "n")), ...)
    axis(1, if (which == "rank") e$x)
    return(invisible(x))
  }
  if (is.null(size)) {
    image(seq_len(ncol(x$V)), seq_len(nrow(x$V)), t(x$V), col = gray(seq(1, 0, length.out = 256)),
      ylim = c(nrow(x$V) + 0.5, 0.5), xlab = "factor", ylab = "row", ...)
    return(invisible(x))
  }
  if (length(size) != 2 || prod(size) != nrow(x$V)) {
    refuse("nmu_option_error", "size is %s; choose the rows and columns of images of %d entries", shown(size), nrow(x$V))
  }
  before <- par(mfrow = c(ceiling(ncol(x$V) / columns), columns), mar = rep(0.3, 4))
  on.exit(par(before))
  for (k in seq_len(ncol(x$V))) {
    picture <- matrix(x$V[, k], size[1], size[2])
    image(t(picture[nrow(picture):1, , drop = FALSE]), col = gray(seq(1, 0, length.out = 256)),
      axes = FALSE, asp = size[1] / size[2], ...)
  }
  invisible(x)
}

# errors_of returns the error by iteration, from the history, or by rank, from the blocks.
errors_of <- function(x, which) {
  measure <- c(intersect(c("relative_divergence", if (which == "rank") "relative_l1"), names(x)), "relative_error")[1]
  if (which == "rank") return(list(x = x$blocks$rank, y = x$blocks[[measure]], xlab = "factors", ylab = gsub("_", " ", measure)))
  if (sum(lengths(x$history)) == 0) refuse("nmu_option_error", "x has no history; write record = TRUE, or a tolerance, for factorize")
  before <- cumsum(c(0, x$blocks$iterations_done))[seq_along(x$history)]
  at <- Map(function(from, h) from + seq_along(h) * x$check_every, before, x$history)
  list(x = unlist(at), y = unlist(x$history), xlab = "iteration", ylab = gsub("_", " ", measure))
}

print.nmu_biclique <- function(x, ...) {
  cat(sprintf("a biclique of %d rows and %d columns: %.0f edges; none has more than %.0f\n",
    length(x$rows), length(x$cols), x$edges, x$bound))
  cat("rows   ", x$rows, "\ncolumns", x$cols, "\n")
  invisible(x)
}
