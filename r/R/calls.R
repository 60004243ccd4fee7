# What the library can be told; go test ./internal/options -run TestR$ -update writes this file.
setting_types <- list(
  factor = c(seed = "whole number", iterations = "whole number", restarts = "whole number", threads = "whole number", tolerance = "number", check_every = "whole number", target_error = "number", time_limit = "seconds", record = "yes or no", missing = "word", sparse_missing = "yes or no", mask = "matrix", weights = "matrix", missing_solver = "word", fix_v = "matrix", fix_w = "matrix", baseline = "yes or no", checkpoint = "file", checkpoint_every = "seconds", resume = "file", var = "name", transpose = "yes or no", dense = "yes or no", header = "word", row_labels = "word", scratch = "file"),
  improve = c(iterations = "whole number", threads = "whole number", tolerance = "number", check_every = "whole number", target_error = "number", time_limit = "seconds", record = "yes or no", missing = "word", mask = "matrix", weights = "matrix", missing_solver = "word", var = "name", transpose = "yes or no", dense = "yes or no", header = "word", row_labels = "word"),
  transform = c(iterations = "whole number", threads = "whole number", tolerance = "number", feasible = "yes or no", sum_to_one = "yes or no", divergence = "yes or no", missing = "word", mask = "matrix", weights = "matrix", var = "name", transpose = "yes or no", dense = "yes or no", header = "word", row_labels = "word"),
  rank = c(seed = "whole number", iterations = "whole number", restarts = "whole number", threads = "whole number", tolerance = "number", check_every = "whole number", time_limit = "seconds", missing = "word", mask = "matrix", weights = "matrix", missing_solver = "word", folds = "whole number", consensus = "yes or no", var = "name", transpose = "yes or no", dense = "yes or no", header = "word", row_labels = "word"),
  biclique = c(seed = "whole number", iterations = "whole number", threads = "whole number", starts = "whole number", var = "name", transpose = "yes or no", dense = "yes or no", header = "word", row_labels = "word"),
  consensus = c(seed = "whole number", iterations = "whole number", restarts = "whole number", threads = "whole number", tolerance = "number", check_every = "whole number", time_limit = "seconds", missing = "word", mask = "matrix", weights = "matrix", missing_solver = "word", checkpoint = "file", checkpoint_every = "seconds", resume = "file", runs = "whole number", resample = "word", level = "number", var = "name", transpose = "yes or no", dense = "yes or no", header = "word", row_labels = "word")
)
option_types <- list(
  nmf = c(solver = "word", sweeps = "whole number", sum_to_one = "word"),
  gnmu = c(solver = "word", inner = "whole number", rho = "number", residual_tol = "number", sweeps = "whole number", feasible = "word", feasible_steps = "whole number", step_offset = "whole number", multipliers = "word"),
  rnmu = c(block = "whole number", norm = "word", solver = "word", inner = "whole number", rho = "number", residual_tol = "number", sweeps = "whole number", feasible = "word", feasible_steps = "whole number", step_offset = "whole number", multipliers = "word", penalty_v = "number", penalty_w = "number", sparsity_v = "number", sparsity_w = "number", smooth_v = "number", smooth_w = "number", smooth_norm = "word", shape_v = "size", shape_w = "size"),
  snmf = c(penalty_v = "number", penalty_w = "number", sparsity_v = "number", sparsity_w = "number", solver = "word", sweeps = "whole number"),
  hoyer = c(hoyer_v = "number", hoyer_w = "number"),
  kl = c(penalty_v = "number", penalty_w = "number", solver = "word")
)
# most_iterations is the largest default of a method.
most_iterations <- 1000
