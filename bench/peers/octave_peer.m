% NMF, G-NMU and R-NMU with GNU Octave, as the paper writes them.

1;  % a script, not a function file

function A = read_matrix(path, rows, cols)
  f = fopen(path, "r", "ieee-le");
  A = fread(f, [cols, rows], "double")';
  fclose(f);
end

% One HALS step: V by (halsV), then W by (halsW).
function [V, W] = hals(N, V, W)
  A = N * W'; B = W * W';
  for k = 1:columns(V)
    if B(k, k) > 0
      V(:, k) = max(0, V(:, k) + (A(:, k) - V * B(:, k)) / B(k, k));
    end
  end
  C = V' * N; D = V' * V;
  for k = 1:rows(W)
    if D(k, k) > 0
      W(k, :) = max(0, W(k, :) + (C(k, :) - D(k, :) * W) / D(k, k));
    end
  end
end

function [V, W] = nmf(M, V, W, iterations)
  for k = 1:iterations
    [V, W] = hals(M, V, W);
  end
end

% Algorithm L-NMU. If a factor vanishes, the multipliers are halved.
function [V, W] = lnmu(M, V, W, iterations, inner)
  L = zeros(size(M), class(M));
  for k = 1:iterations
    V0 = V; W0 = W;
    N = M - L;
    for t = 1:inner
      [V, W] = hals(N, V, W);
    end
    if ! any(V(:)) || ! any(W(:))
      V = V0; W = W0;
      L = L / 2;
      continue
    end
    L = max(0, L - (M - V * W) / k);
  end
end

function [V, W] = rnmu(M, V, W, iterations, inner)
  for k = 1:columns(V)
    [v, w] = lnmu(M, V(:, k), W(k, :), iterations, inner);
    M = max(0, M - v * w);
    V(:, k) = v; W(k, :) = w;
  end
end

about = struct("program", "octave", "version", version(), "blas", strtrim(version("-blas")));
arg = argv(){end};
job = jsondecode(fileread(arg));
M = read_matrix(job.m, job.rows, job.cols);
V = read_matrix(job.v, job.rows, job.rank);
W = read_matrix(job.w, job.rank, job.cols);
tic;
switch job.method
  case "nmf"
    [V, W] = nmf(M, V, W, job.iterations);
  case "gnmu"
    [V, W] = lnmu(M, V, W, job.iterations, job.inner);
  case "rnmu"
    [V, W] = rnmu(M, V, W, job.iterations, job.inner);
end
about.seconds = toc;
about.relative_error = norm(M - V * W, "fro") / norm(M, "fro");
disp(jsonencode(about));
