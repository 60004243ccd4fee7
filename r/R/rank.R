nmu_rank <- takes("rank", function(m, ranks, method = "nmf", ..., init = NULL, progress = NULL) {
  method <- string(method, "method")
  if (!is.numeric(ranks) || length(ranks) == 0) refuse("nmu_option_error", "ranks is %s; choose a vector of ranks, such as 2:20", shown(ranks))
  text <- paste(vapply(ranks, whole, 0, "a rank", 1), collapse = " ")
  m <- request("rank", m, environment(), method, list(...), init = init, ranks = text)
  side <- if (isTRUE(consensus)) min(m$dim[2], 1000) else 0
  res <- checked(.Call(C_rank, m$data, length(ranks), side, m$options))
  points <- as.data.frame(res$points)
  n <- m$dim[2]
  at <- seq_len(side) - 1
  names <- m$dimnames[[2]][at * (n %/% side) + (at * (n %% side)) %/% side + 1]
  consensus <- lapply(seq_len(nrow(points) * (side > 0)), function(k) matrix(res$consensus[, , k], side, side, dimnames = if (!is.null(names)) list(names, names)))
  if (side > 0) names(consensus) <- points$rank
  structure(c(res$result, list(points = points, consensus = consensus, method = method)), class = "nmu_rank")
})

print.nmu_rank <- function(x, digits = 3, ...) {
  cat(if (x$rank > 0) sprintf("rank %.0f by %s: %s\n\n", x$rank, x$method, x$reason) else sprintf("no clear rank by %s: %s\n\n", x$method, x$reason))
  print(x$points, digits = digits, row.names = FALSE, ...)
  invisible(x)
}

plot.nmu_rank <- function(x, which = c("error", "stability", "consensus"), rank = NULL, ...) {
  which <- match.arg(which)
  p <- x$points
  given <- list(...)
  draw <- function(f, ...) do.call(f, modifyList(list(...), given))
  if (which == "consensus") {
    if (length(x$consensus) == 0) refuse("nmu_option_error", "x has no consensus matrices; write consensus = TRUE for nmu_rank")
    if (is.null(rank)) rank <- if (x$rank > 0) x$rank else p$rank[which.max(p$stability)]
    map <- x$consensus[[as.character(rank)]]
    if (is.null(map) || anyNA(map)) refuse("nmu_option_error", "rank is %s; choose one of %s", shown(rank), paste(names(x$consensus), collapse = ", "))
    order <- if (nrow(map) > 1) hclust(as.dist(1 - map), "average")$order else 1
    map <- map[rev(order), order, drop = FALSE]
    n <- nrow(map)
    before <- par(mar = pmax(par("mar"), c(0, 7, 0, 0))) # for the names of the rows, which are those of the columns
    on.exit(par(before))
    draw(image, x = seq_len(n), y = seq_len(n), z = t(map), zlim = c(0, 1), col = gray(seq(1, 0, length.out = 256)), asp = 1,
      xaxt = "n", yaxt = "n", xlab = "", ylab = "", main = paste("consensus at rank", rank))
    if (n <= 50) axis(2, seq_len(n), rev(if (is.null(colnames(map))) order else colnames(map)), las = 2, cex.axis = 0.8)
    return(invisible(map))
  }
  if (which == "stability") {
    y <- as.matrix(p[c("stability", "cophenetic", "dispersion")])
    draw(matplot, x = p$rank, y = y, type = "b", pch = 20, lty = 1, col = 1:3, ylim = c(min(0, y, na.rm = TRUE), 1), xaxt = "n", xlab = "rank", ylab = "stability")
  } else {
    y <- as.matrix(p[c("training_error", "held_out_error")])
    high <- p$held_out_error + p$standard_error
    draw(matplot, x = p$rank, y = y, type = "b", pch = 20, lty = 1, col = 1:2, ylim = c(0, max(y, high, na.rm = TRUE)), xaxt = "n", xlab = "rank", ylab = "error")
    suppressWarnings(arrows(p$rank, p$held_out_error - p$standard_error, y1 = high, angle = 90, code = 3, length = 0.03, col = 2))
    if (x$rank > 0) abline(v = x$rank, lty = 2)
  }
  axis(1, p$rank)
  known <- colSums(!is.na(y)) > 0
  legend(if (which == "error") "topright" else "bottomleft", gsub("_", " ", colnames(y))[known], col = seq_along(known)[known], pch = 20, lty = 1, bty = "n")
  invisible(x)
}
