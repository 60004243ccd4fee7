# Computations that would take hours end by an interrupt, an error in progress, and the
# time limit.
library(nmu)
m <- matrix((1:90000 * 7919) %% 1013, 300)
long <- function(...) factorize(m, 20, "nmf", iterations = 1e8, restarts = 1, ...)

# The state of the work, as it goes on.
seen <- list()
x <- long(time_limit = 1, progress = function(state) seen[[length(seen) + 1]] <<- state)
stopifnot(x$stop == "time limit", length(seen) > 1, x$iterations > 0)
stopifnot(seen[[1]]$iterations == 1e8, seen[[1]]$rank == 20, !is.unsorted(vapply(seen, `[[`, 0, "iteration")))

# An error of the function ends the computation, and is the caller's.
e <- tryCatch(long(progress = function(state) stop("enough at ", state$rank)), error = conditionMessage)
stopifnot(e == "enough at 20")

# So does an interrupt.
system(paste("sleep 1; kill -INT", Sys.getpid()), wait = FALSE)
x <- tryCatch(long(), interrupt = function(e) "interrupted")
stopifnot(identical(x, "interrupted"))

# Nothing is left behind: not a thread at work, not an open file.
files <- function() length(list.files("/proc/self/fd"))
before <- files()
for (k in 1:200) factorize(m[1:5, 1:4], 2, iterations = 1, restarts = 1)
for (k in 1:20) tryCatch(long(progress = function(state) stop("enough")), error = identity)
stopifnot(files() == before)
used <- function() sum(proc.time()[1:2])
begun <- used()
Sys.sleep(1)
stopifnot(used() - begun < 0.5)
