"""Starts: the error after little and after much work, beside scikit-learn.

    python3 python/bench/starts.py [--out docs/starts.json] [--seeds N] [--threads N] [--only NAME,...]

on ten kinds of matrices. Faces and the swimmer are read from CBCL.mat and Swimmer.mat in the folder
$NMU_DATA. A point is a run of its own of so many iterations, in float64. Its time is that of the
processor, the start included. scikit-learn goes on from its last point, which its updates allow.
"trials" makes ten random starts of five iterations each, and goes on with the best of them.
`go test . -run TestStartsPage -update` draws the tables of docs/starts.md from the result."""

import json
import resource

from machine import arguments, processor, timed

TRIALS, TRIAL = 10, 5
POINTS = {"nmf": [5, 10, 20, 40, 80, 160], "kl": [5, 10, 20, 40, 80]}
POINTS_SCIKIT_LEARN = {"nmf": [5, 10, 20, 40, 80, 160, 320], "kl": [5, 10, 20, 40, 80, 160]}


def main():
    args = arguments(__doc__, out="docs/starts.json", seeds=10, only="")
    import numpy as np
    import scipy.sparse as sp
    import sklearn
    from scipy.special import xlogy
    from matrices import common
    from sklearn.decomposition import NMF

    import nmu

    def distance(method, X, V, W):
        """The relative error, or the relative divergence."""
        dense = X.toarray() if sp.issparse(X) else X
        P = V @ W
        if method == "nmf":
            return float(np.linalg.norm(dense - P) / np.linalg.norm(dense))
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.where(dense > 0, xlogy(dense, dense / P), 0)
        return float((log.sum() - dense.sum() + P.sum()) / xlogy(dense, dense / dense.mean()).sum())

    def user():
        return resource.getrusage(resource.RUSAGE_SELF).ru_utime

    def factor(method, X, rank, init, seed, iterations):
        solver = "accelerated" if method == "nmf" else "coordinate"
        res, spent = timed(lambda: nmu.factor(X, rank, method, solver=solver, init=init, seed=seed, restarts=1, iterations=iterations, threads=args.threads), user)
        return (res.V, res.W), spent

    def ours(method, X, rank, init, seed):
        """Yields iterations, seconds and distance of each point."""
        for iterations in POINTS[method]:
            (V, W), spent = factor(method, X, rank, init, seed, iterations)
            yield iterations, spent, distance(method, X, V, W)

    def trials(method, X, rank, seed):
        tried = [factor(method, X, rank, "random", TRIALS * seed + k, TRIAL) for k in range(TRIALS)]
        spent = sum(seconds for _, seconds in tried)
        best = min((factors for factors, _ in tried), key=lambda f: distance(method, X, *f))
        for iterations in POINTS[method]:
            (V, W), more = factor(method, X, rank, best, 0, iterations)
            yield TRIALS * TRIAL + iterations, spent + more, distance(method, X, V, W)

    def theirs(method, X, rank, init, seed):
        loss = {"solver": "cd"} if method == "nmf" else {"solver": "mu", "beta_loss": "kullback-leibler"}
        spent, before, factors = 0.0, 0, None
        for iterations in POINTS_SCIKIT_LEARN[method]:
            model = NMF(rank, init=init if factors is None else "custom", random_state=seed, tol=0, max_iter=iterations - before, **loss)
            given = {} if factors is None else {"W": factors[0].copy(), "H": factors[1].copy()}
            W, seconds = timed(lambda m=model, g=given: m.fit_transform(X, **g), user)
            spent, before, factors = spent + seconds, iterations, (W, model.components_)
            yield iterations, spent, distance(method, X, *factors)

    about = nmu.about()
    result = {
        "processor": processor(), "level": about["level"], "threads": args.threads, "scikit_learn": sklearn.__version__,
        "seeds": args.seeds, "problems": [],
    }
    for name, X in common():
        if args.only and name not in args.only.split(","):
            continue
        factor("nmf", X, 2, "random", 0, 1)  # so that no start pays for what is loaded
        for method, rank in (("nmf", 12), ("nmf", 24), ("kl", 12)):
            many, few = range(args.seeds), range(max(1, args.seeds // 5))
            lines = [("nmu", "random", many, lambda s: ours(method, X, rank, "random", s)), ("nmu", "trials", few, lambda s: trials(method, X, rank, s))]
            lines += [("nmu", init, range(1), lambda s, i=init: ours(method, X, rank, i, s)) for init in ("svd", "spa", "snpa")]
            lines += [("scikit-learn", init, few if init == "random" else range(1), lambda s, i=init: theirs(method, X, rank, i, s)) for init in ("random", "nndsvd", "nndsvda")]
            starts = []
            for program, init, seeds, run in lines:
                found = {}
                for seed in seeds:
                    try:
                        for iterations, spent, x in run(seed):
                            at = found.setdefault(iterations, {"iterations": iterations, "seconds": [], "distances": []})
                            at["seconds"].append(round(spent, 6))
                            at["distances"].append(round(x, 8))
                    except (ValueError, nmu.Error) as e:
                        print(name, method, rank, program, init, e, flush=True)
                starts.append({"program": program, "start": init, "points": list(found.values())})
                if found:
                    last = list(found.values())[-1]
                    print(f"{name:13} {method:4} {rank:3} {program:13} {init:8} {last['iterations']:4} {min(last['seconds']):8.3f} s {min(last['distances']):.6f} {max(last['distances']):.6f}", flush=True)
            result["problems"].append({"name": name, "rows": X.shape[0], "columns": X.shape[1], "method": method, "rank": rank, "starts": starts})
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(result, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main()
