# as_input returns what the library reads of a matrix: data, which is a matrix of doubles
# or the rows of a sparse matrix; and the names.
as_input <- function(m, name = "m", sparse = FALSE) {
  given <- class(m)[1]
  m <- converted(m, name)
  if (inherits(m, c("dgRMatrix", "dgCMatrix", "simple_triplet_matrix"))) {
    if (!sparse) refuse("nmu_shape_error", "%s is a %s, and a sparse matrix is not for this function; use as.matrix(%s)", name, given, name)
    if (inherits(m, "simple_triplet_matrix")) return(of_triplets(m, name))
    check_slots(m, name)
    data <- if (inherits(m, "dgRMatrix")) list(p = m@p, j = m@j, x = m@x) else by_rows(m@i, columns_of(m), m@x, m@Dim[1])
    return(list(data = c(data, list(dim = m@Dim)), dimnames = m@Dimnames))
  }
  if (is.data.frame(m)) m <- as.matrix(check_columns(m, name))
  if (!is.matrix(m) || !(is.numeric(m) || is.logical(m))) {
    what <- if (is.matrix(m)) paste("matrix of type", typeof(m)) else given
    refuse("nmu_shape_error", "%s is a %s, and no matrix or data frame of numbers%s", name, what,
      if (sparse) ", matrix of package Matrix or simple_triplet_matrix" else "")
  }
  if (!is.double(m)) storage.mode(m) <- "double"
  list(data = m, dimnames = dimnames(m))
}

# converted returns a matrix of package Matrix of another class as a dgCMatrix, or, if it is
# dense, as a matrix of R. Everything else stays.
converted <- function(m, name) {
  package <- if (isS4(m)) attr(class(m), "package")
  if (is.null(package) || inherits(m, c("dgRMatrix", "dgCMatrix")) || !requireNamespace(package, quietly = TRUE) || !is(m, "Matrix")) return(m)
  tryCatch(
    if (is(m, "denseMatrix")) as(m, "matrix") else as(as(as(m, "dMatrix"), "generalMatrix"), "CsparseMatrix"),
    error = function(e) {
      refuse("nmu_shape_error", "%s is a %s, which does not become a dgCMatrix (%s); convert it", name, class(m)[1], conditionMessage(e))
    })
}

# check_columns returns a data frame, whose columns must be numbers.
check_columns <- function(m, name) {
  for (k in seq_along(m)) {
    if (!is.numeric(m[[k]]) && !is.logical(m[[k]])) {
      refuse("nmu_shape_error", "column %s of %s holds no numbers, but class %s; leave it out: %s[-%d]",
        shown(names(m)[k]), name, class(m[[k]])[1], name, k)
    }
  }
  m
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

# columns_of returns the column of each entry of compressed columns, from 0.
columns_of <- function(m) rep(seq_len(m@Dim[2]) - 1L, diff(m@p))

# by_rows returns the compressed rows of a matrix with n rows and the entries x at rows i and
# columns j, from 0.
by_rows <- function(i, j, x, n) {
  order <- order(i, j)
  list(p = c(0L, cumsum(tabulate(i + 1L, n))), j = j[order], x = x[order])
}

# of_triplets is as_input for a matrix of package slam, such as a DocumentTermMatrix of tm.
of_triplets <- function(m, name) {
  dim <- as.integer(c(m$nrow, m$ncol))
  places <- function(at, most) is.numeric(at) && length(at) == length(m$v) && isTRUE(all(at >= 1 & at <= most))
  if (length(dim) != 2 || anyNA(dim) || !places(m$i, dim[1]) || !places(m$j, dim[2]) || !(is.numeric(m$v) || is.logical(m$v))) {
    refuse("nmu_shape_error", "the parts of %s, a %s, do not agree: %s rows, %s columns, %.0f and %.0f indices and %.0f values",
      name, class(m)[1], shown(m$nrow), shown(m$ncol), length(m$i), length(m$j), length(m$v))
  }
  data <- by_rows(as.integer(m$i) - 1L, as.integer(m$j) - 1L, as.double(m$v), dim[1])
  list(data = c(data, list(dim = dim)), dimnames = m$dimnames)
}

# observed returns what the library reads of missing, mask and weights: the last two in the order
# of m, a mask as bytes.
observed <- function(missing, mask, weights, m, of) {
  if (!identical(missing, "error") && !identical(missing, "allow")) {
    refuse("nmu_option_error", "missing is %s; choose \"error\" or \"allow\"", shown(missing))
  }
  if (!is.null(mask)) {
    mask <- aligned(as_input(mask, "mask"), "mask", of, m$dimnames[[1]], m$dimnames[[2]])
    if (anyNA(mask)) refuse("nmu_option_error", "mask has NA; choose TRUE where %s is observed, else FALSE", of)
    mask <- array(as.raw(mask != 0), dim(mask))
  }
  if (!is.null(weights)) weights <- aligned(as_input(weights, "weights"), "weights", of, m$dimnames[[1]], m$dimnames[[2]])
  list(missing = missing, mask = mask, weights = weights)
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
  as_text(options)
}

# settings writes settings as the library reads them, beside the matrices that observed returns. NULL,
# 0 and FALSE leave a setting to the library.
settings <- function(..., observed = NULL) {
  given <- c(list(...), observed["missing"])
  left <- vapply(given, function(x) is.null(x) || identical(x, 0) || identical(x, FALSE), NA)
  list(settings = as_text(given[!left]), matrices = observed[c("mask", "weights")])
}

# as_text writes named values as the library reads them. A comma in a value is written twice.
as_text <- function(values) {
  if (length(values) == 0) return(NULL)
  write <- function(x) {
    if (length(x) != 1 || !is.atomic(x) || is.na(x)) {
      refuse("nmu_option_error", "an option of the method is %s; choose one value", shown(x))
    }
    if (is.logical(x)) tolower(x) else if (is.numeric(x)) format(x, digits = 17, scientific = x != round(x)) else gsub(",", ",,", x, fixed = TRUE)
  }
  paste0(gsub("_", "-", names(values)), "=", vapply(values, write, ""), collapse = ",")
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
