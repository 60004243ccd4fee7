"""NMF beside scikit-learn: the time until the error of scikit-learn's default run.

    python3 python/bench/compare.py [--data DIR] [--repeat N] [--threads N]

on the faces of DIR/CBCL.mat (transposed: 2429 samples, r = 49; left out if they are not
there) and on scikit-learn's digits (r = 16). sklearn is NMF(solver="cd") with its
defaults and a seed: its error is the one to reach, its time what it takes. nmu is NMF with each
solver that the library has, with as many iterations as it takes to reach that error:
the fewest are found first, then timed. Times are medians of N fits of each, in turns."""

import argparse
import os
import statistics
import time
import warnings


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("NMU_DATA", "../shared/data"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    # Before NumPy is loaded, which reads it then.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(args.threads)
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    import nmu

    warnings.simplefilter("ignore", ConvergenceWarning)

    def seconds(estimator, X):
        begun = time.perf_counter()
        estimator.fit(X)
        return time.perf_counter() - begun

    def error(X, weights, components):
        return float(np.linalg.norm(X - weights @ components) / np.linalg.norm(X))

    def fewest(make, X, goal):
        """The fewest iterations, to a tenth, after which the error is at most the goal."""
        below, enough = 0, 10
        while make(enough).fit(X).relative_error_ > goal:
            below, enough = enough, 2 * enough
            if enough > 20000:
                return None
        while enough - below > max(1, enough // 10):
            middle = (below + enough) // 2
            below, enough = (below, middle) if make(middle).fit(X).relative_error_ <= goal else (middle, enough)
        return enough

    solvers = next(o["choices"] for m in nmu.about()["methods"] if m["name"] == "nmf" for o in m["options"] if o["name"] == "solver")
    data = [("digits", load_digits().data, 16)]
    faces = os.path.join(args.data, "CBCL.mat")
    if os.path.exists(faces):
        from scipy.io import loadmat

        data.insert(0, ("CBCL transposed", np.ascontiguousarray(max((a for a in loadmat(faces).values() if hasattr(a, "shape")), key=np.size).T.astype(float)), 49))
    print(f"{nmu.about()['version']}, {nmu.about()['level']}, {args.threads} threads, float64, medians of {args.repeat}")
    print(f"{'data':16} {'program':24} {'iterations':>10} {'error':>9} {'seconds':>8} {'times sooner':>12}")
    for name, X, rank in data:
        reference = NMF(rank, solver="cd", random_state=0).fit(X)
        goal = error(X, reference.transform(X), reference.components_)
        goal = min(goal, reference.reconstruction_err_ / float(np.linalg.norm(X)))
        runs = [("sklearn NMF(cd)", reference.n_iter_, goal, NMF(rank, solver="cd", random_state=0))]
        for solver in solvers:
            def make(iterations):
                return nmu.NMF(rank, solver=solver, max_iter=iterations, tol=0, threads=args.threads)

            iterations = fewest(make, X, goal)
            if iterations is None:
                print(f"{name:16} nmu NMF({solver}) does not reach {goal:.5f}")
                continue
            runs.append((f"nmu NMF({solver})", iterations, make(iterations).fit(X).relative_error_, make(iterations)))
        times = [[] for _ in runs]
        for _ in range(args.repeat):
            for (_, _, _, estimator), all_times in zip(runs, times):
                all_times.append(seconds(estimator, X))
        slow = statistics.median(times[0])
        for (program, iterations, reached, _), all_times in zip(runs, times):
            median = statistics.median(all_times)
            print(f"{name:16} {program:24} {iterations:10} {reached:9.5f} {median:8.3f} {slow / median:12.1f}")


if __name__ == "__main__":
    main()
