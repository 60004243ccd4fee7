nmu_save <- function(x, path) {
  if (!inherits(x, c("nmu", "nmu_model"))) refuse("nmu_option_error", "x is %s; choose a result of factorize, or a model of nmu_load", shown(class(x)[1]))
  names <- rownames(x$V)
  if (!is.null(names) && counts(names)) names <- NULL
  text <- vapply(method_of(x), enc2utf8, "")
  checked(.Call(C_save, file_of(path), as_input(x$V, "x$V")$data, text, isTRUE(x$topics), if (!is.null(names)) enc2utf8(names)))
  invisible(x)
}

nmu_load <- function(path) {
  found <- checked(.Call(C_load, file_of(path)))
  rownames(found$V) <- found$names
  structure(c(found["V"], found$about), class = "nmu_model")
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
