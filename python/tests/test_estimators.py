"""The estimators, as scikit-learn asks for them."""

import pickle
import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import nmu

X = load_digits().data[:300]


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
    want = nmu.factor(x, 8, e.method, restarts=1, **({"feasible": e.feasible} if hasattr(e, "feasible") else {}))
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
        nmu.NMF(4, max_iter=20).fit(X)  # without tol the number of iterations is what was asked for
        nmu.NMF(4, tol=1e-2).fit(X)


def test_sparse():
    e = nmu.NMU(4).fit(scipy.sparse.csr_matrix(X))
    res = nmu.factor(scipy.sparse.csr_matrix(X), 4, restarts=1)
    assert np.array_equal(e.components_, res.W) and abs(e.reconstruction_err_ / np.linalg.norm(X) - res.relative_error) < 1e-12
    assert -1 < e.score(scipy.sparse.csr_matrix(X)) < 0


def test_sparse_samples_are_transformed_together(monkeypatch):
    X = scipy.sparse.random(50, 40, 0.5, "csr", random_state=0)
    fitted = nmu.NMF(2).fit(X)
    want = fitted.transform(X.toarray())
    calls = []
    transform = nmu.transform
    monkeypatch.setattr("nmu._functions.transform", lambda *args, **options: calls.append(args) or transform(*args, **options))
    assert np.array_equal(fitted.transform(X), want) and len(calls) == 1


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
    want = nmu.factor(np.where(seen, x, -7), 8 if e.n_components == 8 else 4, e.method, iterations=e.max_iter, restarts=1,
                      mask=seen, missing_solver=e.missing_solver)
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
    want = nmu.factor(X, e.n_components, e.method, restarts=1, weights=np.broadcast_to(each[:, None], X.shape))
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
    with pytest.raises(TypeError, match="nothing"):
        nmu.NMF(nothing=1)
    with pytest.raises(ValueError, match="no option"):
        nmu.NMF(2, sparsity_v=0.5).fit(X)  # which method nmf does not have
    with pytest.raises(ValueError, match="rank 65"):
        nmu.NMF(65).fit(X)
    sparse = nmu.NMF(4, method="snmf", sparsity_v=0.8, sparsity_w=0.4).fit(X)
    assert (sparse.components_ < 1e-3 * sparse.components_.max(1, keepdims=True)).mean() > 0.2
    state = np.random.RandomState(3)
    a, b = nmu.NMF(4, random_state=state).fit(X), nmu.NMF(4, random_state=state).fit(X)
    assert not np.array_equal(a.components_, b.components_)
    assert np.array_equal(nmu.NMF(4, random_state=None).fit(X).components_, nmu.NMF(4, random_state=0).fit(X).components_)


def test_in_a_pipeline():
    search = GridSearchCV(make_pipeline(MinMaxScaler(clip=True), nmu.NMF(max_iter=50)), {"nmf__n_components": [2, 8]}, cv=2)
    assert search.fit(X).best_params_ == {"nmf__n_components": 8}
