# as_input returns what the library reads of a matrix: data, which is a matrix of doubles
# or the rows of a sparse matrix; its size, the names of its rows and columns, and its own.
as_input <- function(m, name = "m", sparse = FALSE) {
  given <- class(m)[1]
  m <- converted(of_integer64(m), name)
  if (inherits(m, c("dgRMatrix", "dgCMatrix", "simple_triplet_matrix"))) {
    if (!sparse) refuse("nmu_shape_error", "%s is a %s, and a sparse matrix is not for this function; use as.matrix(%s)", name, given, name)
    data <- if (isS4(m)) of_slots(m, name) else of_triplets(m, name)
    return(list(data = data, dim = data$dim, dimnames = if (isS4(m)) m@Dimnames else m$dimnames, name = name))
  }
  if (is.data.frame(m)) {
    k <- which(!vapply(m, function(x) is.numeric(x) || is.logical(x), NA))[1]
    if (!is.na(k)) refuse("nmu_shape_error", "column %s of %s holds no numbers, but class %s; leave it out: %s[-%d]",
      shown(names(m)[k]), name, class(m[[k]])[1], name, k)
    m <- as.matrix(m)
  }
  if (!is.matrix(m) || !(is.numeric(m) || is.logical(m))) {
    what <- if (is.matrix(m)) paste("matrix of type", typeof(m)) else given
    instead <- if (is(m, "SummarizedExperiment")) "; use assay(%s)" else if (is(m, "IterableMatrix")) "; use as(%s, \"dgCMatrix\")" else if (isS4(m)) "; use as.matrix(%s)" else ""
    refuse("nmu_shape_error", "%s is a %s, and no matrix or data frame of numbers%s%s", name, what,
      if (sparse) ", matrix of package Matrix or simple_triplet_matrix" else "", sub("%s", name, instead, fixed = TRUE))
  }
  if (!is.double(m)) storage.mode(m) <- "double"
  list(data = m, dim = dim(m), dimnames = dimnames(m), name = name)
}

