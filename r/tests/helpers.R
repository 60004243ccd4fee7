# What the tests share.
library(nmu)

# same says whether two results have the same bits and names.
same <- function(x, y) identical(x$V, y$V) && identical(x$W, y$W)

# caught returns the error of a call, which is of a class and says a text.
caught <- function(expr, text = "", class = "nmu_error") {
  e <- tryCatch({ expr; NULL }, nmu_error = identity)
  if (!inherits(e, class) || !grepl(text, conditionMessage(e), fixed = TRUE)) stop("no ", class, " with ", text, " but ", class(e)[1], ": ", e$message)
  e
}

# told returns what a call gives, and the messages and warnings that it says.
told <- function(expr) {
  said <- character()
  note <- function(restart) function(e) {
    said <<- c(said, conditionMessage(e))
    invokeRestart(restart)
  }
  value <- withCallingHandlers(expr, message = note("muffleMessage"), warning = note("muffleWarning"))
  list(value = value, said = said)
}

# sparse_classes defines the classes of sparse matrices, without package Matrix.
sparse_classes <- function() {
  if (methods::isClass("dgCMatrix")) return()
  for (k in c("i", "j")) {
    slots <- setNames(list("integer", "integer", "numeric", "integer", "list"), c(k, "p", "x", "Dim", "Dimnames"))
    methods::setClass(if (k == "i") "dgCMatrix" else "dgRMatrix", do.call(methods::representation, slots), where = globalenv())
  }
}
