# NMF with RcppML, which solves for a whole factor in each iteration, on one job of bench/peers.py.
quit_with <- function(text) { cat(text, "\n", sep = ""); quit("no") }
if (!requireNamespace("RcppML", quietly = TRUE)) quit_with('{"missing": "RcppML"}')
text <- paste(readLines(commandArgs(TRUE)[1], warn = FALSE), collapse = "")
field <- function(name) sub(paste0('.*"', name, '": *"?([^",}]*)"?.*'), "\\1", text)
number <- function(name) as.integer(field(name))
if (field("method") != "nmf") quit_with('{"missing": "this method"}')
matrix_of <- function(name, rows, cols) matrix(readBin(field(name), "double", rows * cols, endian = "little"), rows, cols, byrow = TRUE)
M <- matrix_of("m", number("rows"), number("cols"))
V <- matrix_of("v", number("rows"), number("rank"))
options(RcppML.threads = number("threads"), RcppML.verbose = FALSE)
began <- proc.time()[["elapsed"]]
res <- tryCatch(RcppML::nmf(M, number("rank"), tol = 0, maxit = number("iterations"), seed = V),
  error = function(e) quit_with('{"missing": "a RcppML that takes a start"}'))
seconds <- proc.time()[["elapsed"]] - began
part <- function(name) if (isS4(res)) methods::slot(res, name) else res[[name]]
error <- norm(M - part("w") %*% (part("d") * part("h")), "F") / norm(M, "F")
quit_with(sprintf('{"program": "RcppML", "version": "%s", "seconds": %.6g, "relative_error": %.17g}',
  utils::packageVersion("RcppML"), seconds, error))