# of_integer64 returns numbers of class integer64 as doubles, also in a data frame: package bit64 keeps the bits
# of whole numbers in doubles. Everything else stays.
of_integer64 <- function(x) {
  if (is.data.frame(x)) x[] <- lapply(x, of_integer64)
  if (!inherits(x, "integer64")) return(x)
  halves <- matrix(readBin(writeBin(as.vector(unclass(x)), raw(), endian = "little"), "integer", 2 * length(x), endian = "little"), 2)
  unset <- is.na(halves) # the half -2^31
  halves[unset] <- -2^31
  y <- halves[2, ] * 2^32 + halves[1, ] %% 2^32
  y[unset[2, ] & halves[1, ] == 0] <- NA
  attributes(y) <- attributes(x)[c("dim", "dimnames", "names")]
  y
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

# of_slots returns the rows of a sparse matrix of package Matrix. It refuses one whose slots, which anyone
# may have set, do not agree: the library reads where they say.
of_slots <- function(m, name) {
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
  if (by_columns) by_rows(places, rep(seq_len(lines) - 1L, diff(m@p)), m@x, m@Dim) else list(p = m@p, j = places, x = m@x, dim = m@Dim)
}

# by_rows returns the compressed rows of a matrix with the entries x at rows i and columns j, from 0.
by_rows <- function(i, j, x, dim) {
  order <- order(i, j)
  list(p = c(0L, cumsum(tabulate(i + 1L, dim[1]))), j = j[order], x = x[order], dim = dim)
}

# of_triplets does the same for a matrix of package slam, such as a DocumentTermMatrix of tm.
of_triplets <- function(m, name) {
  dim <- as.integer(c(m$nrow, m$ncol))
  places <- function(at, most) is.numeric(at) && length(at) == length(m$v) && isTRUE(all(at >= 1 & at <= most))
  if (length(dim) != 2 || anyNA(dim) || !places(m$i, dim[1]) || !places(m$j, dim[2]) || !(is.numeric(m$v) || is.logical(m$v))) {
    refuse("nmu_shape_error", "the parts of %s, a %s, do not agree: %s rows, %s columns, %.0f and %.0f indices and %.0f values",
      name, class(m)[1], shown(m$nrow), shown(m$ncol), length(m$i), length(m$j), length(m$v))
  }
  by_rows(as.integer(m$i) - 1L, as.integer(m$j) - 1L, as.double(m$v), dim)
}

# takes returns a function with an argument for each setting of a call, by default NULL.
takes <- function(call, f) {
  names <- setdiff(names(setting_types[[call]]), names(formals(f)))
  formals(f) <- c(formals(f), setNames(rep(list(NULL), length(names)), names))
  f
}

# request returns what the library reads of a call: m and its names, and a list of options. env holds
# the arguments of the function, which are its method and settings, and options those of the method. NULL
# and 0 leave a setting to the library.
request <- function(call, m, env, options = list(), method = if (exists("method", env, inherits = FALSE)) string(env$method, "method"), name = "m", ...) {
  types <- setting_types[[call]]
  if (inherits(m, "formula")) {
    if (length(m) != 2) refuse("nmu_shape_error", "%s is %s; write a formula of one side, such as ~ a + b", name, shown(m))
    m <- model.frame(m, env$data, na.action = na.pass)
    m <- m[rowSums(attr(attr(m, "terms"), "factors")) > 0] # without those that it takes away
  }
  path <- is.character(m) && is.null(dim(m))
  m <- if (path) string(m, name) else as_input(m, name, sparse = TRUE)
  known_names(options, method, setdiff(ls(env), "..."))
  values <- c(mget(intersect(names(types), ls(env)), envir = env), list(...))
  left <- function(name, x = values[[name]]) is.null(x) || is.null(dim(x)) && name != "missing_value" && (identical(x, 0) || identical(x, 0L) || identical(x, FALSE))
  values <- values[!vapply(names(values), left, NA)]
  if (path) m <- c(in_file(m, values, types), name = name)
  matrices <- list()
  for (k in intersect(names(values), names(types)[types == "matrix"])) {
    if (is.character(values[[k]]) && is.null(dim(values[[k]]))) next # a path
    x <- if (startsWith(k, "skip_")) as_input(as.matrix(of_integer64(values[[k]])), k)$data else aligned(values[[k]], k, m, rows = k != "fix_w", cols = k != "fix_v")
    values[[k]] <- NULL
    if (k == "mask") {
      if (anyNA(x)) refuse("nmu_option_error", "mask has NA; choose TRUE where %s is observed, else FALSE", name)
      x <- array(as.raw(x != 0), dim(x))
    }
    matrices[[gsub("_", "-", k)]] <- x
  }
  if (!is.null(env$progress) && !is.function(env$progress)) {
    refuse("nmu_option_error", "progress is %s; choose a function of one argument", shown(env$progress))
  }
  if (path) values$input <- m$file
  m$values <- values
  m$options <- list(
    method = method, method_options = as_text(options, option_types[[method]]), settings = as_text(values, types),
    matrices = matrices, dim = m$dim, progress = env$progress
  )
  m
}

# in_file returns the path of a matrix in a file, its size and the names of its rows and columns.
in_file <- function(path, values, types) {
  found <- ask("inspect", settings = as_text(c(list(input = path), values[names(values) %in% names(setting_types$inspect)]), types))
  names <- list(texts_of(found$rows, found$size[1]), texts_of(found$cols, found$size[2]))
  list(file = path, dim = as.integer(found$size), dimnames = if (length(unlist(names)) > 0) names)
}

# known_names refuses options that neither the method nor another one has, and says what they may be
# a misspelling of, or the word of another program for.
known_names <- function(options, method, arguments) {
  if (sum(nzchar(names(options))) < length(options)) refuse("nmu_option_error", "an argument has no name; write name = value")
  known <- if (!is.null(method)) unlist(lapply(option_types, names))
  for (name in setdiff(gsub("-", "_", names(options)), known)) {
    all <- unique(c(if (!is.null(method)) names(option_types[[method]]), arguments, known))
    far <- adist(name, all, ignore.case = TRUE)
    other <- intersect(names(Filter(function(words) tolower(name) %in% words, foreign)), all)
    hint <- if (length(other) > 0) sprintf("did you mean %s?", other[1]) else if (min(far) <= nchar(name) / 3) sprintf("did you mean %s?", all[which.min(far)]) else "leave it out"
    refuse("nmu_option_error", "%s is no argument%s; %s", name, if (is.null(method)) "" else paste(" with method", method), hint)
  }
}

# whole returns a whole number.
whole <- function(x, name, least = 0, most = 2^53) {
  if (!is.numeric(x) || length(x) != 1 || !isTRUE(x == round(x)) || x < least || x > most) {
    refuse("nmu_option_error", "%s is %s; choose a whole number from %.0f to %.0f", name, shown(x), least, most)
  }
  as.double(x)
}

string <- function(x, name) {
  if (is.character(x) && length(x) == 1 && !is.na(x)) return(x)
  refuse("nmu_option_error", "%s is %s; choose one string", name, shown(x))
}

shown <- function(x) paste(deparse(x, nlines = 1L), collapse = "")

# as_text writes named values as the library reads and checks them, without those that are NULL. Their types
# say how more than one is written. A comma in a value is written twice.
as_text <- function(values, types) {
  values <- Filter(Negate(is.null), values)
  write <- function(name) {
    x <- of_integer64(values[[name]])
    if (!is.atomic(x) || length(x) == 0 || anyNA(x)) refuse("nmu_option_error", "%s is %s; choose a value, or leave it out", name, shown(x))
    text <- if (is.numeric(x)) sprintf("%.17g", x) else if (is.logical(x)) tolower(x) else path.expand(as.character(x))
    text <- paste(text, collapse = if (isTRUE(types[gsub("-", "_", name)] == "size")) "x" else ",")
    paste0(gsub("_", "-", name), "=", gsub(",", ",,", text, fixed = TRUE))
  }
  if (length(values) == 0) NULL else paste(vapply(names(values), write, ""), collapse = ",")
}

# ask calls a function of the library with arguments, and those in a list of options.
ask <- function(name, ..., options = list()) .Call(C_call, name, c(list(...), options, list(report = report)))

# report signals the condition of an error of the library, or its warning. Rows and columns count from 1.
report <- function(e) {
  e$message <- in_r(e$message)
  if (e$code >= 0) return(warning(e$message, call. = FALSE))
  class <- switch(as.character(e$code), "-1" = "nmu_shape_error", "-2" = "nmu_option_error", "-3" = "nmu_value_error", "-5" = "nmu_fork_error")
  refuse(class, "%s", e$message, more = if (e$code == -3) list(matrix = e$matrix, row = ifelse(e$row < 0, NA, e$row + 1), col = ifelse(e$col < 0, NA, e$col + 1), value = e$value))
}

# in_r returns a message with the settings and options in it named as arguments, unless they are within the path of a file.
in_r <- function(message) {
  for (name in grep("_", unique(unlist(lapply(c(setting_types, option_types), names))), value = TRUE)) {
    message <- gsub(sprintf("(?<![\\w/.-])%s(?!\\.?[\\w/-])", gsub("_", "-", name)), name, message, perl = TRUE)
  }
  message
}

# refuse signals an error of a class, with further elements.
refuse <- function(class, format, ..., more = NULL) {
  stop(structure(class = c(class, "nmu_error", "error", "condition"), c(list(message = sprintf(format, ...), call = NULL), more)))
}
