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

# The words of NMF and RcppML for the parts of a result.
words_of_parts <- c(w = "V", h = "W", H = "W")

`$.nmu` <- function(x, name) {
  if (name %in% setdiff(names(words_of_parts), names(x))) refuse("nmu_option_error", "a result has no %s; write x$%s", name, words_of_parts[[name]])
  x[[name]]
}

`$.nmu_model` <- `$.nmu`

as.data.frame.nmu <- function(x, row.names = NULL, optional = FALSE, ...) {
  long <- function(a, factor, names) {
    if (is.null(names)) names <- as.character(seq_len(nrow(a)))
    data.frame(factor = factor, name = rep(names, ncol(a)), part = rep(seq_len(ncol(a)), each = nrow(a)), value = c(a), stringsAsFactors = FALSE)
  }
  rbind(long(x$V, "V", rownames(x$V)), long(t(x$W), "W", colnames(x$W)))
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

plot.nmu <- function(x, size = NULL, columns = ceiling(sqrt(ncol(x$V))), which = c("basis", "weights", "iterations", "rank"), ...) {
  which <- match.arg(which)
  if (which %in% c("iterations", "rank")) {
    e <- errors_of(x, which)
    draw(plot, c(e, list(type = "b", pch = 20, ylim = c(0, highest(e$y)), xaxt = "n")), ...)
    axis(1, if (which == "rank") e$x)
    return(invisible(x))
  }
  parts <- if (which == "basis") x$V else t(x$W)
  if (is.null(size) && ncol(parts) > most_profiles) {
    image(seq_len(ncol(parts)), seq_len(nrow(parts)), t(parts), col = gray(seq(1, 0, length.out = 256)),
      ylim = c(nrow(parts) + 0.5, 0.5), xlab = "factor", ylab = if (which == "basis") "row" else "column", ...)
    return(invisible(x))
  }
  if (!is.null(size) && (length(size) != 2 || prod(size) != nrow(parts))) {
    refuse("nmu_option_error", "size is %s; choose the rows and columns of images of %d entries", shown(size), nrow(parts))
  }
  before <- if (is.null(size)) par(mfrow = c(ncol(parts), 1), mar = c(2, 4, 0.5, 1)) else par(mfrow = c(ceiling(ncol(parts) / columns), columns), mar = rep(0.3, 4))
  on.exit(par(before))
  for (k in seq_len(ncol(parts))) {
    if (is.null(size)) {
      profile(parts[, k], ylab = paste("part", k), ...)
    } else {
      picture <- matrix(parts[, k], size[1], size[2])
      image(t(picture[nrow(picture):1, , drop = FALSE]), col = gray(seq(1, 0, length.out = 256)),
        axes = FALSE, asp = size[1] / size[2], ...)
    }
  }
  invisible(x)
}

# most_profiles is the largest number of parts that have a profile each.
most_profiles <- 12

# profile draws a column of V or a row of W: a curve over names that are numbers, or over many entries without names, and
# else bars.
profile <- function(y, ...) {
  n <- length(y)
  names <- names(y)
  x <- suppressWarnings(as.numeric(names))
  curve <- if (is.null(names)) n > 150 else !anyNA(x)
  draw(plot, list(x = if (curve && !is.null(names)) x else seq_len(n), y = y, type = if (curve) "l" else "h", ylim = c(0, highest(y)), xlab = "",
    xaxt = if (curve || is.null(names)) "s" else "n"), ...)
  if (!curve && !is.null(names) && n <= 50) axis(1, seq_len(n), names, las = 2, cex.axis = 0.8)
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
