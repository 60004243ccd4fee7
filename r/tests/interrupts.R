# Computations that would take hours end by an error of the progress function, the time
# limit, and an interrupt.
library(nmu)
m <- matrix((1:90000 * 7919) %% 1013, 300)
long <- function(...) factorize(m, 20, "nmf", iterations = 1e8, restarts = 1, ...)

# The state of the work, as it goes on. An error of the function ends the computation,
# and is the caller's.
seen <- list()
e <- tryCatch(long(progress = function(state) {
  seen[[length(seen) + 1]] <<- state
  if (length(seen) == 3) stop("enough at ", state$rank)
}), error = conditionMessage)
stopifnot(e == "enough at 20", seen[[1]]$iterations == 1e8, seen[[1]]$rank == 20)
stopifnot(!is.unsorted(vapply(seen, `[[`, 0, "iteration")), seen[[3]]$iteration > 0)

# A time limit returns what was found.
x <- long(time_limit = 1)
stopifnot(x$stop == "time limit", x$relative_error < 1, all(dim(x$V) == c(300, 20)))

# An interrupt is one for R.
interrupt <- function(state) tools::pskill(Sys.getpid(), tools::SIGINT)
x <- tryCatch(long(progress = interrupt), interrupt = function(e) "interrupted")
stopifnot(identical(x, "interrupted"))
for (call in expression(
  long(progress = interrupt), improve(m, list(V = m[, 1:20], W = m[1:20, ]), iterations = 1e8, progress = interrupt),
  nmu_rank(m, 2:20, restarts = 1000, progress = interrupt), nmu_consensus(m, 2:20, runs = 1000, progress = interrupt)
)) stopifnot(identical(tryCatch(eval(call), interrupt = function(e) "interrupted"), "interrupted"))

# Nothing is left behind: not a thread at work, not an open file.
files <- function() length(list.files("/proc/self/fd"))
rounds <- function() {
  for (k in 1:200) factorize(m[1:5, 1:4], 2, iterations = 1, restarts = 1)
  for (k in 1:20) tryCatch(long(progress = function(state) stop("enough")), error = identity)
  files()
}
before <- rounds() # the Go runtime opens files of its own, once
stopifnot(rounds() <= before)
used <- function() sum(proc.time()[1:2])
begun <- used()
Sys.sleep(1)
stopifnot(used() - begun < 0.5)
