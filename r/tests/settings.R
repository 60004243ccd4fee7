# What the library can be told reaches it from R: files, fixed factors, runs that go on.
source("helpers.R")
same <- function(x, y) identical(unname(x$V), unname(y$V)) && identical(unname(x$W), unname(y$W))
m <- outer(1:12, 1:9, function(i, j) (i * j * j) %% 7)
dimnames(m) <- list(paste0("r", 1:12), paste0("c", 1:9))

# A matrix, a mask, weights and fixed factors in files.
folder <- tempfile()
dir.create(folder)
written <- function(x, name) {
  path <- file.path(folder, name)
  utils::write.table(unname(x), path, sep = ",", row.names = FALSE, col.names = FALSE, na = "")
  path
}
file <- written(m, "a, comma.csv")
x <- factorize(m, 3, "nmf", seed = 1, restarts = 2)
stopifnot(same(x, factorize(file, 3, "nmf", seed = 1, restarts = 2)))
stopifnot(same(factorize(t(m), 2), factorize(file, 2, transpose = TRUE)))
stopifnot(identical(unname(predict(x, m)), predict(x, file)), same(improve(m, x), improve(file, x)))
stopifnot(identical(biclique(written((m > 3) + 0, "graph.csv"))$edges, biclique(m > 3)$edges))
seen <- m != 3
weight <- 1 + m %% 3
stopifnot(same(factorize(m, 2, "nmf", mask = seen), factorize(file, 2, "nmf", mask = written(seen + 0, "mask.csv"))))
stopifnot(same(factorize(m, 2, "nmf", weights = weight), factorize(m, 2, "nmf", weights = written(weight, "weights.csv"))))
gaps <- m
gaps[!seen] <- NA
y <- told(factorize(written(gaps, "gaps.csv"), 2, "nmf", missing = "allow"))
stopifnot(same(factorize(gaps, 2, "nmf", missing = "allow"), y$value), grepl("13 numbers are missing", y$said))
named <- file.path(folder, "named.csv")
utils::write.csv(m, named)
stopifnot(same(factorize(named, 2, header = "yes", row_labels = "yes"), factorize(m, 2)))
caught(factorize(named, 2, header = "no"), "named.csv", "nmu_error")
caught(factorize(file.path(folder, "none.csv"), 2), "none.csv", "nmu_option_error")
caught(factorize(m, 2, var = "a"), "M is in memory", "nmu_option_error")

# Columns of V, rows of W, and an offset for each row stay as they are.
v <- matrix(c(1, 2, 3, 4), 12, 2, dimnames = list(rownames(m)[12:1], NULL))
y <- suppressMessages(factorize(m, 4, "nmf", fix_v = v, restarts = 1))
stopifnot(all(abs(y$V[, 1:2] - v[rownames(m), ]) < 1e-12))
y <- factorize(m, 3, "nmf", fix_w = written(m[2, , drop = FALSE], "row.csv"), baseline = TRUE, restarts = 1)
stopifnot(apply(y$W, 1, function(w) max(abs(w - m[2, ])) < 1e-12 || all(w == 1))[1:2])
caught(factorize(m, 4, "snmf", penalty_v = 1, penalty_w = 1, fix_v = v), "snmf", "nmu_error")

# A recursion goes on, with the bits of one run.
all <- factorize(m, 5, "rnmu", init = "nested", seed = 3, restarts = 1, record = TRUE)
some <- factorize(m, 2, "rnmu", init = "nested", seed = 3, restarts = 1, record = TRUE)
y <- factorize(m, 5, "rnmu", init = "nested", seed = 3, restarts = 1, record = TRUE, continue = some)
stopifnot(same(y, all), identical(y$blocks, all$blocks), identical(y$history, all$history))
caught(factorize(m, 1, "rnmu", continue = some), "continue is", "nmu_option_error")
caught(factorize(m, 5, "rnmu", continue = list(1)), "continue is \"list\"", "nmu_option_error")

# A run that a time limit ends goes on from its checkpoint.
state <- file.path(folder, "state")
large <- matrix((1:40000 * 7919) %% 1013, 200)
run <- function(...) factorize(large, 5, "nmf", seed = 1, restarts = 1, iterations = 20000, threads = 1, ...)
y <- run(checkpoint = state, time_limit = 0.05)
stopifnot(y$stop == "time limit", file.exists(state))
stopifnot(same(run(checkpoint = state, resume = state), run()), !file.exists(state))
caught(run(checkpoint_every = 5), "checkpoint says where", "nmu_option_error")

