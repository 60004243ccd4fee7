"""Arrays of any type and DataFrames: their numbers, their names, and the order of these.

pandas is not imported: whoever passes a DataFrame has it."""

from __future__ import annotations

import warnings
from collections import Counter
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._library import SHAPE, Error


class Names(NamedTuple):
    """The names of the rows and columns of a matrix, as a DataFrame has them; None without names."""

    index: Any
    columns: Any


def is_table(a: Any) -> bool:
    """Says whether a is a DataFrame, or looks like one."""
    return all(hasattr(a, name) for name in ("iloc", "dtypes", "columns", "to_numpy"))


def framed(a: Any) -> Any:
    """Returns a DataFrame of polars, or a Table of pyarrow, as one of pandas if that is installed. A first column of
    different texts names the rows. Everything else stays."""
    names = getattr(a, "column_names", getattr(a, "columns", None))
    if is_table(a) or names is None or not hasattr(a, "to_pandas"):
        return a
    try:
        import pandas
    except ImportError:
        return np.column_stack([np.asarray(a[name]) for name in names])
    frame = pandas.DataFrame({name: np.asarray(a[name]) for name in names})
    first = list(frame.iloc[:, 0]) if len(names) > 1 else [None]
    return frame.set_index(names[0]) if all(isinstance(x, str) for x in first) and len(set(first)) == len(first) else frame


def is_annotated(a: Any) -> bool:
    """Says whether a is an AnnData, or looks like one."""
    return all(hasattr(a, name) for name in ("X", "layers", "obs_names", "var_names", "obsm", "varm"))


def is_sparse_table(a: Any) -> bool:
    """Says whether a is a DataFrame of sparse columns, which do not store zeros."""
    return is_table(a) and hasattr(a, "sparse") and a.shape[1] > 0 and not any(t.fill_value for t in a.dtypes)


def names_of(a: Any) -> Names:
    """Returns the names of the rows and columns of a matrix."""
    if is_annotated(a):
        return Names(a.obs_names, a.var_names)
    return Names(a.index, a.columns) if is_table(a) else Names(None, None)


def aligned(a: Any, name: str, index: Any = None, columns: Any = None, depth: int = 3) -> Any:
    """Returns a with its rows in the order of index and its columns in that of columns, which
    are names of M, or None. What is no DataFrame has no names, and stays. The depth is that of the
    caller to warn."""
    a = framed(a)
    if not is_table(a):
        return a
    for axis, (what, want, have) in enumerate([("row", index, a.index), ("column", columns, a.columns)]):
        order = None if want is None else _order(want, have, what, name)
        if order is not None:
            warnings.warn(f"the {what}s of {name} are those of M in another order, and are matched by name", stacklevel=depth)
            a = a.iloc[:, order] if axis else a.iloc[order]
    return a


def _order(want: Any, have: Any, what: str, name: str) -> list[int] | None:
    """Returns the place of each name of want in have, or None if nothing has to move: the names
    are equal, or sizes decide, which they do if one list only counts from 0 or 1."""
    if len(want) != len(have) or want.equals(have):
        return None
    want, have = list(want), list(have)
    lacking, extra = (list((Counter(x) - Counter(y)).elements()) for x, y in ((want, have), (have, want)))
    if lacking:
        if counts(want) or counts(have):
            return None
        raise Error(
            f"the {what}s of M and of {name} have different names: {lacking[0]!r} is only in M, and {extra[0]!r} only in {name}; "
            f"give both the same {what}s, or pass an array in the order of M if only the names differ", SHAPE)
    place = {x: i for i, x in enumerate(have)}
    if len(place) < len(have):
        twice = next(x for x, times in Counter(have).items() if times > 1)
        raise Error(
            f"the {what}s of {name} are those of M in another order, and the name {twice!r} occurs more than once, so "
            f"they cannot be matched by name; pass an array in the order of M", SHAPE)
    return [place[x] for x in want] if want != have else None


def counts(names: list[Any]) -> bool:
    """Says whether the names are the numbers from 0 or 1, which rows and columns without names have."""
    return any([str(x) for x in names] == [str(x) for x in range(first, first + len(names))] for first in (0, 1))


def values(a: Any, name: str) -> NDArray[Any]:
    """Returns the numbers of a DataFrame. Missing ones, such as pandas.NA, are NaN."""
    if all(isinstance(t, np.dtype) and t.kind in "fiu" for t in a.dtypes):
        x = a.to_numpy()
        if x.dtype.kind != "O":  # as of signed and unsigned columns
            return np.asarray(x)
    columns = [_column(a.iloc[:, j], name) for j in range(a.shape[1])]
    single = columns and all(x.dtype == np.float32 for x in columns)
    out = np.empty(a.shape, np.float32 if single else np.float64, order="F")
    for j, x in enumerate(columns):
        out[:, j] = x
    return out


def check_columns(a: Any, name: str, kinds: str = "") -> None:
    """Raises an error about the first column of a DataFrame, or an array, that holds no numbers.
    If kinds are given, only columns of these kinds of dtype are looked at."""
    if is_table(a):
        for j, dtype in enumerate(a.dtypes):
            if not kinds or getattr(dtype, "kind", "O") in kinds:
                _column(a.iloc[:, j], name)
    elif kinds and getattr(getattr(a, "dtype", None), "kind", "") in tuple(kinds):
        raise TypeError(f"{name} is of {a.dtype}; it must hold numbers")


def _column(c: Any, name: str) -> NDArray[Any]:
    """Returns the numbers of one column of a DataFrame."""
    dtype = c.dtype
    kind = getattr(dtype, "kind", "O")
    if kind == "O":
        x = np.asarray(c, dtype=object)
        numbers, bad = _floats(x)
        if bad is not None:
            holds = "text" if isinstance(x[bad], str) else f"a {type(x[bad]).__name__}"
            raise TypeError(f"column {c.name!r} of {name} is not of numbers: row {bad + 1} holds {holds}, {x[bad]!r:.40}; "
                            f"leave it out: {name}.drop(columns=[{c.name!r}])")
        return numbers
    if kind not in "fiub":
        raise TypeError(f"column {c.name!r} of {name} is of {dtype}, not of numbers; leave it out: {name}.drop(columns=[{c.name!r}])")
    single = kind == "f" and getattr(dtype, "itemsize", 8) == 4
    if isinstance(dtype, np.dtype) or hasattr(c, "sparse"):
        return np.asarray(c).astype(np.float32 if single else np.float64, copy=False)
    return np.asarray(c.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan))


def objects(a: NDArray[Any], name: str) -> NDArray[Any]:
    """Returns the numbers of an array of objects of two dimensions."""
    numbers, bad = _floats(a.ravel())
    if bad is not None:
        i, j = divmod(bad, a.shape[1])
        raise TypeError(f"row {i + 1}, column {j + 1} of {name} is {a[i, j]!r:.40}, a {type(a[i, j]).__name__}; it must be a number")
    return numbers.reshape(a.shape)


def _floats(x: NDArray[Any]) -> tuple[NDArray[Any], int | None]:
    """Returns objects as numbers, with NaN for None and pandas.NA, and the place of the first
    object that is neither, or None."""
    numbers = np.empty(len(x))
    for i, value in enumerate(x):
        if value is None or type(value).__name__ == "NAType":
            numbers[i] = np.nan
        elif isinstance(value, (Real, Decimal, np.bool_)):
            numbers[i] = float(value)
        else:
            return numbers, i
    return numbers, None
