# What the library can be told; go test ./internal/options -run TestR$ -update writes this file.
setting_types <- list(
  factor = c(seed = "whole number", iterations = "whole number", restarts = "whole number", full_restarts = "yes or no", threads = "whole number", tolerance = "number", check_every = "whole number", target_error = "number", time_limit = "seconds", record = "yes or no", missing = "word", missing_value = "list of numbers", negative = "word", sparse_missing = "yes or no", mask = "matrix", weights = "matrix", uncertainties = "matrix", skip_rows = "matrix", skip_cols = "matrix", missing_solver = "word", fix_v = "matrix", fix_w = "matrix", baseline = "yes or no", checkpoint = "file", checkpoint_every = "seconds", resume = "file", var = "name", format = "name", transpose = "yes or no", dense = "yes or no", sep = "word", decimal = "word", header = "word", row_labels = "word", skip_columns = "list of names", missing_text = "list of names", below = "word", triples = "yes or no", align = "word", grey = "yes or no", row_names = "file", col_names = "file", max_memory = "bytes", scratch = "file"),
  improve = c(iterations = "whole number", threads = "whole number", tolerance = "number", check_every = "whole number", target_error = "number", time_limit = "seconds", record = "yes or no", missing = "word", missing_value = "list of numbers", negative = "word", mask = "matrix", weights = "matrix", uncertainties = "matrix", missing_solver = "word", var = "name", format = "name", transpose = "yes or no", dense = "yes or no", sep = "word", decimal = "word", header = "word", row_labels = "word", skip_columns = "list of names", missing_text = "list of names", below = "word", triples = "yes or no", align = "word", grey = "yes or no", row_names = "file", col_names = "file", max_memory = "bytes"),
  transform = c(iterations = "whole number", threads = "whole number", tolerance = "number", feasible = "yes or no", sum_to_one = "yes or no", divergence = "yes or no", missing = "word", missing_value = "list of numbers", negative = "word", mask = "matrix", weights = "matrix", uncertainties = "matrix", skip_rows = "matrix", skip_cols = "matrix", var = "name", format = "name", transpose = "yes or no", dense = "yes or no", sep = "word", decimal = "word", header = "word", row_labels = "word", skip_columns = "list of names", missing_text = "list of names", below = "word", triples = "yes or no", align = "word", grey = "yes or no", row_names = "file", col_names = "file", max_memory = "bytes"),
  rank = c(seed = "whole number", iterations = "whole number", restarts = "whole number", threads = "whole number", tolerance = "number", check_every = "whole number", time_limit = "seconds", missing = "word", missing_value = "list of numbers", negative = "word", mask = "matrix", weights = "matrix", uncertainties = "matrix", skip_rows = "matrix", skip_cols = "matrix", missing_solver = "word", checkpoint = "file", checkpoint_every = "seconds", resume = "file", folds = "whole number", consensus = "yes or no", var = "name", format = "name", transpose = "yes or no", dense = "yes or no", sep = "word", decimal = "word", header = "word", row_labels = "word", skip_columns = "list of names", missing_text = "list of names", below = "word", triples = "yes or no", align = "word", grey = "yes or no", row_names = "file", col_names = "file", max_memory = "bytes"),
  biclique = c(seed = "whole number", iterations = "whole number", threads = "whole number", starts = "whole number", var = "name", format = "name", transpose = "yes or no", dense = "yes or no", sep = "word", decimal = "word", header = "word", row_labels = "word", skip_columns = "list of names", missing_text = "list of names", below = "word", triples = "yes or no", align = "word", grey = "yes or no", row_names = "file", col_names = "file", max_memory = "bytes"),
  consensus = c(seed = "whole number", iterations = "whole number", restarts = "whole number", threads = "whole number", tolerance = "number", check_every = "whole number", time_limit = "seconds", missing = "word", missing_value = "list of numbers", negative = "word", mask = "matrix", weights = "matrix", uncertainties = "matrix", skip_rows = "matrix", skip_cols = "matrix", missing_solver = "word", checkpoint = "file", checkpoint_every = "seconds", resume = "file", runs = "whole number", resample = "word", level = "number", var = "name", format = "name", transpose = "yes or no", dense = "yes or no", sep = "word", decimal = "word", header = "word", row_labels = "word", skip_columns = "list of names", missing_text = "list of names", below = "word", triples = "yes or no", align = "word", grey = "yes or no", row_names = "file", col_names = "file", max_memory = "bytes"),
  inspect = c(missing = "word", missing_value = "list of numbers", negative = "word", var = "name", format = "name", transpose = "yes or no", dense = "yes or no", sep = "word", decimal = "word", header = "word", row_labels = "word", skip_columns = "list of names", missing_text = "list of names", below = "word", triples = "yes or no", align = "word", grey = "yes or no", row_names = "file", col_names = "file", max_memory = "bytes")
)
option_types <- list(
  nmf = c(solver = "word", sweeps = "whole number", l2_v = "number", l2_w = "number", sum_to_one = "word"),
  gnmu = c(solver = "word", inner = "whole number", rho = "number", residual_tolerance = "number", sweeps = "whole number", feasible = "word", feasible_steps = "whole number", step_offset = "whole number", multipliers = "word"),
  rnmu = c(block = "whole number", norm = "word", solver = "word", inner = "whole number", rho = "number", residual_tolerance = "number", sweeps = "whole number", feasible = "word", feasible_steps = "whole number", step_offset = "whole number", multipliers = "word", threshold_v = "number", threshold_w = "number", sparsity_v = "number", sparsity_w = "number", smooth_v = "number", smooth_w = "number", smooth_norm = "word", shape_v = "size", shape_w = "size"),
  snmf = c(penalty_v = "number", penalty_w = "number", sparsity_v = "number", sparsity_w = "number", l2_v = "number", l2_w = "number", solver = "word", sweeps = "whole number"),
  hoyer = c(hoyer_v = "number", hoyer_w = "number"),
  kl = c(penalty_v = "number", penalty_w = "number", l2_v = "number", l2_w = "number", solver = "word")
)
# most_iterations is the largest default of a method.
most_iterations <- 1000
# foreign has the words of other programs for an argument.
foreign <- list(
  checkpoint_every = c("checkpoint"),
  feasible = c("under"),
  folds = c("cv", "nfolds"),
  init = c("h_init", "w_init"),
  iterations = c("iters", "max_iter", "maxit", "n_iter"),
  l2_v = c("alpha_w"),
  l2_w = c("alpha_h", "l2"),
  method = c("algorithm", "beta_loss", "loss"),
  missing = c("missing_values"),
  penalty_v = c("alpha_w"),
  penalty_w = c("alpha_h", "l1"),
  progress = c("verbose"),
  rank = c("components", "k", "n_components", "nfactors", "ranks", "survey"),
  ranks = c("components", "k", "n_components", "nfactors", "rank"),
  restarts = c("n_init", "nrun", "nruns", "replicates"),
  runs = c("n_runs", "nrun", "nruns"),
  seed = c("random_state", "rng"),
  solver = c("algorithm"),
  sparse_missing = c("mask_zeros"),
  threads = c("cores", "n_jobs", "n_threads", "pbackend"),
  threshold_v = c("penalty_v"),
  threshold_w = c("penalty_w"),
  time_limit = c("max_time"),
  tolerance = c("eps", "tol"),
  weights = c("sample_weight")
)
