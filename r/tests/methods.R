# What R's generic functions say of a factorization.
library(nmu)
m <- outer(1:12, 1:9, function(i, j) (i * j * j) %% 7)
dimnames(m) <- list(paste0("r", 1:12), paste0("c", 1:9))
x <- factorize(m, 3, "rnmu", restarts = 1, record = TRUE)
stopifnot(identical(basis(x), x$V), identical(coef(x), x$W), identical(coef(x, "basis"), x$V), identical(coef(x, type = "weights"), x$W))
stopifnot(identical(residuals(x, m), m - fitted(x)))
mixed <- m[12:1, c(2, 1, 3:9)]
stopifnot(identical(suppressMessages(residuals(x, mixed)), mixed - fitted(x)[rownames(mixed), colnames(mixed)]))
gaps <- m
gaps[2, 3] <- NA
stopifnot(identical(is.na(residuals(x, gaps)), is.na(gaps)))
triplets <- structure(class = "simple_triplet_matrix", list(i = row(m)[m > 0], j = col(m)[m > 0], v = m[m > 0], nrow = 12L, ncol = 9L, dimnames = dimnames(m)))
stopifnot(all.equal(residuals(x, triplets), residuals(x, m), tolerance = 1e-12))
for (call in expression(residuals(x), residuals(x, m[1:3, ]), residuals(x, t(m)))) {
  e <- tryCatch({ eval(call); NULL }, nmu_shape_error = conditionMessage)
  stopifnot(is.character(e))
}

s <- summary(x)
stopifnot(inherits(s, "summary.nmu"), all.equal(s$factors$norm[2], norm(x$V[, 2, drop = FALSE] %*% x$W[2, , drop = FALSE], "F")))
one <- measures(m, list(V = x$V[, 2, drop = FALSE], W = x$W[2, , drop = FALSE]))
stopifnot(all.equal(unlist(s$factors[2, -1]), one[names(s$factors)[-1]]))
said <- capture.output(print(s))
stopifnot(any(grepl("relative error", said)), any(grepl("basis_hoyer", said)), length(said) >= 9)
stopifnot(any(grepl("majorize", capture.output(print(summary(factorize(m, 2, "nmf", restarts = 1, mask = m != 3)))))))

# Plots of the error.
e <- nmu:::errors_of(x, "rank")
stopifnot(identical(e$x, c(1, 2, 3)), abs(e$y[3] - x$relative_error) < 1e-12, abs(e$y[1] - norm(m - x$V[, 1] %o% x$W[1, ], "F") / norm(m, "F")) < 1e-9)
e <- nmu:::errors_of(x, "iterations")
stopifnot(length(e$x) == sum(lengths(x$history)), max(e$x) == x$iterations_done, e$x[1:2] == c(10, 20), identical(e$y, unlist(x$history)))
e <- nmu:::errors_of(factorize(m, 2, "nmf", restarts = 1, record = TRUE, check_every = 7, iterations = 50), "iterations")
stopifnot(e$x == 7 * (1:7))
grDevices::pdf(NULL)
none <- suppressWarnings(factorize(m, 2, "kl", fix_v = rbind(0, matrix(1, 11, 2)), record = TRUE))
stopifnot(none$relative_divergence == Inf, none$blocks$relative_divergence == Inf, unlist(none$history) == Inf, grepl("infinite", none$notes))
stopifnot(predict(none, m, details = TRUE)$relative_divergence == Inf, any(grepl("the divergence is infinite", capture.output(print(none)))))
plot(none, which = "iterations")
for (y in list(x, none, factorize(m, 2, "kl", restarts = 1, tolerance = 1e-3), factorize(m, 2, "rnmu", norm = "l1", restarts = 1))) plot(y, which = "rank")
plot(x, which = "iterations", main = "a title", ylim = c(0.1, 1), log = "y")
plot(x, which = "basis")
e <- tryCatch(plot(factorize(m, 2, restarts = 1, iterations = 20), which = "iterations"), nmu_option_error = conditionMessage)
stopifnot(grepl("record = TRUE", e))

# Exact names, and the words of other packages for the parts of a result.
stopifnot(is.null(x$hist), is.null(x$blo), identical(x$W, x[["W"]]))
for (word in c("w", "h", "H")) {
  e <- tryCatch(eval(parse(text = paste0("x$", word))), nmu_option_error = conditionMessage)
  stopifnot(e == sprintf("a result has no %s; write x$%s", word, if (word == "w") "V" else "W"))
}

# Every entry in long form.
d <- as.data.frame(x)
stopifnot(nrow(d) == length(x$V) + length(x$W), identical(names(d), c("factor", "name", "part", "value")))
stopifnot(d$value[d$factor == "W" & d$name == "c4" & d$part == 2] == x$W[2, "c4"], d$value[d$factor == "V" & d$name == "r5" & d$part == 3] == x$V["r5", 3])
stopifnot(identical(as.data.frame(factorize(unname(m), 2))$name[c(1, 12, 25, 33)], c("1", "12", "1", "9")))

# Plots of V and W: bars, curves over numbers, images.
drawn <- function(...) { # the types of its plots
  types <- character()
  trace <- nmu:::draw
  assignInNamespace("draw", function(f, own, ...) { types <<- c(types, own$type); trace(f, own, ...) }, "nmu")
  on.exit(assignInNamespace("draw", trace, "nmu"))
  plot(...)
  types
}
stopifnot(identical(drawn(x), rep("h", 3)), identical(drawn(x, which = "weights"), rep("h", 3)), length(drawn(x, size = c(3, 4))) == 0)
spectra <- m
rownames(spectra) <- 400 + 10 * 1:12
stopifnot(identical(drawn(factorize(spectra, 2)), rep("l", 2)))

# The data of the paper.
stopifnot(identical(dim(swimmer), c(220L, 256L)), substr(nmu_sha256(swimmer), 1, 16) == "6b70673b35f9feeb", citation("nmu")$doi == "10.1016/j.patcog.2009.11.013")
