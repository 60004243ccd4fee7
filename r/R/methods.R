print.nmu <- function(x, ...) {
  percent <- function(part) sprintf("%.2f %%", 100 * part)
  cat(sprintf("%d x %d in %d factors by %s: %d iterations, ended by %s\n",
    nrow(x$V), ncol(x$W), ncol(x$V), x$method, x$iterations, x$stop))
  cat(sprintf("relative error      %s\n", percent(x$relative_error)))
  if (!is.null(x$relative_divergence)) cat(sprintf("deviance explained  %s\n", percent(1 - x$relative_divergence)))
  if (!is.null(x$relative_l1)) cat(sprintf("relative l1 error   %s\n", percent(x$relative_l1)))
  if (endsWith(x$method, "nmu")) { # an underapproximation, as its name says
    cat(sprintf("largest violation   %s%.3g, of entries up to %.3g\n",
      if (x$violation_bound) "at most " else "", x$max_violation, x$largest_entry))
  }
  cat(sprintf("zeros               %s of V, %s of W\n", percent(mean(x$V == 0)), percent(mean(x$W == 0))))
  if (x$restarts_finished > 0) cat(sprintf("seed                %.0f, the best of %d\n", x$seed, x$restarts_finished))
  invisible(x)
}

fitted.nmu <- function(object, ...) object$V %*% object$W

predict.nmu <- takes("transform", function(object, newdata, ..., init = NULL, details = FALSE) {
  if (base::missing(newdata)) return(object$W)
  if (is.null(divergence)) divergence <- object$method == "kl" && !isTRUE(feasible) && !isTRUE(sum_to_one)
  m <- request("transform", newdata, environment(), options = list(...), name = "newdata", init = if (!is.null(init)) "given")
  if (m$dim[1] != nrow(object$V)) {
    turned <- if (m$dim[2] == nrow(object$V)) "; t(newdata) has as many" else ""
    refuse("nmu_shape_error", "newdata has %d rows and object$V has %d; they must be the same, as predict takes columns%s",
      m$dim[1], nrow(object$V), turned)
  }
  v <- aligned(as_input(object$V, "object$V"), "object$V", "newdata", rows = m$dimnames[[1]])
  if (!is.null(init)) init <- aligned(as_input(init, "init"), "init", "newdata", cols = m$dimnames[[2]])
  res <- checked(.Call(C_transform, v, m$data, init, m$options))
  colnames(res$W) <- m$dimnames[[2]]
  if (isTRUE(details)) c(res["W"], res$result) else res$W
})

plot.nmu <- function(x, size = NULL, columns = ceiling(sqrt(ncol(x$V))), ...) {
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

print.nmu_biclique <- function(x, ...) {
  cat(sprintf("a biclique of %d rows and %d columns: %.0f edges; none has more than %.0f\n",
    length(x$rows), length(x$cols), x$edges, x$bound))
  cat("rows   ", x$rows, "\n")
  cat("columns", x$cols, "\n")
  invisible(x)
}
