"""The estimators, as scikit-learn asks for them."""

import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import non_negative_factorization
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import nmu

X = load_digits().data[:300]


def by_function(e, x, solver, **options):
    """What nmu.factor finds with what an estimator takes by default: the solver, tol, one start."""
    iterations = e.max_iter
    if iterations is None and e.tol > 0:
        iterations = {m["name"]: m["iterations"] for m in nmu.about()["methods"]}[e.method]
    return nmu.factor(x, e.n_components, e.method, restarts=1, solver=solver, tolerance=e.tol, iterations=iterations, **options)


# The solvers of solver="auto".
AUTO = {"nmf": "accelerated", "snmf": "accelerated", "rnmu": "admm", "gnmu": "lagrangian", "kl": "coordinate"}


# All of them. With a random start one fails as expected, which compares weights of zero with
# samples that are left out, in another order; with the start svd there is no exception.
@parametrize_with_checks([
    nmu.NMF(), nmu.NMU(), nmu.NMU(method="gnmu"), nmu.NMU(under=True), nmu.NMF(n_components=1),
    nmu.NMF(missing_values=np.nan), nmu.NMU(missing_values=np.nan), nmu.NMF(missing_values=np.nan, init="svd"),
    nmu.NMU(missing_values=np.nan, init="svd", under=True),
])
def test_sklearn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [nmu.NMF(8), nmu.NMU(8), nmu.NMU(8, method="gnmu", feasible="final")], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fit(estimator, dtype):
    x = X.astype(dtype)
    e = clone(estimator).fit(x)
    assert e.components_.dtype == e.weights_.dtype == dtype
    assert e.components_.shape == (8, 64) and e.weights_.shape == (300, 8) and e.n_iter_ > 0
    left = np.linalg.norm(x - e.weights_ @ e.components_)
    assert abs(left - e.reconstruction_err_) < 1e-3 * left
    if e.get_params().get("feasible"):
        assert e.max_violation_ == 0
    for other in (np.asfortranarray(x), x[::-1].copy()[::-1]):
        again = clone(estimator).fit(other)
        assert np.array_equal(again.components_, e.components_) and np.array_equal(again.weights_, e.weights_)
    want = by_function(e, x, AUTO[e.method], **({"feasible": e.feasible} if hasattr(e, "feasible") else {}))
    assert np.array_equal(e.components_, want.W)

    weights = e.transform(x)
    assert weights.dtype == dtype and np.array_equal(clone(estimator).fit_transform(x), weights)
    assert np.array_equal(e.transform(x[5:9]), weights[5:9])  # each on its own
    assert np.allclose(e.inverse_transform(weights), weights @ e.components_)
    assert abs(e.score(x) + np.linalg.norm(x - weights @ e.components_) / np.linalg.norm(x)) < 1e-6
    assert np.allclose(e.transform(scipy.sparse.csr_matrix(x)), weights)

    copy = pickle.loads(pickle.dumps(e))
    assert np.array_equal(copy.transform(x), weights) and copy.get_params() == e.get_params()


def test_convergence_warning():
    with pytest.warns(ConvergenceWarning, match="20 iterations were not enough for tol=1e-09"):
        nmu.NMF(4, max_iter=20, tol=1e-9).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nmu.NMF(4, max_iter=20, tol=0).fit(X)  # without tol the number of iterations is what was asked for
        nmu.NMF(4, tol=1e-2).fit(X)


def test_sparse():
    e = nmu.NMU(4).fit(scipy.sparse.csr_matrix(X))
    res = by_function(e, scipy.sparse.csr_matrix(X), "admm")
    assert np.array_equal(e.components_, res.W) and abs(e.reconstruction_err_ / np.linalg.norm(X) - res.relative_error) < 1e-12
    assert -1 < e.score(scipy.sparse.csr_matrix(X)) < 0


