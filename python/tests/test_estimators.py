"""The estimators, as scikit-learn asks for them."""

import pickle

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import nmu

X = load_digits().data[:300]


# All of them: there is no exception to justify.
@parametrize_with_checks([nmu.NMF(), nmu.NMU(), nmu.NMU(method="gnmu"), nmu.NMU(under=True), nmu.NMF(n_components=1)])
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


def test_sparse():
    e = nmu.NMU(4).fit(scipy.sparse.csr_matrix(X))
    res = nmu.factor(scipy.sparse.csr_matrix(X), 4, restarts=1)
    assert np.array_equal(e.components_, res.W) and abs(e.reconstruction_err_ / np.linalg.norm(X) - res.relative_error) < 1e-12
    assert -1 < e.score(scipy.sparse.csr_matrix(X)) < 0


def test_under():
    e = nmu.NMU(6, under=True).fit(X)
    assert (e.inverse_transform(e.transform(X)) <= X + 1e-12).all()


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
