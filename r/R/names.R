# aligned returns the entries of a matrix with its rows, its columns or both in the order of those of m, which
# as_input has read.
aligned <- function(x, name, m, rows = TRUE, cols = TRUE) {
  x <- as_input(x, name)
  order <- if (rows) by_name(m$dimnames[[1]], x$dimnames[[1]], "rows", name, m$name)
  if (!is.null(order)) x$data <- x$data[order, , drop = FALSE]
  order <- if (cols) by_name(m$dimnames[[2]], x$dimnames[[2]], "columns", name, m$name)
  if (!is.null(order)) x$data <- x$data[, order, drop = FALSE]
  x$data
}

# by_name returns the place of each name of want in have, or NULL if nothing has to move: the
# names are equal, or sizes decide, which they do if one list only counts from 0 or 1.
by_name <- function(want, have, what, name, of) {
  if (is.null(want) || is.null(have) || length(want) != length(have) || isTRUE(all(want == have))) return(NULL)
  lacking <- setdiff(want, have)
  extra <- setdiff(have, want)
  if (length(lacking) > 0 || length(extra) > 0) {
    if (counts(want) || counts(have)) return(NULL)
    only <- c(if (length(lacking) > 0) sprintf("%s is only in %s", shown(lacking[1]), of),
      if (length(extra) > 0) sprintf("%s only in %s", shown(extra[1]), name))
    refuse("nmu_shape_error", "the %s of %s and of %s have different names: %s; give both the same %s, or use unname(%s) if only the names differ",
      what, of, name, paste(only, collapse = ", and "), what, name)
  }
  if (anyDuplicated(have) || anyDuplicated(want)) {
    refuse("nmu_shape_error", "the %s of %s are those of %s in another order, and the name %s occurs more than once, so they cannot be matched by name",
      what, name, of, shown(c(have[duplicated(have)], want[duplicated(want)])[1]))
  }
  message(sprintf("the %s of %s are those of %s in another order, and are matched by name", what, name, of))
  match(want, have)
}

# counts says whether names are the numbers from 0 or 1, which rows and columns without names have.
counts <- function(names) any(vapply(0:1, function(first) all(names == as.character(seq(first, length.out = length(names)))), NA))

nmu_look <- function(path, ...) {
  ask("look", settings = as_text(c(list(input = string(path, "path")), list(...)), setting_types$inspect))$json
}
