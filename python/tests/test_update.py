"""update: a factorization by nmf goes on with new columns."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import nmu


def columns(seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    m = np.maximum(0, rng.random((25, 4)) @ rng.random((4, 60)) - 0.5).astype(dtype)
    return np.split(m, 3, axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bits_are_those_of_partial_fit(dtype):
    batches = columns(0, dtype)
    e = nmu.NMF(4, init="svd", tol=1e-4)
    x = e.fit(batches[0].T).components_.T
    for batch in batches:
        x, e = nmu.update(x, batch, threads=2), e.partial_fit(batch.T)
        assert x.V.dtype == dtype and np.array_equal(x.V.T, e.components_) and np.array_equal(x.weights.W.T, e.weights_)
        assert np.array_equal(x.WW, e.sums_[0]) and np.array_equal(x.MW, e.sums_[1])
        assert 1 <= x.weights.iterations_done <= 10 and x.weights.stop in ("iterations", "tolerance")


def test_the_sums_are_those_of_all_columns():
    x, ww, mw = nmu.factor(columns(1)[0], 3, "nmf").V, 0, 0
    for batch in columns(1):
        x = nmu.update(x, batch)
        ww, mw = ww + x.weights.W @ x.weights.W.T, mw + batch @ x.weights.W.T
        assert np.allclose(x.WW, ww, rtol=1e-12) and np.allclose(x.MW, mw, rtol=1e-12)
        apart = nmu.update(x.V, batch, x.WW, x.MW)
        assert np.array_equal(apart.V, nmu.update(x, batch).V)


def test_sparse_columns_have_the_same_bits():
    first, second, _ = columns(2)
    v = nmu.factor(first, 3, "nmf").V
    want = nmu.update(v, second, iterations=3, tolerance=1e-300)
    assert want.weights.iterations_done == 3
    for m in (scipy.sparse.csr_matrix(second), scipy.sparse.csc_matrix(second), np.asfortranarray(second)):
        got = nmu.update(v, m, iterations=3, tolerance=1e-300)
        assert np.array_equal(got.V, want.V) and np.array_equal(got.MW, want.MW) and np.array_equal(got.weights.W, want.weights.W)


def test_rows_are_matched_by_name():
    names = [f"g{i}" for i in range(25)]
    first, second, _ = (pd.DataFrame(m, index=names) for m in columns(3))
    begun = nmu.update(nmu.factor(first, 3, "nmf").V, first)
    want, got = nmu.update(begun, second), nmu.update(begun, second.iloc[::-1])
    assert list(want.V.index) == names and list(got.V.index) == names[::-1] and list(got.weights.W.columns) == list(second.columns)
    assert np.allclose(got.V.loc[names], want.V, rtol=1e-9) and np.allclose(got.MW.loc[names], want.MW, rtol=1e-9)
    with pytest.raises(nmu.Error, match="different names"):
        nmu.update(begun, second.rename(index={"g0": "other"}))


def test_other_arguments_are_refused_and_change_nothing():
    first, second, _ = columns(4)
    x = nmu.update(nmu.factor(first, 3, "nmf").V, first)
    before = x.V.copy(), x.WW.copy(), x.MW.copy()
    with pytest.raises(nmu.Error, match="leave WW and MW out"):
        nmu.update(x, second, x.WW, x.MW)
    with pytest.raises(nmu.Error, match="one of WW and MW is missing"):
        nmu.update(x.V, second, x.WW)
    with pytest.raises(nmu.Error, match="negative"):
        nmu.update(x, -second)
    with pytest.raises(nmu.Error, match="24"):
        nmu.update(x, second[1:])
    with pytest.raises(nmu.Error, match="sums"):
        nmu.update(x.V, second, x.WW[:2, :2], x.MW)
    assert all(np.array_equal(a, b) for a, b in zip(before, (x.V, x.WW, x.MW)))
    nmu.update(x, second)
    assert all(np.array_equal(a, b) for a, b in zip(before, (x.V, x.WW, x.MW)))
