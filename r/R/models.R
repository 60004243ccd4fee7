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

# method_of returns the method of a result or a model as the library knows it, and its options.
method_of <- function(x) list(if (x$method == "improve") "nmf" else x$method, x$method_options)

print.nmu_model <- function(x, ...) {
  cat(sprintf("a model of %d rows in %d factors by %s, %s\n", nrow(x$V), ncol(x$V), x$method,
    if (is.null(rownames(x$V))) "whose rows have no names" else "whose rows have names"))
  invisible(x)
}