# The fields of a result.
y <- factorize(m, 3, "gnmu", iterations = 40, restarts = 1, record = TRUE, check_every = 5)
over <- pmax(fitted(y) - m, 0)
stopifnot(abs(y$relative_violation - norm(over, "F") / norm(m, "F")) < 1e-12, abs(y$max_violation - max(over)) < 1e-12)
stopifnot(length(y$history) == 1, length(y$history[[1]]) == 8, abs(y$history[[1]][8] - y$relative_error) < 1e-9)
stopifnot(y$best_restart == 1, y$restarts_begun == 1, y$restarts_finished == 1, y$level == nmu_info()$level, y$missing_solver == "")
stopifnot(factorize(m, 2, "nmf", mask = seen)$missing_solver == "majorize", y$largest_entry == 6)
y <- factorize(m, 3, "rnmu", restarts = 1)
stopifnot(lengths(y$history) == 0, length(y$history) == 3, identical(y$blocks$lowered, rep(FALSE, 3)), nchar(y$blocks$stop) > 0)
y <- factorize(m, 1, "kl", restarts = 1, record = TRUE, iterations = 50)
stopifnot(abs(y$history[[1]][length(y$history[[1]])] - y$relative_divergence) < 1e-5, y$blocks$relative_divergence == y$relative_divergence)
w <- predict(x, m, details = TRUE, iterations = 7)
stopifnot(identical(w$W, predict(x, m, iterations = 7)), w$iterations_done == 7, w$stop == "iterations", w$kkt > 0, w$finished == 9)
stopifnot(abs(w$relative_error - norm(m - x$V %*% w$W, "F") / norm(m, "F")) < 1e-12)
stopifnot(!identical(predict(x, m, init = x$W, iterations = 1), predict(x, m, iterations = 1)), identical(predict(x), x$W))

# Values of other types, and options of a method.
stopifnot(same(factorize(m, 2, "rnmu", smooth_v = 1, shape_v = c(4, 3)), factorize(m, 2, "rnmu", smooth_v = 1, shape_v = "4x3")))
stopifnot(same(factorize(m, 2, "rnmu", norm = NULL, iterations = 30L), factorize(m, 2, "rnmu", iterations = 30)))
stopifnot(same(factorize(m, 2, "snmf", penalty_v = 1e-5, penalty_w = 1 / 3), factorize(m, 2, "snmf", "penalty-v" = 0.00001, penalty_w = 1 / 3)))
caught(factorize(m, 2, record = 1), "record=1: choose true or false", "nmu_option_error")

caught(factorize(m, 2, "rnmu", solver = "admm", rho = 0), "rho=0", "nmu_option_error")
stopifnot(same(factorize(m, 2, record = FALSE, time_limit = 0, tolerance = 0L), factorize(m, 2)))

# A misspelling.
caught(factorize(m, 2, iteration = 5), "iteration is no argument with method nmf; did you mean iterations?", "nmu_option_error")
caught(factorize(m, 2, "gnmu", feasable = "each"), "did you mean feasible?", "nmu_option_error")
caught(factorize(m, 2, target.error = 0.1), "did you mean target_error?", "nmu_option_error")
caught(factorize(m, 2, xyz = 1), "xyz is no argument with method nmf; leave it out", "nmu_option_error")
caught(factorize(m, 2, "nmf", feasible = "each"), "method nmf has no option", "nmu_option_error")
caught(factorize(m, 2, max_iter = 3), "max_iter is no argument with method nmf; did you mean iterations?", "nmu_option_error")
caught(factorize(m, 2, nrun = 3), "did you mean restarts?", "nmu_option_error")
caught(predict(x, m, feasibel = TRUE), "did you mean feasible?", "nmu_option_error")
caught(biclique(m > 3, start = 5), "did you mean starts?", "nmu_option_error")
caught(improve(m, x, iteration = 5), "did you mean iterations?", "nmu_option_error")

# What a result notes is a warning.
noted <- function(expression) {
  x <- told(expression)
  stopifnot(identical(x$value$notes, x$said))
  x$said
}
stopifnot(grepl("^the penalty would have left nothing of 2 factors, and was lowered there", noted(factorize(m, 2, "rnmu", threshold_v = 1, threshold_w = 1))))
stopifnot(grepl("^the penalties have left nothing of V and W; choose smaller ones, for example", noted(factorize(m, 2, "snmf", penalty_v = 1e6, penalty_w = 1e6))))
wide <- matrix(c(1e4, rep(1, length(m) - 1)), nrow(m))
stopifnot(any(grepl("missing solver majorize may stop far from the minimum", noted(factorize(m, 2, "nmf", weights = wide, missing_solver = "majorize")))))
stopifnot(length(noted(factorize(m, 2, "nmf", weights = wide))) == 0, length(noted(factorize(m, 2, "snmf", penalty_v = 1e-6, penalty_w = 1e-6))) == 0)
small <- list("snmf", penalty_v = 1e-6, penalty_w = 1e-6, iterations = 1000)
survey <- function(...) nmu_rank(m, 2:3, ..., folds = 2)
stable <- function(...) nmu_consensus(m, 2:3, ..., runs = 2)
for (compare in list(survey, stable)) {
  left <- noted(compare("snmf", penalty_v = 1e6, penalty_w = 1e6, iterations = 5))
  stopifnot(length(left) >= 1, grepl("^the penalties have left nothing of V and W; choose smaller ones", left), !is.unsorted(left), !anyDuplicated(left))
}
stopifnot(length(noted(do.call(survey, small))) == 0, !any(grepl("penalties", noted(do.call(stable, small)))))
