nmu_rank <- takes("rank", function(m, ranks, method = "nmf", ..., data = NULL, init = NULL, progress = NULL) {
  m <- request("rank", m, environment(), list(...), init = init, ranks = ranks_text(ranks))
  each <- unique_ranks(ranks, m)
  side <- if (isTRUE(consensus)) min(m$dim[2], 1000) else 0
  res <- ask("rank", m = m$data, ranks = length(each), side = side, options = m$options)
  points <- as.data.frame(res$points)
  consensus <- if (side > 0) maps_of(res$consensus, points$rank, m) else list()
  structure(c(noted(res$result), list(points = points, consensus = consensus, method = method)), class = "nmu_rank")
})

nmu_consensus <- takes("consensus", function(m, ranks, method = "nmf", ..., data = NULL, init = NULL, progress = NULL) {
  m <- request("consensus", m, environment(), list(...), init = init, ranks = ranks_text(ranks))
  each <- unique_ranks(ranks, m)
  side <- min(m$dim[2], 1000)
  res <- ask("consensus", m = m$data, ranks = length(each), parts = sum(each), side = side, options = m$options)
  points <- as.data.frame(res$points)
  of <- split(seq_len(sum(points$rank)), rep(points$rank, points$rank)) # the parts of each rank
  basis <- function(x) lapply(of, function(k) structure(x[, k, drop = FALSE], dimnames = if (!is.null(m$dimnames[[1]])) list(m$dimnames[[1]], NULL)))
  weights <- function(x) lapply(of, function(k) structure(x[k, , drop = FALSE], dimnames = if (!is.null(m$dimnames[[2]])) list(NULL, m$dimnames[[2]])))
  structure(c(noted(res$result), list(
    points = points, parts = lapply(of, function(k) as.data.frame(res$parts)[k, ]), V = basis(res$V), V_low = basis(res$V_low), V_high = basis(res$V_high),
    W = weights(res$W), W_low = weights(res$W_low), W_high = weights(res$W_high), map = maps_of(res$map, points$rank, m), method = method
  )), class = "nmu_consensus")
})

# ranks_text returns ranks as the library reads them.
ranks_text <- function(ranks) {
  if (!is.numeric(ranks) || length(ranks) == 0) refuse("nmu_option_error", "ranks is %s; choose a vector of ranks, such as 2:20", shown(ranks))
  if (length(ranks) > 2^20) refuse("nmu_option_error", "ranks has %.0f numbers; choose at most %.0f", length(ranks), 2^20)
  paste(vapply(ranks, whole, 0, "a rank", 1), collapse = " ")
}

# unique_ranks returns the ranks in increasing order, before memory is taken for more than m can have.
unique_ranks <- function(ranks, m) {
  whole(max(ranks), "the largest rank", 1, most_factors(m$dim))
  sort(unique(ranks))
}

# maps_of returns consensus matrices by rank, with the names of the columns of m in them.
maps_of <- function(maps, ranks, m) {
  n <- m$dim[2]
  side <- dim(maps)[1]
  at <- seq_len(side) - 1
  names <- if (side == min(n, 1000)) m$dimnames[[2]][at * (n %/% side) + (at * (n %% side)) %/% side + 1]
  list <- lapply(seq_along(ranks), function(k) matrix(maps[, , k], side, side, dimnames = if (!is.null(names)) list(names, names)))
  setNames(list, ranks)
}

print.nmu_rank <- function(x, digits = 3, ...) {
  cat(if (x$rank > 0) sprintf("rank %.0f by %s: %s\n\n", x$rank, x$method, x$reason) else sprintf("no clear rank by %s: %s\n\n", x$method, x$reason))
  empty <- vapply(x$points, function(y) all(is.na(y)), NA) | grepl("^(run_|expected_)?q$", names(x$points)) & !isTRUE(x$weighted)
  print(x$points[!empty], digits = digits, row.names = FALSE, ...)
  invisible(x)
}

print.nmu_consensus <- print.nmu_rank

