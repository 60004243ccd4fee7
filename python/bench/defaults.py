"""The default of nmu beside that of scikit-learn, and beside the best of ten of its runs to the end.

    NMU_DATA=FOLDER python3 python/bench/defaults.py [--page docs/solvers.md] [--seeds N] [--threads N]

writes the table of the page, on 29 kinds of matrices. scikit-learn's best is that of nndsvd, nndsvda and
eight random starts of `cd`, with the tolerance 1e-6 and at most 1000 iterations. Its default fit has one start,
that of nmu is a race of ten. Times are the medians of some runs."""

import os
import re
import statistics

from machine import arguments, processor, timed

FITTED = 1e-6  # smaller errors count as this one


def main():
    args = arguments(__doc__, os.cpu_count(), page="docs/solvers.md", seeds=3)
    import numpy as np
    import scipy.sparse as sp
    import sklearn
    from matrices import common, special
    from sklearn.decomposition import NMF

    import nmu

    def error(X, V, W):
        dense = X.toarray() if sp.issparse(X) else X
        return float(np.linalg.norm(dense - V @ W) / np.linalg.norm(dense))

    def fit(X, rank, **settings):
        model = NMF(rank, **settings)
        return error(X, model.fit_transform(X), model.components_)

    lines = [
        f"{processor()}, {nmu.about()['level']} kernels, {args.threads} thread(s), float64, scikit-learn {sklearn.__version__}.", "",
        "| M | size | r | scikit-learn, best of ten | its default | time | nmu | time |", "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, X, rank in [(name, X, 12) for name, X in common()] + list(special()):
        starts = ["random"] * 8 + ["nndsvd", "nndsvda"][: 2 * (rank <= min(X.shape))]
        least = min(fit(X, rank, init=init, tol=1e-6, max_iter=1000, random_state=k) for k, init in enumerate(starts))
        theirs = [timed(lambda k=k: fit(X, rank, random_state=k)) for k in range(args.seeds)]
        ours = [timed(lambda k=k: nmu.factor(X, rank, seed=100 * k, threads=args.threads)) for k in range(args.seeds)]
        errors = [error(X, found.V, found.W) for found, _ in ours]

        def above(e, least=least):
            return f"{100 * (max(e, FITTED) / max(least, FITTED) - 1):+.2f}"

        lines.append(
            f"| {name} | {X.shape[0]} x {X.shape[1]} | {rank} | {100 * least:.4g} | {above(max(e for e, _ in theirs))} | "
            f"{statistics.median(s for _, s in theirs):.2g} s | {above(max(errors))} | {statistics.median(s for _, s in ours):.2g} s |")
        print(lines[-1], flush=True)
    with open(args.page) as f:
        page = f.read()
    begin, end = "<!-- defaults: from python/bench/defaults.py -->\n", "<!-- end -->"
    page = re.sub(re.escape(begin) + ".*?" + end, lambda _: begin + "\n" + "\n".join(lines) + "\n\n" + end, page, flags=re.S)
    with open(args.page, "w") as f:
        f.write(page)


if __name__ == "__main__":
    main()
