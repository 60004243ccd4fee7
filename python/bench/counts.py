"""Method kl beside scikit-learn's multiplicative updates: the divergence over time.

    python3 python/bench/counts.py [--out docs/kl.json] [--repeat N] [--threads N]

on a dense matrix of Poisson counts and on a sparse one drawn from topics. All programs begin with
the same start. A point is a run of its own of so many iterations, in float64; its time is the
least of N runs, taken in turns. scikit-learn goes on from its last point, which its updates allow.
`go test . -run TestCountsPage -update` draws the plots of docs/kl.md from the result."""

import json

from machine import arguments, processor, timed

DENSE = {"scikit-learn": [5, 10, 20, 50, 100, 200], "multiplicative": [5, 10, 20, 50, 100, 200], "coordinate": [4, 8, 12, 20, 26, 32, 40]}
SPARSE = {"scikit-learn": [5, 10, 20, 50], "multiplicative": [5, 10, 20, 50, 100, 200], "coordinate": [4, 8, 12, 20, 26, 32, 40]}


def main():
    args = arguments(__doc__, out="docs/kl.json", repeat=3)
    import numpy as np
    import scipy.sparse as sp
    import sklearn
    from sklearn.decomposition import NMF

    import nmu

    def divergence(X, H, W):
        """D(X | H W), of the positive entries and of the sums alone."""
        X = sp.coo_matrix(X)
        x = np.concatenate([np.einsum("ik,ki->i", H[X.row[t : t + 100000]], W[:, X.col[t : t + 100000]]) for t in range(0, X.nnz, 100000)])
        return float((X.data * np.log(X.data / x)).sum() - X.data.sum() + H.sum(0) @ W.sum(1))

    def null(X):
        X, mean = sp.coo_matrix(X), X.mean()
        return float((X.data * np.log(X.data / mean)).sum())

    def run(program, X, rank, start, iterations):
        """Returns the factors after these iterations, and the seconds."""
        if program == "scikit-learn":
            estimator = NMF(rank, init="custom", solver="mu", beta_loss="kullback-leibler", tol=0, max_iter=iterations)
            given = {"W": start[0].copy(), "H": start[1].copy()}
            H, seconds = timed(lambda: estimator.fit_transform(X, **given))
        else:
            estimator = nmu.NMF(rank, method="kl", solver=program, init=start, tol=0, max_iter=iterations, threads=args.threads)
            H, seconds = timed(lambda: estimator.fit(X).weights_)
        return (H, estimator.components_), seconds

    rng = np.random.default_rng(1)
    dense = rng.poisson(rng.gamma(0.3, 1, (400, 20)) @ rng.gamma(0.3, 3, (20, 4000))).astype(float)
    words, documents = rng.dirichlet(np.full(4000, 0.05), 20).T, rng.dirichlet(np.full(20, 0.1), 6000).T
    sparse = sp.csr_matrix(rng.poisson(words @ (documents * rng.integers(300, 700, 6000))).astype(float))
    about, rank = nmu.about(), 20
    result = {
        "processor": processor(), "level": about["level"], "threads": args.threads,
        "scikit_learn": sklearn.__version__, "repetitions": args.repeat, "data": [], "starts": [],
    }
    for name, X, points in (("dense", dense, DENSE), ("sparse", sparse, SPARSE)):
        m, n = X.shape
        scale = np.sqrt(X.mean() / rank) * 2
        start = rng.uniform(0.01, 1, (m, rank)) * scale, rng.uniform(0.01, 1, (rank, n)) * scale
        base, found = null(X), {}
        for _ in range(args.repeat):
            for program, all_iterations in points.items():
                factors, spent, before = start, 0.0, 0
                for iterations in all_iterations:
                    if program == "scikit-learn":
                        factors, seconds = run(program, X, rank, factors, iterations - before)
                        spent, before = spent + seconds, iterations
                    else:
                        factors, spent = run(program, X, rank, start, iterations)
                    at = found.setdefault((program, iterations), {"program": program, "iterations": iterations, "seconds": spent})
                    at["seconds"] = round(min(at["seconds"], spent), 4)
                    at["relative_divergence"] = round(divergence(X, *factors) / base, 6)
                    print(f"{name:8} {program:16} {iterations:5} {spent:8.3f} s {at['relative_divergence']:9.6f}", flush=True)
        result["data"].append({"name": name, "rows": m, "columns": n, "positive": int((X > 0).sum()), "rank": rank, "runs": list(found.values())})
    # Sparse counts have several minima: the ends of whole runs from other starts.
    for solver in ("multiplicative", "coordinate"):
        runs = []
        for seed in range(8):
            res, seconds = timed(lambda s=seed, p=solver: nmu.factor(sparse, rank, "kl", solver=p, restarts=1, seed=s, threads=args.threads))
            runs.append({"seed": seed, "iterations": res.iterations_done, "seconds": round(seconds, 4), "relative_divergence": round(res.relative_divergence, 6)})
            print("sparse  ", solver, runs[-1], flush=True)
        result["starts"].append({"program": solver, "runs": runs})
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