plot.nmu_rank <- function(x, which = c("error", "stability", "consensus"), rank = NULL, ...) {
  which <- match.arg(which)
  if (which == "consensus") {
    if (length(x$consensus) == 0) refuse("nmu_option_error", "x has no consensus matrices; write consensus = TRUE for nmu_rank")
    return(invisible(draw_map(x, x$consensus, rank, ...)))
  }
  if (which == "stability") return(invisible(draw_lines(x, c("stability", "cophenetic", "dispersion"), 1, ...)))
  p <- x$points
  high <- p$held_out_error + p$standard_error
  draw_lines(x, c("training_error", "held_out_error"), high, ...)
  suppressWarnings(arrows(p$rank, p$held_out_error - p$standard_error, y1 = high, angle = 90, code = 3, length = 0.03, col = 2))
  invisible(x)
}

plot.nmu_consensus <- function(x, which = c("stability", "parts", "map"), rank = NULL, ...) {
  which <- match.arg(which)
  if (which == "map") return(invisible(draw_map(x, x$map, rank, ...)))
  if (which == "stability") return(invisible(draw_lines(x, c("stability", "error", "run_error"), 1, ...)))
  rank <- chosen_rank(x, rank, names(x$V))
  v <- x$V[[rank]]
  high <- x$V_high[[rank]]
  k <- ncol(v)
  before <- par(mfrow = c(k, 1), mar = c(2, 4, 1, 1))
  on.exit(par(before))
  for (part in seq_len(k)) {
    draw(plot, list(x = seq_len(nrow(v)), y = v[, part], type = "h", ylim = c(0, highest(v[, part], high[, part])), xlab = "", ylab = paste("part", part)), ...)
    suppressWarnings(arrows(seq_len(nrow(v)), x$V_low[[rank]][, part], y1 = high[, part], angle = 90, code = 3, length = 0.02))
  }
  invisible(x)
}

# draw calls a function that plots, in which further arguments replace those of a list.
draw <- function(f, own, ...) do.call(f, modifyList(own, list(...)))

# highest returns the largest finite number, and at least 0.
highest <- function(...) max(0, Filter(is.finite, c(...)))

# chosen_rank returns the rank to draw as text: the one that is given or, of least or more, advised or most stable.
chosen_rank <- function(x, rank, among, least = 1) {
  if (is.null(rank)) rank <- if (x$rank >= least) x$rank else x$points$rank[which.max(ifelse(x$points$rank < least, -1, x$points$stability))]
  if (!as.character(rank)[1] %in% among) refuse("nmu_option_error", "rank is %s; choose one of %s", shown(rank), paste(among, collapse = ", "))
  as.character(rank)
}

# draw_map draws the map of a rank, with columns that agree beside each other, and returns it so.
draw_map <- function(x, maps, rank, ...) {
  known <- names(maps)[!vapply(maps, anyNA, NA)]
  rank <- chosen_rank(x, rank, known, least = 2) # at rank 1 all columns agree
  map <- maps[[rank]]
  order <- if (nrow(map) > 1) hclust(as.dist(1 - map), "average")$order else 1
  map <- map[rev(order), order, drop = FALSE]
  n <- nrow(map)
  before <- par(mar = pmax(par("mar"), c(0, 7, 0, 0))) # for the names of the rows, which are those of the columns
  on.exit(par(before))
  draw(image, list(x = seq_len(n), y = seq_len(n), z = t(map), zlim = c(0, 1), col = gray(seq(1, 0, length.out = 256)), asp = 1,
    xaxt = "n", yaxt = "n", xlab = "", ylab = "", main = paste("consensus at rank", rank)), ...)
  if (n <= 50) axis(2, seq_len(n), rev(if (is.null(colnames(map))) order else colnames(map)), las = 2, cex.axis = 0.8)
  map
}

# draw_lines draws columns of the points over the rank, up to a height, with a line at the advised rank, and returns x.
draw_lines <- function(x, columns, height, ...) {
  y <- as.matrix(x$points[columns])
  rank <- x$points$rank
  stable <- columns[1] == "stability"
  draw(matplot, list(x = rank, y = y, type = "b", pch = 20, lty = 1, col = seq_along(columns), ylim = c(min(0, y, na.rm = TRUE), highest(y, height) * if (stable) 1 else 1.2),
    xaxt = "n", xlab = "rank", ylab = if (stable) "stability" else "error"), ...)
  axis(1, rank)
  if (x$rank > 0) abline(v = x$rank, lty = 2)
  known <- colSums(!is.na(y)) > 0
  legend(if (stable) "bottomleft" else "topright", gsub("_", " ", columns)[known], col = seq_along(columns)[known], pch = 20, lty = 1, bty = "n")
  x
}
