"""The numbers of method "kl", compared with those of scikit-learn."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import NMF as Reference

import nmu


def counts(rows, cols):
    rng = np.random.default_rng(4)
    return rng.poisson(rng.random((rows, 3)) @ rng.random((3, cols)) * 4).astype(float)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, np.float32])
def test_reconstruction_error(kind):
    X = kind(counts(40, 25))
    e = nmu.NMF(3, beta_loss="kullback-leibler").fit(X)
    V, W = e.weights_.astype(float), e.components_.astype(float)
    dense = X.toarray() if sparse.issparse(X) else X.astype(float)
    y = V @ W
    d = np.sum(np.where(dense > 0, dense * np.log(np.where(dense > 0, dense, 1) / np.where(y > 0, y, 1)), 0) - dense + y)
    assert abs(e.reconstruction_err_ - np.sqrt(2 * d)) < 1e-5 * e.reconstruction_err_
    theirs = Reference(3, beta_loss="kullback-leibler", solver="mu", init="random", random_state=0, max_iter=2000, tol=1e-8).fit(dense)
    assert abs(e.reconstruction_err_ - theirs.reconstruction_err_) < 0.05 * theirs.reconstruction_err_


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("under", [False, True])
def test_score(kind, under):
    X = counts(40, 25)
    e = nmu.NMF(3, method="kl", under=under, tol=0, max_iter=500).fit(kind(X))
    y = e.transform(kind(X)) @ e.components_
    least = X.max() * np.finfo(float).eps ** 2
    logs = np.where(X > 0, X, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.sum(np.where(X > 0, X * np.log(logs / np.where(y > 0, np.maximum(y, least), 0)), 0) - X + y)
    null = np.sum(np.where(X > 0, X * np.log(logs / X.mean()), 0))
    assert np.isclose(e.score(kind(X)), -d / null, rtol=0, atol=1e-9)
    e.components_[:, 4] = 0  # where X is positive
    assert e.score(kind(X)) == -np.inf
    V = np.zeros((40, 3))
    V[1:] = 1
    with pytest.warns(UserWarning, match="the divergence is infinite"):
        assert nmu.factor(kind(X), 3, "kl", fix_v=V).relative_divergence == np.inf


def test_weights_of_samples():
    X = counts(30, 20)
    weights = np.arange(30) % 3
    e = nmu.NMF(3, method="kl", missing_values=np.nan)
    X[3, 4] = np.nan
    e.fit(X, sample_weight=weights)
    y = e.weights_ @ e.components_
    d = np.where(X > 0, X * np.log(np.where(X > 0, X, 1) / np.where(y > 0, y, 1)), 0) - X + y
    assert abs(e.reconstruction_err_ - np.sqrt(2 * np.nansum(d * weights[:, None]))) < 1e-9


def test_more_components_than_rows():
    X = counts(4, 3)
    assert nmu.factor(X, 5, "nmf").relative_error < 0.02
    assert nmu.NMF(5).fit(X).weights_.shape == (4, 5)
    for rank in 0, -1, 2**31:
        with pytest.raises(nmu.Error, match="rank"):
            nmu.factor(X, rank, "nmf")
