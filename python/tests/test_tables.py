"""Columns and arrays of other types: as numbers where they are some, else refused by name."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest
import scipy.sparse

import nmu

NUMBERS = np.arange(1.0, 13).reshape(4, 3) ** 2 % 11 + 1
NAMES = ["a", "b", "c"]


def table(dtype):
    return pandas.DataFrame(NUMBERS, columns=NAMES).astype(dtype)


def same(x, y):
    return np.array_equal(np.asarray(x.V), np.asarray(y.V)) and np.array_equal(np.asarray(x.W), np.asarray(y.W))


@pytest.mark.parametrize("m", [
    table("Int64"), table("UInt8"), table("Float64"), table({"a": "Int64", "b": "float32", "c": "Float64"}),
    table({"a": "int64", "b": "uint64", "c": "float64"}), table(object), table("category"),
    table(int).apply(lambda c: c.map(Decimal)), table(int).apply(lambda c: c.map(Fraction)), table({"a": "Sparse[float]"}),
    table("Sparse[float]"), NUMBERS.astype(object), table(int).apply(lambda c: c.map(Decimal)).to_numpy(),
], ids=lambda m: str(set(map(str, m.dtypes))) if hasattr(m, "dtypes") else f"array of {type(m[0, 0]).__name__}")
def test_numbers(m):
    res = nmu.factor(m, 2, "nmf", seed=1)
    assert same(res, nmu.factor(NUMBERS, 2, "nmf", seed=1)) and np.asarray(res.V).dtype == np.float64
    if hasattr(m, "columns"):
        assert list(res.W.columns) == NAMES
    assert np.array_equal(nmu.NMF(2, tol=0, max_iter=3).fit(m).components_, nmu.NMF(2, tol=0, max_iter=3).fit(NUMBERS).components_)


def test_single_precision_and_bools():
    want = nmu.factor(NUMBERS.astype(np.float32), 2, "nmf")
    for m in (table("Float32"), table("float32"), table({"a": "Float32", "b": "float32", "c": "float32"})):
        res = nmu.factor(m, 2, "nmf")
        assert same(res, want) and res.V.to_numpy().dtype == np.float32
    yes = pandas.DataFrame(NUMBERS > 4, columns=NAMES)
    for m in (yes, yes.astype("boolean"), yes.astype({"a": "boolean"}), yes.astype({"b": int}), yes.astype(object)):
        assert same(nmu.factor(m, 1, "nmf"), nmu.factor(yes.to_numpy(float), 1, "nmf"))
        assert nmu.biclique(m).edges == nmu.biclique(yes.to_numpy()).edges


@pytest.mark.parametrize("dtype", ["Int64", "Float64", object, {"b": "Int64"}], ids=str)
def test_missing_ones(dtype):
    m, array = table(dtype), NUMBERS.copy()
    m.iloc[1, 1] = None if dtype is object else pandas.NA
    array[1, 1] = np.nan
    with pytest.raises(nmu.Error, match="row 2, column 2 of M"):
        nmu.factor(m, 2)
    assert same(nmu.factor(m, 2, "nmf", missing="allow"), nmu.factor(array, 2, "nmf", missing="allow"))


@pytest.mark.parametrize("values, says", [
    (["x"] * 4, "'group' .* row 1 holds text, 'x'"), ([1, 2, "three", 4], "'group' .* row 3 holds text, 'three'"),
    ([1, 2, 3j, 4], "'group' of M is of complex"), ([1, 2, [3], 4], "'group' .* row 3 holds a list"),
    (pandas.Series(["x", "y", "x", "y"], dtype="string"), "'group' .* holds text"),
    (pandas.Series(["x", "y", "x", "y"], dtype="category"), "'group' .* holds text"),
    ([datetime.date(2026, 1, 1)] * 4, "'group' .* holds a date"),
    (pandas.date_range("2026-01-01", periods=4), "'group' of M is of datetime64"),
    (pandas.to_timedelta([1, 2, 3, 4]), "'group' of M is of timedelta64"),
    (pandas.period_range("2026-01", periods=4, freq="M"), "'group' .* holds a Period"),
], ids=str)
def test_columns_of_something_else(values, says):
    m = table(float).assign(group=values)
    with pytest.raises(TypeError, match=says + r".*M.drop\(columns=\['group'\]\)"):
        nmu.factor(m, 2)
    with pytest.raises((TypeError, ValueError), match="group|omplex"):  # scikit-learn knows complex numbers
        nmu.NMF(2).fit(m)


def test_arrays_of_something_else():
    bad = NUMBERS.astype(object)
    bad[2, 1] = "x"
    with pytest.raises(TypeError, match="row 3, column 2 of M is 'x', a str"):
        nmu.factor(bad, 2)
    structured = np.zeros(4, [("a", float), ("b", float)])
    with pytest.raises(TypeError, match="structured_to_unstructured"):
        nmu.factor(structured, 1)
    dates = pandas.DataFrame({"day": pandas.date_range("2026-01-01", periods=4)})
    for x in (dates, dates.to_numpy()):  # of which scikit-learn makes nanoseconds
        with pytest.raises(TypeError, match="datetime64"):
            nmu.NMF(1).fit(x)
    for call in (lambda s: nmu.transform(s, NUMBERS), lambda s: nmu.factor(NUMBERS, 1, weights=s), lambda s: nmu.factor(NUMBERS, 1, mask=s)):
        with pytest.raises(TypeError, match="sparse; pass its toarray"):
            call(scipy.sparse.csr_matrix(np.ones((4, 3))))


def test_sparse_tables_stay_sparse():
    m = pandas.DataFrame(NUMBERS * (NUMBERS != 5) * (NUMBERS != 2), columns=NAMES)
    res = nmu.factor(m.astype(pandas.SparseDtype(float, 0)), 2)
    want = nmu.factor(scipy.sparse.csr_matrix(m.to_numpy()), 2)
    assert same(res, want) and list(res.W.columns) == NAMES
    gaps = m.where(m > 0)  # NaN is what these do not store
    assert same(nmu.factor(gaps.astype(pandas.SparseDtype(float)), 1, "nmf", missing="allow"), nmu.factor(gaps, 1, "nmf", missing="allow"))
    with pytest.raises(TypeError, match="to_dense"):
        nmu.metrics(m.astype(pandas.SparseDtype(float, 0)), *res[:2])


def test_masks_that_are_tables():
    seen = pandas.DataFrame(NUMBERS != 5, columns=NAMES)
    want = nmu.factor(NUMBERS, 1, "nmf", mask=seen.to_numpy())
    for mask in (seen, seen.astype("boolean"), seen.astype("Int64"), seen.astype({"a": int})):
        assert same(nmu.factor(NUMBERS, 1, "nmf", mask=mask), want)
    unknown = seen.astype("boolean")
    unknown.iloc[0, 0] = pandas.NA
    with pytest.raises(TypeError, match="the mask has missing entries"):
        nmu.factor(NUMBERS, 1, mask=unknown)
    with pytest.raises(TypeError, match="column 'b' of the mask is of float64"):
        nmu.factor(NUMBERS, 1, mask=seen.astype({"b": float}))


def test_inverse_transform():
    e = nmu.NMF(2).fit(NUMBERS)
    w = np.array([[1.0, 0], [0, 2], [3, 1]])
    want = w @ e.components_
    for x in (w, scipy.sparse.csr_matrix(w), scipy.sparse.coo_matrix(w), scipy.sparse.csr_array(w), pandas.DataFrame(w),
              pandas.DataFrame(w).astype("Int64"), pandas.DataFrame(w).astype("Sparse[float]")):
        got = e.inverse_transform(x)
        assert type(got) is np.ndarray and got.dtype == np.float64 and np.allclose(got, want)
