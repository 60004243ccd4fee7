# as_input returns what the library reads of a matrix: data, which is a matrix of doubles
# or, of a sparse matrix of package Matrix, its rows; and the names.
as_input <- function(m, name = "m", sparse = FALSE) {
  if (sparse && inherits(m, c("dgRMatrix", "dgCMatrix"))) {
    check_slots(m, name)
    data <- if (inherits(m, "dgRMatrix")) list(p = m@p, j = m@j, x = m@x) else by_rows(m)
    return(list(data = c(data, list(dim = m@Dim)), dimnames = m@Dimnames))
  }
  if (is.data.frame(m)) m <- as.matrix(m)
  if (!is.matrix(m) || !(is.numeric(m) || is.logical(m))) {
    what <- if (sparse) "numbers, a dgCMatrix or a dgRMatrix" else "numbers"
    refuse("nmu_shape_error", "%s is not a matrix of %s", name, what)
  }
  if (!is.double(m)) storage.mode(m) <- "double"
  list(data = m, dimnames = dimnames(m))
}

# check_slots refuses a sparse matrix whose slots, which anyone may have set, do not
# agree: the library reads where they say.
check_slots <- function(m, name) {
  by_columns <- inherits(m, "dgCMatrix")
  places <- if (by_columns) m@i else m@j
  lines <- m@Dim[1 + by_columns]
  agree <- length(m@Dim) == 2 && length(m@p) == lines + 1 && !is.unsorted(m@p) && m@p[1] == 0 &&
    m@p[lines + 1] == length(m@x) && length(places) == length(m@x) &&
    all(places >= 0 & places < m@Dim[2 - by_columns])
  if (!isTRUE(agree)) {
    refuse("nmu_shape_error", "the slots of %s, a %s, do not agree: Dim %s, %.0f pointers, %.0f indices and %.0f values",
      name, class(m)[1], shown(m@Dim), length(m@p), length(places), length(m@x))
  }
}

# by_rows returns the compressed rows of a matrix of compressed columns.
by_rows <- function(m) {
  cols <- rep(seq_len(m@Dim[2]) - 1L, diff(m@p))
  order <- order(m@i, cols)
  list(p = c(0L, cumsum(tabulate(m@i + 1L, m@Dim[1]))), j = cols[order], x = m@x[order])
}

# whole returns a whole number, and 0 for NULL or 0, which leave it to the library.
whole <- function(x, name, least = 0, most = 2^31 - 1) {
  if (is.null(x) && least == 0) return(0)
  if (!is.numeric(x) || length(x) != 1 || !isTRUE(x == round(x)) || x < least || x > most) {
    refuse("nmu_option_error", "%s is %s; choose a whole number from %.0f to %.0f", name, shown(x), least, most)
  }
  as.double(x)
}

# number returns a number, and 0 for NULL or 0, which leave it to the library.
number <- function(x, name) {
  if (is.null(x)) return(0)
  if (!is.numeric(x) || length(x) != 1 || is.na(x)) {
    refuse("nmu_option_error", "%s is %s; choose a number", name, shown(x))
  }
  as.double(x)
}

string <- function(x, name) {
  if (is.character(x) && length(x) == 1 && !is.na(x)) return(x)
  refuse("nmu_option_error", "%s is %s; choose one string", name, shown(x))
}

checked_function <- function(f) {
  if (is.null(f) || is.function(f)) return(f)
  refuse("nmu_option_error", "progress is %s; choose a function of one argument", shown(f))
}

shown <- function(x) paste(deparse(x, nlines = 1L), collapse = "")

# method_options writes the options of a method as the library reads them.
method_options <- function(...) {
  options <- list(...)
  if (length(options) == 0) return(NULL)
  if (is.null(names(options)) || any(names(options) == "")) {
    refuse("nmu_option_error", "an option of the method has no name")
  }
  write <- function(x) {
    if (length(x) != 1 || !is.atomic(x) || is.na(x)) {
      refuse("nmu_option_error", "an option of the method is %s; choose one value", shown(x))
    }
    if (is.logical(x)) tolower(x) else if (is.numeric(x)) format(x, digits = 17) else as.character(x)
  }
  paste0(gsub("_", "-", names(options)), "=", vapply(options, write, ""), collapse = ",")
}

# codes are the classes of the conditions for the codes of the library.
codes <- c("-1" = "nmu_shape_error", "-2" = "nmu_option_error", "-3" = "nmu_value_error", "-5" = "nmu_fork_error")

# checked returns what a call has given, or signals the condition of its error.
checked <- function(res) {
  if (!is.list(res) || is.null(res$code)) return(res)
  class <- codes[as.character(res$code)]
  place <- if (res$code == -3) res[c("matrix", "row", "col", "value")]
  stop(structure(
    class = c(if (!is.na(class)) class[[1]], "nmu_error", "error", "condition"),
    c(list(message = res$message, call = NULL), place)
  ))
}

refuse <- function(class, format, ...) {
  stop(structure(class = c(class, "nmu_error", "error", "condition"), list(message = sprintf(format, ...), call = NULL)))
}
