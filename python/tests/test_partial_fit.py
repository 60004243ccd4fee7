"""partial_fit: a factorization that goes on with batches of samples."""

import pickle

import numpy as np
import pytest
import scipy.sparse

import nmu


def planted(seed, samples=400, features=30, rank=5):
    rng = np.random.default_rng(seed)
    weights = rng.random((samples, rank)) * (rng.random((samples, rank)) < 0.6)
    components = rng.random((rank, features)) * (rng.random((rank, features)) < 0.6)
    return np.maximum(0, weights @ components + 0.05 * rng.standard_normal((samples, features)))


def error(e, x):
    return np.linalg.norm(x - e.inverse_transform(e.transform(x)))


@pytest.mark.parametrize("seed", range(5))
def test_one_pass_ends_near_fit(seed):
    x = planted(seed)
    settings = {"restarts": 3, "tol": 1e-5, "max_iter": 1000}
    whole = nmu.NMF(5, **settings).fit(x)
    e = nmu.NMF(5, **settings)
    for batch in np.split(x, 10):
        assert e.partial_fit(batch) is e
        assert e.weights_.shape == (40, 5) and 1 <= e.n_iter_ <= 10
        assert np.isclose(e.relative_error_, e.reconstruction_err_ / np.linalg.norm(batch))
    assert error(e, x) < 1.01 * error(whole, x)


def test_fit_begins_anew():
    x = planted(1, 60)
    e = nmu.NMF(3).partial_fit(x)
    assert e.sums_[0].shape == (3, 3) and e.fit(x).sums_ is None  # test_update has the numbers
    first = nmu.NMF(3).partial_fit(x[:20])
    assert np.array_equal(nmu.NMF(3).fit(x).partial_fit(x[:20]).components_, first.components_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_samples_and_pickles_have_the_same_bits(dtype):
    x = planted(2, 60).astype(dtype)
    x[x < 0.3] = 0
    all_ = []
    for batches in ([x[:30], x[30:]], [x[:30], scipy.sparse.csr_matrix(x[30:])], [x[:30], scipy.sparse.csc_matrix(x[30:])]):
        e = nmu.NMF(4, init="svd", threads=len(all_) + 1).partial_fit(batches[0])
        all_.append(pickle.loads(pickle.dumps(e)).partial_fit(batches[1]))
    assert all_[0].components_.dtype == dtype
    for e in all_[1:]:
        assert np.array_equal(all_[0].components_, e.components_) and np.array_equal(all_[0].weights_, e.weights_)
    # Samples of the other precision are converted to that of the components.
    other = nmu.NMF(4, init="svd").partial_fit(x[:30]).partial_fit(x[30:].astype(np.float64))
    assert np.array_equal(other.components_, all_[0].components_)


@pytest.mark.parametrize("estimator, text", [
    (nmu.NMF(2, beta_loss="kullback-leibler"), 'this is method "kl"'),
    (nmu.NMU(2), "partial_fit"),
    (nmu.NMF(2, method="snmf"), 'this is method "snmf"'),
    (nmu.NMF(2, sum_to_one="v"), "no steps for sum_to_one"),
    (nmu.NMF(2, under=True), "no steps for under=True"),
    (nmu.NMF(2, missing_values=np.nan), "or missing_values"),
    (nmu.NMF(2, fix_w=np.ones((1, 30))), "no steps for fix_w"),
    (nmu.NMF(2, baseline=True), "no steps for baseline"),
])
def test_other_problems_are_refused(estimator, text):
    assert not hasattr(estimator, "partial_fit")
    with pytest.raises(AttributeError, match=text):
        estimator.partial_fit(planted(0, 20))
    assert not hasattr(estimator, "components_")


def test_samples_of_other_features_are_refused_and_change_nothing():
    x = planted(3, 40)
    e = nmu.NMF(3).partial_fit(x[:20])
    before = e.components_.copy(), e.sums_[0].copy()
    with pytest.raises(ValueError, match="features"):
        e.partial_fit(x[20:, 1:])
    with pytest.raises(ValueError, match="[Nn]egative"):
        e.partial_fit(-x[20:])
    assert np.array_equal(before[0], e.components_) and np.array_equal(before[1], e.sums_[0])