@pytest.mark.parametrize("under", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_samples(under, dtype):
    x = scipy.sparse.random(150, 40, 0.2, "csr", random_state=0, dtype=dtype)
    e = nmu.NMF(3, under=under).fit(x)
    want = e.transform(x.toarray())
    for other in (x, x.tocsc(), x.tocoo()):
        weights = e.transform(other)
        assert weights.dtype == dtype and np.array_equal(weights, want)  # the same bits
        assert abs(e.score(other) - e.score(x.toarray())) < 1e-6


def test_sparse_samples_are_not_made_dense():
    x = scipy.sparse.random(2000, 20000, 1e-3, "csr", random_state=0)
    e = nmu.NMF(3, max_iter=20, tol=0).fit(x)
    dense = x.shape[0] * x.shape[1] * 8
    # The library would need the memory too, which this limit denies it.
    limit = 'import pickle, resource, sys; import nmu, sklearn.base; e, x = pickle.load(sys.stdin.buffer); e.transform(x[:9]); ' \
        'used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize(); ' \
        f'resource.setrlimit(resource.RLIMIT_AS, (used + {dense // 2},) * 2); print(e.score(x), e.transform(x).sum())'
    got = subprocess.run([sys.executable, "-c", limit], input=pickle.dumps((e, x)), capture_output=True, timeout=120)
    assert got.returncode == 0, got.stderr.decode()[-2000:]
    score, total = map(float, got.stdout.split())
    assert -1 < score < 0 and total == e.transform(x).sum()


def test_under():
    e = nmu.NMU(6, under=True).fit(X)
    assert (e.inverse_transform(e.transform(X)) <= X + 1e-12).all()


def gaps(dtype=np.float64):
    x = X.astype(dtype)
    x[np.add.outer(np.arange(300), 3 * np.arange(64)) % 7 == 2] = np.nan
    return x


@pytest.mark.parametrize("estimator", [
    nmu.NMF(8), nmu.NMF(8, missing_solver="exact", max_iter=30), nmu.NMU(8), nmu.NMU(4, method="gnmu", under=True),
], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_missing(estimator, dtype):
    x = gaps(dtype)
    seen = ~np.isnan(x)
    with pytest.raises(ValueError, match="NaN"):
        clone(estimator).fit(x)
    e = clone(estimator).set_params(missing_values=np.nan).fit(x)
    want = by_function(e, np.where(seen, x, -7), AUTO[e.method], mask=seen, missing_solver=e.missing_solver)
    assert np.array_equal(e.components_, want.W) and np.array_equal(e.weights_, want.V)
    left = np.linalg.norm((x - e.weights_ @ e.components_)[seen])
    assert abs(left - e.reconstruction_err_) < 1e-3 * left and 0 < e.relative_error_ < 1
    weights = e.transform(x)
    assert weights.dtype == dtype and np.isfinite(weights).all()
    assert np.array_equal(e.transform(x[5:9]), weights[5:9])
    assert abs(e.score(x) + np.linalg.norm((x - weights @ e.components_)[seen]) / np.linalg.norm(x[seen])) < 1e-6
    if e.under:
        assert ((x - weights @ e.components_)[seen] >= -1e-6).all()
    # Without gaps it is as if there could be none, and complete samples have their weights.
    assert np.array_equal(clone(e).fit(X.astype(dtype)).components_, clone(estimator).fit(X.astype(dtype)).components_)
    complete = X.astype(dtype)
    complete[3, 5] = np.nan
    assert np.array_equal(np.delete(e.transform(complete), 3, 0), np.delete(e.transform(X.astype(dtype)), 3, 0))
    frame = pandas.DataFrame(x)
    assert np.array_equal(clone(e).fit(frame).components_, e.components_) and np.array_equal(e.transform(frame.to_numpy()), weights)


def test_missing_errors():
    x = gaps()
    e = nmu.NMF(3, missing_values=np.nan).fit(x)
    x[7] = np.nan
    with pytest.raises(ValueError, match="nothing of sample 7 is observed"):
        e.transform(x)
    with pytest.raises(ValueError, match="row 8 of M has no observed entry"):
        e.fit(x)
    for bad in (-1, "nan", 0.0):
        with pytest.raises(ValueError, match="missing_values"):
            nmu.NMF(3, missing_values=bad).fit(X)
    for bad in (-X - 1, np.where(X > 15, np.inf, X), np.where(X > 15, -1, gaps())):
        with pytest.raises(ValueError):
            e.fit(bad)
    with pytest.raises(ValueError, match="NaN"):
        e.fit(scipy.sparse.csr_matrix(gaps()))
    assert e._more_tags()["allow_nan"] and not nmu.NMF()._more_tags()["allow_nan"]
    with pytest.raises(ValueError, match="hoyer"):
        nmu.NMF(3, method="hoyer", hoyer_v=0.5, missing_values=np.nan).fit(gaps())


@pytest.mark.parametrize("estimator", [nmu.NMF(4), nmu.NMU(4), nmu.NMU(3, method="gnmu")], ids=str)
def test_sample_weight(estimator):
    plain = clone(estimator).fit(X)
    for same in (np.ones(300), np.full(300, 2.5), 3):
        e = clone(estimator).fit(X, sample_weight=same)
        assert np.array_equal(e.components_, plain.components_) and np.array_equal(e.weights_, plain.weights_)
    each = np.linspace(0.1, 2, 300)
    e = clone(estimator).fit(X, sample_weight=each)
    solver = "lagrangian" if e.method == "rnmu" else AUTO[e.method]  # admm has no weights
    want = by_function(e, X, solver, weights=np.broadcast_to(each[:, None], X.shape))
    assert np.array_equal(e.components_, want.W) and not np.array_equal(e.components_, plain.components_)
    left = np.sqrt(((X - e.weights_ @ e.components_) ** 2 * each[:, None]).sum())
    assert abs(left - e.reconstruction_err_) < 1e-9 * left
    # Of weight 0 is not there.
    some = np.arange(300) % 3 > 0
    fewer, none = clone(estimator).fit(X[some], sample_weight=each[some]), clone(estimator).fit(X, sample_weight=each * some)
    assert np.array_equal(none.components_, fewer.components_) and np.array_equal(none.weights_[some], fewer.weights_)
    assert (none.weights_[~some] == 0).all() and none.reconstruction_err_ == fewer.reconstruction_err_
    start = (np.arange(900.0).reshape(300, 3) % 5 + 1, np.ones((3, 64)) + np.eye(3, 64))
    a, b = nmu.NMF(3, init=start).fit(X, sample_weight=each * some), nmu.NMF(3, init=(start[0][some], start[1])).fit(X[some], sample_weight=each[some])
    assert np.array_equal(a.components_, b.components_)
    assert np.array_equal(clone(estimator).fit_transform(X, sample_weight=each), e.transform(X))
    for bad in (-each, each[1:], np.zeros(300), np.ones((300, 2)), np.where(each > 1, np.nan, each)):
        with pytest.raises(ValueError):
            clone(estimator).fit(X, sample_weight=bad)
    with pytest.raises(ValueError, match="sparse"):
        clone(estimator).fit(scipy.sparse.csr_matrix(X), sample_weight=each)


def test_names():
    frame = pandas.DataFrame(X, columns=[f"pixel{i}" for i in range(64)], index=[f"image{i}" for i in range(len(X))])
    e = nmu.NMU(3).set_output(transform="pandas").fit(frame)
    out = e.transform(frame)
    assert list(e.feature_names_in_) == list(frame.columns)
    assert list(e.get_feature_names_out()) == list(out.columns) == ["nmu0", "nmu1", "nmu2"]
    assert list(out.index) == list(frame.index)


def test_parameters():
    # The options are those that the library has, each with its text in the documentation.
    for m in nmu.about()["methods"]:
        estimator = nmu.NMU if m["underapproximates"] else nmu.NMF
        for o in m["options"]:
            name = o["name"].replace("-", "_")
            assert name in estimator().get_params() and f"\n{name} : " in estimator.__doc__
            assert all(f'"{c}"' in estimator.__doc__ for c in o.get("choices", []))
    assert "--" not in re.sub("-{3,}", "", nmu.NMF.__doc__ + nmu.NMU.__doc__ + nmu.factor.__doc__)  # as on the command line
    assert "( " not in nmu.NMF.__doc__ + nmu.factor.__doc__
    with pytest.raises(TypeError, match="nothing"):
        nmu.NMF(nothing=1)
    with pytest.raises(ValueError, match="no option"):
        nmu.NMF(2, sparsity_v=0.5).fit(X)  # which method nmf does not have
    with pytest.raises(ValueError, match="n_components 50000"):
        nmu.NMF(50_000).fit(X)
    sparse = nmu.NMF(4, method="snmf", sparsity_v=0.8, sparsity_w=0.4).fit(X)
    assert (sparse.components_ < 1e-3 * sparse.components_.max(1, keepdims=True)).mean() > 0.2
    state = np.random.RandomState(3)
    a, b = nmu.NMF(4, random_state=state).fit(X), nmu.NMF(4, random_state=state).fit(X)
    assert not np.array_equal(a.components_, b.components_)
    assert np.array_equal(nmu.NMF(4, random_state=None).fit(X).components_, nmu.NMF(4, random_state=0).fit(X).components_)


def test_in_a_pipeline():
    search = GridSearchCV(make_pipeline(MinMaxScaler(clip=True), nmu.NMF(max_iter=50)), {"nmf__n_components": [2, 8]}, cv=2)
    assert search.fit(X).best_params_ == {"nmf__n_components": 8}


def test_defaults():
    assert (nmu.NMF().tol, nmu.NMF().solver, nmu.NMU().tol, nmu.NMU().solver) == (1e-4, "auto", 0.0, "auto")
    e = nmu.NMF(8).fit(X)
    assert e.stop_ == "tolerance" and e.n_iter_ < 100
    for estimator, paper in ((nmu.NMF(4, tol=0), "hals"), (nmu.NMU(4), "lagrangian"), (nmu.NMU(4, method="gnmu"), "lagrangian")):
        same = [clone(estimator).set_params(solver=s).fit(X).components_ for s in ("paper", paper)]
        assert np.array_equal(*same) and np.array_equal(same[0], nmu.factor(X, 4, estimator.method, solver=paper, restarts=1).W)


# Values of all options, one method and option at a time, with what the option needs.
VALUES = {
    "sweeps": 2, "threshold_v": 0.1, "threshold_w": 0.1, "penalty_v": 0.1, "penalty_w": 0.1, "sparsity_v": 0.5, "sparsity_w": 0.5, "hoyer_v": 0.5, "hoyer_w": 0.5, "l2_v": 0.1, "l2_w": 0.1,
    "inner": 1, "rho": 2, "residual_tolerance": 0.01, "feasible": "final", "feasible_steps": 2, "step_offset": 1,
    "multipliers": "start", "block": 2, "norm": "l1", "smooth_v": 0.1, "smooth_w": 0.1, "smooth_norm": "l2",
    "shape_v": (6, 5), "shape_w": (8, 8), "sum_to_one": "v",
}
NEEDS = {
    "feasible_steps": {"feasible": "final"}, "smooth_norm": {"smooth_w": 0.1, "shape_w": (8, 8)}, "shape_v": {"smooth_v": 0.1},
    "shape_w": {"smooth_w": 0.1}, "smooth_v": {"shape_v": (6, 5)}, "smooth_w": {"shape_w": (8, 8)},
}


@pytest.mark.parametrize("weighted", [False, True])
def test_auto_goes_with_every_option(weighted):
    for m in nmu.about()["methods"]:
        for o in m["options"]:
            name = o["name"].replace("-", "_")
            if name == "solver":
                continue
            options = {name: VALUES[name], **NEEDS.get(name, {})}
            if m["name"] in ("kl", "snmf") and name in ("sweeps", "penalty_v", "penalty_w"):
                options.update(penalty_v=0.1, penalty_w=0.1)
            if name in ("l2_v", "l2_w"):
                options.update(l2_v=0.1, l2_w=0.1)
            if m["name"] == "rnmu" and name == "sweeps":
                options.update(block=2)
            estimator = nmu.NMU if m["underapproximates"] else nmu.NMF
            run = lambda solver: estimator(2, method=m["name"], solver=solver, max_iter=5, tol=0, **options).fit(
                X[:30], sample_weight=1 + np.arange(30) % 2 if weighted else None)
            refused = {}
            for solver in ("auto", "paper", *next((s["choices"] for s in m["options"] if s["name"] == "solver"), [])):
                try:
                    run(solver)
                except nmu.Error as e:
                    refused[solver] = str(e)
            # It takes a solver that can do it, if there is one.
            solvers = {s for s in refused if s not in ("auto", "paper")}
            assert "auto" not in refused or len(solvers) == 2 or m["name"] == "hoyer", (m["name"], options, refused)


def test_names_of_scikit_learn():
    for name in ("alpha_W", "alpha_H", "l1_ratio", "shuffle"):
        with pytest.raises(TypeError, match=f"{name} is a parameter of scikit-learn's NMF; .* here"):
            (nmu.NMU if name in ("alpha_W", "alpha_H", "l1_ratio") else nmu.NMF)(3, **{name: 0.1})
    for options, equivalent in (
        ({"init": "custom"}, r"init=\(weights, components\)"), ({"solver": "mu"}, 'goes with beta_loss="kullback-leibler"'), ({"beta_loss": "itakura-saito"}, "frobenius"),
        ({"beta_loss": "kullback-leibler", "method": "snmf"}, "leave one of them out"),
    ):
        with pytest.raises(ValueError, match=equivalent):
            nmu.NMF(3, **options).fit(X)
    assert np.array_equal(nmu.NMF(3, init=None).fit(X).components_, nmu.NMF(3).fit(X).components_)
    for theirs, ours in (({"init": "nndsvda"}, {"init": "svd"}), ({"solver": "cd"}, {"solver": "accelerated"}),
                         ({"solver": "mu", "method": "kl"}, {"solver": "multiplicative", "method": "kl"})):
        with pytest.warns(UserWarning, match='of scikit-learn is (init="svd"|solver="accelerated"|solver="multiplicative") here'):
            assert np.array_equal(nmu.NMF(3, **theirs).fit(X).components_, nmu.NMF(3, **ours).fit(X).components_)
    for word, own in (("iterations", "max_iter"), ("rank", "n_components"), ("k", "n_components"), ("seed", "random_state"), ("tolerance", "tol"), ("n_jobs", "threads")):
        with pytest.raises(TypeError, match=f"NMF has no parameter {word}; did you mean {own}?"):
            nmu.NMF(**{word: 3})
    for n in (0, 2.5):
        with pytest.raises(nmu.Error, match="^n_components "):
            nmu.NMF(n).fit(X)
    with pytest.raises(TypeError, match="underapproximation in the Frobenius norm"):
        nmu.NMU(3, beta_loss="kullback-leibler")
    assert np.array_equal(nmu.NMF(3, beta_loss=2).fit(X).components_, nmu.NMF(3).fit(X).components_)
    divergence = nmu.NMF(3, beta_loss="kullback-leibler")
    if any(m["name"] == "kl" for m in nmu.about()["methods"]):
        assert np.array_equal(divergence.fit(X).components_, nmu.NMF(3, method="kl").fit(X).components_)
    else:
        with pytest.raises(ValueError, match='needs a method "kl"'):
            divergence.fit(X)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("l1_ratio", [0, 0.25, 1])
def test_penalties_of_scikit_learn(loss, l1_ratio):
    # From the same start both end with the same objective, in a matrix of planted parts.
    rng = np.random.default_rng(0)
    V, W = rng.random((12, 3)) * (rng.random((12, 3)) < 0.6), rng.random((3, 9)) * (rng.random((3, 9)) < 0.6)
    M = V @ W + 0.05 + 0.02 * rng.random((12, 9))
    start, alpha = (V + 0.1, W + 0.1), {"alpha_W": 0.002, "alpha_H": 0.003, "l1_ratio": l1_ratio}

    def theirs(start, iterations):
        V, W, _ = non_negative_factorization(
            M, *(x.copy() for x in start), n_components=3, init="custom", beta_loss=loss, tol=0, max_iter=iterations,
            solver="cd" if loss == "frobenius" else "mu", **alpha)
        return objective(V, W)

    def objective(V, W):
        Y = V @ W
        error = ((M - Y) ** 2).sum() / 2 if loss == "frobenius" else (M * np.log(M / Y) - M + Y).sum()
        for x, by in ((V, 0.002 * 9), (W, 0.003 * 12)):
            error += by * (l1_ratio * x.sum() + (1 - l1_ratio) / 2 * (x ** 2).sum())
        return error

    e = nmu.NMF(3, init=start, beta_loss=loss, tol=0, max_iter=3000, **alpha).fit(M)
    ours = objective(e.weights_, e.components_)
    if loss == "frobenius":
        assert ours == pytest.approx(theirs(start, 5000), rel=1e-9)
    else:  # whose updates approach zeros slowly; they improve on the minimum by nothing
        assert ours <= theirs(start, 1000) * (1 + 1e-9)
        assert ours == pytest.approx(theirs((e.weights_, e.components_), 1000), rel=1e-9)


def test_penalties_refused():
    for options, message in (
        ({"alpha_W": -1}, r"alpha_W=-1; choose a number >= 0"), ({"alpha_W": 1, "alpha_H": "x"}, 'alpha_H=\'x\'; choose a number >= 0 or "same"'),
        ({"alpha_W": 1, "l1_ratio": 2}, "l1_ratio=2; choose a number from 0 to 1"), ({"alpha_W": 1, "alpha_H": 0}, "set both"),
        ({"alpha_W": 1, "l2_v": 1}, "alpha_W and alpha_H with l2_v"), ({"alpha_W": 1, "method": "hoyer", "hoyer_v": 0.5}, 'with method="hoyer"'),
        ({"alpha_W": 1, "l1_ratio": 0.5, "sum_to_one": "v"}, "sum_to_one with l1_ratio > 0"),
    ):
        with pytest.raises(ValueError, match=message):
            nmu.NMF(3, **options).fit(X)
    assert nmu.NMF(3, alpha_W=0.1, max_iter=3, tol=0).fit(X).components_.any()
    with pytest.raises(AttributeError, match="no steps for alpha_W"):
        nmu.NMF(3, alpha_W=0.1).partial_fit(X)
    assert hasattr(nmu.NMF(3), "partial_fit")


def test_sums_of_one():
    rng = np.random.default_rng(0)
    parts = rng.dirichlet(np.ones(3), 40)
    X = parts @ rng.random((3, 12))
    model = nmu.NMF(3, sum_to_one="v", max_iter=200).fit(X)
    assert np.abs(model.weights_.sum(1) - 1).max() < 1e-12
    assert np.abs(model.transform(X).sum(1) - 1).max() < 1e-12
