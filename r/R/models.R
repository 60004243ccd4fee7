nmu_save <- function(x, path) {
  if (!inherits(x, c("nmu", "nmu_model"))) refuse("nmu_option_error", "x is %s; choose a result of factorize, or a model of nmu_load", shown(class(x)[1]))
  names <- rownames(x$V)
  if (!is.null(names)) names <- if (!counts(names)) unlist(lapply(enc2utf8(names), function(name) c(charToRaw(name), as.raw(0))))
  by <- lapply(method_of(x), enc2utf8)
  ask("save", path = file_of(path), v = as_input(x$V, "x$V")$data, method = by[[1]], method_options = by[[2]], topics = isTRUE(x$topics), names = names)
  invisible(x)
}

nmu_load <- function(path) {
  found <- ask("load", path = file_of(path))
  rownames(found$V) <- texts_of(found$names, nrow(found$V))
  structure(c(found["V"], found$about), class = "nmu_model")
}

# texts_of returns n texts, each of which has a zero byte behind it, or NULL if there are none.
texts_of <- function(raw, n) {
  if (length(raw) == 0) return(NULL)
  texts <- readBin(raw, "character", n)
  Encoding(texts) <- "UTF-8"
  texts
}

# file_of returns the path of a file as the library reads it.
file_of <- function(path) enc2utf8(path.expand(string(path, "path")))

nmu_update <- function(object, newdata, iterations = NULL, tolerance = NULL, threads = NULL) {
  if (!inherits(object, c("nmu", "nmu_model"))) {
    refuse("nmu_option_error", "object is %s; choose a result of factorize, or one of nmu_update", shown(class(object)[1]))
  }
  plain <- setdiff(strsplit(method_of(object)[[2]], ",")[[1]], "")
  plain <- plain[!startsWith(plain, "solver=") & !startsWith(plain, "sweeps=")]
  if (method_of(object)[[1]] != "nmf" || length(plain) > 0) {
    refuse("nmu_option_error", "object was found by %s; nmu_update has steps for the squared error of nmf alone",
      paste(c(object$method, plain), collapse = ", "))
  }
  settings <- list2env(setNames(rep(list(NULL), length(setting_types$transform)), names(setting_types$transform)))
  settings$iterations <- iterations
  settings$tolerance <- tolerance
  settings$threads <- threads
  m <- request("transform", newdata, settings, name = "newdata")
  rank <- ncol(object$V)
  if (m$dim[1] != nrow(object$V)) {
    refuse("nmu_shape_error", "newdata has %d rows and object$V has %d; they must be the same", m$dim[1], nrow(object$V))
  }
  rows <- m$dimnames[[1]]
  v <- aligned(as_input(object$V, "object$V"), "object$V", "newdata", rows = rows)
  mw <- if (is.null(object$MW)) matrix(0, nrow(v), rank) else suppressMessages(aligned(as_input(object$MW, "object$MW"), "object$MW", "newdata", rows = rows))
  ww <- if (is.null(object$WW)) matrix(0, rank, rank) else as_input(object$WW, "object$WW")$data
  found <- ask("update", v = v, ww = ww, mw = mw, m = m$data, options = m$options)
  if (!is.null(rows)) rownames(found$V) <- rownames(found$MW) <- rows
  colnames(found$W) <- m$dimnames[[2]]
  structure(c(found[c("V", "WW", "MW", "W")], list(method = "nmf", method_options = "", topics = FALSE), found$result), class = "nmu_model")
}

# method_of returns the method of a result or a model as the library knows it, and its options.
method_of <- function(x) list(if (x$method == "improve") "nmf" else x$method, x$method_options)

print.nmu_model <- function(x, ...) {
  cat(sprintf("a model of %d rows in %d factors by %s, %s\n", nrow(x$V), ncol(x$V), x$method,
    if (is.null(rownames(x$V))) "whose rows have no names" else "whose rows have names"))
  invisible(x)
}
