"""Matrices whose rows and columns have names, in the order of M or in another one."""

import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse

import nmu
from annotated import Annotated

ROWS, COLS = [f"r{i}" for i in range(7)], [f"c{j}" for j in range(5)]
i, j = np.mgrid[:7, :5]
M = pandas.DataFrame((1.0 + i * i % 7) * (1 + j) + (6 - i) * (1 + j * j % 3), index=ROWS, columns=COLS)  # of rank 2
MIXED = M.iloc[[4, 2, 0, 6, 5, 1, 3], [3, 0, 4, 2, 1]]
BASIS = nmu.factor(M, 2, "nmf", seed=1)
MATCHED = "in another order, and are matched by name"


def like(table, values):
    """values, which belong to M, as a table with the order of another one."""
    return pandas.DataFrame(values, ROWS, COLS).reindex(index=table.index, columns=table.columns)


def annotated(m):
    """m as an AnnData, which has its names."""
    a = Annotated(m.to_numpy(), {})
    a.obs_names, a.var_names = m.index, m.columns
    return a


@pytest.mark.parametrize("kind", [lambda m: m, annotated, lambda m: m.astype(pandas.SparseDtype(float, 0))], ids=["table", "AnnData", "sparse table"])
def test_rows_of_a_basis(kind):
    with pytest.warns(UserWarning, match=f"the rows of V are those of M {MATCHED}"):
        w = nmu.transform(BASIS.V, kind(MIXED)).W
    assert list(w.columns) == list(MIXED.columns)
    assert np.allclose(BASIS.V.to_numpy() @ w[COLS].to_numpy(), M.to_numpy(), atol=0.05)


def test_starts_masks_weights():
    seen = pandas.DataFrame((i + j) % 4 > 0, ROWS, COLS)
    weight = pandas.DataFrame(1.0 + (i + 2 * j) % 3, ROWS, COLS)
    v, w = BASIS.V.loc[MIXED.index], BASIS.W[MIXED.columns]
    for f, same, mixed in [
        (lambda **o: nmu.factor(M, 2, "nmf", seed=1, iterations=5, **o), {"mask": seen}, {"mask": like(MIXED, seen)}),
        (lambda **o: nmu.factor(M, 2, "gnmu", seed=1, iterations=5, **o), {"weights": weight}, {"weights": like(MIXED, weight)}),
        (lambda **o: nmu.factor(M, 2, "nmf", iterations=5, **o), {"init": (BASIS.V, BASIS.W)}, {"init": (v, w)}),
        (lambda **o: nmu.improve(M, **o), {"V": BASIS.V, "W": BASIS.W}, {"V": v, "W": w}),
        (lambda **o: nmu.transform(BASIS.V, M, **o), {"mask": seen, "init": BASIS.W}, {"mask": like(MIXED, seen), "init": w}),
        (lambda **o: nmu.transform(BASIS.V, M, **o), {"weights": weight}, {"weights": like(MIXED, weight)}),
        (lambda **o: nmu.metrics(M, **o), {"V": BASIS.V, "W": BASIS.W}, {"V": v, "W": w}),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            want = f(**same)
        with pytest.warns(UserWarning, match=MATCHED) as told:
            got = f(**mixed)
        assert all(x.filename == __file__ for x in told)
        for x, y in zip(got, want):
            assert np.array_equal(x, y) if isinstance(x, pandas.DataFrame) else x == y


def test_different_names():
    other = M.rename(index={"r3": "R3"}, columns={"c1": "c 1"})
    rows, cols = "'r3' is only in M, and 'R3' only in {}", "'c1' is only in M, and 'c 1' only in {}"
    start = nmu.factor(other, 2, "nmf", seed=1)
    for call, says in [
        (lambda: nmu.transform(start.V, M), rows.format("V")), (lambda: nmu.metrics(M, start.V, BASIS.W), rows.format("V")),
        (lambda: nmu.improve(M, BASIS.V, start.W), cols.format("W")),
        (lambda: nmu.factor(M, 2, init=(BASIS.V, start.W)), cols.format("W")),
        (lambda: nmu.factor(M, 2, mask=other > 3), rows.format("the mask")),
        (lambda: nmu.factor(M, 2, weights=M.rename(columns={"c1": "c 1"})), cols.format("the matrix of weights")),
    ]:
        with pytest.raises(nmu.Error, match=says):
            call()
    twice = M.rename(index={"r3": "r2"})
    assert nmu.transform(nmu.factor(twice, 2, "nmf").V, twice).relative_error < 0.01
    with pytest.raises(nmu.Error, match="'r2' occurs more than once"):
        nmu.transform(BASIS.V.set_axis(twice.index[::-1]), twice)


def test_names_that_only_count():
    bare = M.to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for basis in (BASIS.V.to_numpy(), BASIS.V.reset_index(drop=True), BASIS.V.set_axis([str(k) for k in range(1, 8)])):
            assert nmu.transform(basis, M).relative_error < 0.01
        assert nmu.transform(BASIS.V, bare).relative_error < 0.01
        assert nmu.transform(BASIS.V, scipy.sparse.csr_matrix(bare)).relative_error < 0.01
        with pytest.raises(nmu.Error, match="M is 7 x 5, V 6 x 2"):
            nmu.transform(BASIS.V.iloc[:6], M)
    counted = M.reset_index(drop=True)
    basis = nmu.factor(counted, 2, "nmf", seed=1).V
    with pytest.warns(UserWarning, match=MATCHED):  # these numbers are names
        assert nmu.transform(basis, counted.iloc[::-1]).relative_error < 0.01


def test_estimators_have_the_convention_of_sklearn():
    e = nmu.NMF(2).fit(M)
    assert list(e.feature_names_in_) == COLS
    for use in (e.transform, e.score):
        with pytest.raises(ValueError, match="same order"):
            use(M[list(MIXED.columns)])
        with pytest.raises(ValueError, match="c9"):
            use(M.rename(columns={"c1": "c9"}))
    start = BASIS.V.loc[MIXED.index], BASIS.W[MIXED.columns]
    with pytest.warns(UserWarning, match=MATCHED):
        mixed = nmu.NMF(2, init=start, tol=0, max_iter=3).fit(M)
    same = nmu.NMF(2, init=(BASIS.V, BASIS.W), tol=0, max_iter=3).fit(M)
    assert np.array_equal(mixed.components_, same.components_) and np.array_equal(mixed.weights_, same.weights_)
