"""The time to the error at which scikit-learn's NMF ends, on sparse matrices of cells, words and counts.

    python3 python/bench/error.py [--texts FOLDER ...] [--seeds N] [--threads N]

scikit-learn runs with its defaults (coordinate descent, or its multiplicative updates for counts, from
nndsvda) and from a random start. nmu runs from N random starts, and for cells and words from svd and spa,
until its error is not larger, at most 500 iterations. A start may end at a worse minimum; the median is that
of the others. Its time includes the start and the measurement of the result. Times are seconds of all
processors. The words are those of the text files, programs and pages in some folders, by default those of
Python itself, with tf-idf weights."""

import pathlib
import statistics
import sysconfig
import time

from machine import arguments, timed

TEXTS = {".c", ".go", ".h", ".html", ".md", ".pm", ".pod", ".py", ".rst", ".txt"}


def main():
    args = arguments(__doc__, texts=[sysconfig.get_path("stdlib")], seeds=3)
    import numpy as np
    import scipy.sparse as sp
    import sklearn
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    import nmu

    rng = np.random.default_rng(1)

    def cells():
        """Logarithms of counts of 20,000 cells, of which each expresses a mixture of 25 programs."""
        programs = rng.gamma(0.1, size=(3000, 25))
        mean = 300 * (programs / programs.sum(0)) @ rng.dirichlet(np.full(25, 0.15), 20000).T
        return sp.csr_matrix(np.log1p(rng.poisson(mean).astype(float)))

    def words():
        files = (f for folder in args.texts for f in sorted(pathlib.Path(folder).rglob("*")) if f.suffix in TEXTS and f.is_file())
        texts = [text for text in (f.read_text(errors="ignore") for f in files) if 500 < len(text) < 400_000]
        return sp.csr_matrix(TfidfVectorizer(min_df=5, max_df=0.5, token_pattern=r"(?u)\b[a-zA-Z]{3,}\b").fit_transform(texts))

    def counts():
        return sp.csr_matrix(rng.poisson(20 * rng.gamma(0.5, 1, (400, 10)) @ rng.gamma(0.5, 1, (10, 4000))).astype(float))

    print(f"scikit-learn {sklearn.__version__}, nmu {nmu.about()['version']} with {nmu.about()['level']}, {args.threads} thread(s)")
    print("| matrix | rank | start of scikit-learn | scikit-learn, s | nmu, s | times sooner | starts that reach it |\n|---|---:|---|---:|---:|---:|---:|")
    for name, make, rank, loss in (("cells", cells, 25, "frobenius"), ("words", words, 20, "frobenius"), ("counts", counts, 10, "kullback-leibler")):
        X = make()
        X.sort_indices()
        divergence = loss != "frobenius"
        if divergence:  # whose error is an absolute one
            whole = float((X.data * np.log(X.data / X.mean())).sum())
            how = {"method": "kl"}
        else:
            whole, how = float(np.linalg.norm(X.data)), {"method": "nmf", "solver": "accelerated"}
        for init in "nndsvda", "random":
            theirs = NMF(rank, init=init, solver="mu" if divergence else "cd", beta_loss=loss, random_state=1)
            given = X.toarray() if divergence else X  # its updates of dense counts are faster
            _, seconds = timed(lambda: theirs.fit_transform(given), time.process_time)
            end = theirs.reconstruction_err_
            error = (end * end / 2 if divergence else end) / whole
            ours = []
            starts = [{"seed": seed} for seed in range(1, args.seeds + 1)]
            if not divergence:  # whose updates keep the zeros of these
                starts += [{"init": "svd"}, {"init": "spa"}]
            for start in starts:
                settings = {"target_error": error * (1 + 1e-6), "iterations": 500, "restarts": 1, "threads": args.threads, **start}
                result, took = timed(lambda: nmu.factor(X, rank, **how, **settings), time.process_time)
                if result.stop == "target error":
                    ours.append(took)
            sooner = f"{statistics.median(ours):.2f} | {seconds / statistics.median(ours):.1f}" if ours else "- | -"
            print(f"| {name}, {X.shape[0]} x {X.shape[1]}, {X.nnz} entries | {rank} | {init} | {seconds:.2f} | {sooner} | {len(ours)} of {len(starts)} |", flush=True)


if __name__ == "__main__":
    main()
