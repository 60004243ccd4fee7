nmu_save <- function(x, path) {
  by <- method_of(x, "x")
  names <- rownames(x$V)
  if (!is.null(names)) names <- if (!counts(names)) unlist(lapply(enc2utf8(names), function(name) c(charToRaw(name), as.raw(0))))
  ask("save", path = path.expand(string(path, "path")), v = as_input(x$V, "x$V")$data, method = by[[1]], method_options = by[[2]], topics = isTRUE(x$topics), names = names)
  invisible(x)
}

nmu_load <- function(path, max_memory = NULL) {
  most <- if (is.null(max_memory)) 0 else whole(max_memory, "max_memory", 1)
  found <- ask("load", path = path.expand(string(path, "path")), max_memory = most)
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

nmu_update <- function(object, newdata, iterations = NULL, tolerance = NULL, threads = NULL) {
  m <- new_columns(object, newdata, environment(), by = method_of(object, "object"))
  sums <- function(name) if (!is.null(object[[name]])) suppressMessages(aligned(object[[name]], paste0("object$", name), m, name == "MW", FALSE))
  found <- ask("update", v = m$v, ww = sums("WW"), mw = sums("MW"), m = m$data, options = m$options)
  if (!is.null(m$dimnames[[1]])) rownames(found$V) <- rownames(found$MW) <- m$dimnames[[1]]
  colnames(found$W) <- m$dimnames[[2]]
  structure(c(found[c("V", "WW", "MW", "W")], list(method = "nmf", method_options = "", topics = FALSE), found$result), class = "nmu_model")
}

# method_of returns the method of a result or a model as the library knows it, and its options.
method_of <- function(x, name) {
  if (inherits(x, c("nmu", "nmu_model"))) return(list(if (x$method == "improve") "nmf" else x$method, x$method_options))
  refuse("nmu_option_error", "%s is %s; choose a result of factorize or nmu_update, or a model of nmu_load", name, shown(class(x)[1]))
}

print.nmu_model <- function(x, ...) {
  cat(sprintf("a model of %d rows in %d factors by %s, %s\n", nrow(x$V), ncol(x$V), x$method,
    if (is.null(rownames(x$V))) "whose rows have no names" else "whose rows have names"))
  invisible(x)
}
