"""The functions, for all kinds of arrays."""

import ctypes
import json
import pathlib
import re
import resource
import subprocess
import threading

import numpy as np
import pandas
import pytest
import scipy.sparse

import nmu
from annotated import Annotated
from nmu import _library, _structs


def example(rows=23, cols=17):
    i, j = np.mgrid[:rows, :cols]
    return ((i * i + 3 * i * j + 5 * j) % 7).astype(float)


def orders(M):
    """M by rows, by columns, with gaps, backwards, at an odd place and read-only."""
    rows, cols = M.shape
    gaps = np.full((2 * rows, 3 * cols), np.nan, M.dtype)
    gaps[::2, ::3] = M
    odd = np.zeros(M.nbytes + 1, np.uint8)[1:].view(M.dtype).reshape(M.shape)
    odd[...] = M
    locked = M.copy()
    locked.flags.writeable = False
    record = np.zeros(M.shape, [("a", "i1"), ("b", M.dtype)])
    record["b"] = M
    return [
        np.ascontiguousarray(M), np.asfortranarray(M), gaps[::2, ::3], M[::-1, ::-1].copy()[::-1, ::-1], odd, locked,
        record["b"], M.astype(M.dtype.newbyteorder()),
    ]


def options_of(method):
    return {"snmf": {"sparsity_v": 0.5}, "hoyer": {"hoyer_v": 0.6}}.get(method["name"], {})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", nmu.about()["methods"], ids=lambda m: m["name"])
def test_any_order_gives_the_same_bits(method, dtype):
    M = example().astype(dtype)
    want = None
    for m in orders(M):
        before = m.copy()
        res = nmu.factor(m, 4, method["name"], seed=1, iterations=20, restarts=2, threads=1 + len(m) % 2, **options_of(method))
        assert res.V.dtype == res.W.dtype == dtype and res.V.shape == (23, 4) and res.W.shape == (4, 17)
        assert np.array_equal(m, before)
        want = want or res
        assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W)
    error = np.linalg.norm(M - want.V @ want.W) / np.linalg.norm(M)
    assert abs(error - want.relative_error) < 1e-5
    assert want.blocks[-1].rank == 4 and want.iterations_done == sum(b.iterations_done for b in want.blocks)


def test_float32_is_not_float64():
    M = example() + 0.1
    single, double = (nmu.factor(M.astype(t), 3, "nmf", restarts=1) for t in (np.float32, np.float64))
    assert not np.array_equal(single.V.astype(float), double.V) and np.allclose(single.V @ single.W, double.V @ double.W, atol=1e-3)
    with pytest.raises(TypeError, match="V is of float32 and M of float64"):
        nmu.transform(single.V, M)


def test_other_types():
    M = example()
    want = nmu.factor(M, 2)
    for t in (int, np.uint8, np.int64, np.float16):
        assert np.array_equal(nmu.factor(M.astype(t), 2).V, want.V)
    assert np.array_equal(nmu.factor(M.tolist(), 2).V, want.V)
    for bad, says in ((M.astype(np.longdouble), "convert it"), (M.astype(complex), "complex numbers"), (M.astype(str), "text"),
                      (M.astype("M8[D]"), "dates"), (M.astype("m8[s]"), "times")):
        with pytest.raises(TypeError, match=says):
            nmu.factor(bad, 2)
    with pytest.raises(ValueError, match="masked"):
        nmu.factor(np.ma.masked_equal(M, 3), 2)
    with pytest.raises(ValueError, match="the mask has masked entries"):
        nmu.factor(M, 2, mask=np.ma.masked_equal(M, 3) > 0)
    with pytest.raises(ValueError, match="1 dimensions"):
        nmu.factor(M[0], 2)


def test_errors_say_where():
    M = example()
    M[5, 6] = -2
    for m in orders(M):
        with pytest.raises(nmu.Error, match="row 6, column 7 of M = -2 is negative") as e:
            nmu.factor(m, 2)
        assert (e.value.matrix, e.value.row, e.value.col, e.value.value) == ("M", 5, 6, -2)
    M = example()
    for bad in (dict(rank=0), dict(rank=50_000), dict(rank=-1), dict(rank=2, method="x"), dict(rank=2, rho=-1), dict(rank=2, nothing=3),
                dict(rank=2, iterations=-1), dict(rank=2, threads=10**6), dict(rank=2, time_limit=-1), dict(rank=2, init="x"),
                dict(rank=2, init=(np.ones((23, 2)), np.ones((3, 17))))):
        with pytest.raises(nmu.Error):
            nmu.factor(M, **bad)
    assert nmu.factor(M, 2).stop == "tolerance"


@pytest.mark.parametrize("rank", [2.5, "3", True, np.True_, np.float64(2), None, [2], np.arange(2), 0, -1, 10**10, 2**64 + 2, -(2**64)], ids=repr)
def test_rank_is_a_whole_number(rank):
    for m in (example(), scipy.sparse.csr_matrix(example())):
        for init in ("random", (np.ones((23, 2)), np.ones((2, 17)))):
            with pytest.raises(nmu.Error, match="rank .*; choose a whole number"):
                nmu.factor(m, rank, init=init)
    assert nmu.factor(example(), np.int8(2)).V.shape == (23, 2)


def test_no_memory_is_taken_for_ranks_that_are_refused():
    M, before = example(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for ranks in ([10**9], [2, 10**9], range(1, 10**12), [2**70], [0], [1.5], "1:1000000000", "9" * 10000, "1:1000000 " * 1000, "1:2:0"):
        for compare in (nmu.consensus, nmu.rank_survey):
            with pytest.raises(nmu.Error):
                compare(M, ranks)
    for rank in (10**9, 2**31 - 1, 2**70):
        for call in (nmu.factor, nmu.estimate):
            with pytest.raises(nmu.Error):
                call(M, rank)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000  # kB


@pytest.mark.parametrize("columns", [[-4, 1, 2], [10**9, 1, 2]], ids=repr)
def test_a_sparse_matrix_is_checked_by_every_call(columns):
    bad = scipy.sparse.csr_matrix(np.ones((3, 3)))
    assert bad.has_canonical_format  # which scipy remembers
    bad.indices[:3] = columns
    V, W = np.ones((3, 2)), np.ones((2, 3))
    for call in (lambda: nmu.factor(bad, 2), lambda: nmu.improve(bad, V, W), lambda: nmu.transform(V, bad), lambda: nmu.update(V, bad),
                 lambda: nmu.rank_survey(bad, [1, 2], folds=2), lambda: nmu.consensus(bad, [1, 2], runs=2), lambda: nmu.biclique(bad)):
        with pytest.raises(nmu.Error):
            call()
    for columns in ([1, 0, 2], [1, 1, 2]):  # out of order, or twice
        bad.indices[:3] = columns
        assert np.array_equal(nmu.factor(bad, 2).V, nmu.factor(scipy.sparse.csr_matrix(bad.toarray()), 2).V)


def test_counts_are_whole_numbers():
    M, V, W = example(), np.ones((23, 2)), np.ones((2, 17))
    for bad in (2.5, "3", True, -1, 2**64 + 3):
        for call, names in {
            lambda **o: nmu.factor(M, 2, **o): ("seed", "iterations", "restarts", "threads", "check_every"),
            lambda **o: nmu.improve(M, V, W, **o): ("iterations", "threads"),
            lambda **o: nmu.transform(V, M, **o): ("iterations", "threads"),
            lambda **o: nmu.biclique(M > 3, **o): ("seed", "starts", "iterations", "threads"),
        }.items():
            for name in names:
                with pytest.raises(nmu.Error, match=f"{name} .*; choose a whole number"):
                    call(**{name: bad})


def test_empty():
    for shape in ((0, 3), (3, 0), (0, 0)):
        V, W = np.ones((shape[0], 1)), np.ones((1, shape[1]))
        for call in (lambda m: nmu.factor(m, 1), lambda m: nmu.factor(m, 1, init=(V, W)), lambda m: nmu.improve(m, V, W),
                     lambda m: nmu.transform(V, m), lambda m: nmu.metrics(m, V, W), nmu.biclique):
            with pytest.raises(nmu.Error, match="M is empty"):
                call(np.ones(shape))
        with pytest.raises(nmu.Error, match="M is empty"):
            nmu.factor(scipy.sparse.csr_matrix(shape), 1)
    M = example()
    for bad in (lambda: nmu.transform(np.ones((23, 0)), M), lambda: nmu.improve(M, np.ones((23, 0)), np.ones((0, 17)))):
        with pytest.raises(nmu.Error):
            bad()


def replaced(m, **arrays):
    """A copy of a sparse matrix with other arrays, which scipy takes for canonical."""
    m = m.copy()
    for name, x in arrays.items():
        setattr(m, name, x)
    if m.format != "coo":
        m.has_sorted_indices = m.has_canonical_format = True
    return m


def test_sparse_arrays_that_do_not_agree():
    M = example(24, 18)
    for m in (scipy.sparse.csr_matrix(M), scipy.sparse.csc_matrix(M), scipy.sparse.bsr_matrix(M, blocksize=(2, 3))):
        p, i = m.indptr, m.indices
        width = {"csr": 18, "csc": 24, "bsr": 6}[m.format]
        for bad in (
            dict(data=m.data[:3].copy()), dict(data=m.data[:0]), dict(data=np.concatenate([m.data, m.data])), dict(indices=i[:-1]), dict(indices=i[:0]),
            dict(indptr=p[:-1]), dict(indptr=p[:1]), dict(indptr=p[:0]), dict(indptr=np.append(p, p[-1])), dict(indptr=2 * p), dict(indptr=p + 1),
            dict(indptr=p[::-1]), dict(indptr=np.where(np.arange(len(p)) == 1, 10**9, p).astype(np.int32)), dict(indptr=-p),
            dict(indptr=np.where(np.arange(len(p)) == 2, -1, p).astype(np.int32)), dict(indices=np.where(i == 0, -1, i).astype(np.int32)),
            dict(indices=np.where(i == 1, width, i).astype(np.int32)), dict(indices=np.where(i == 1, 2**40, i).astype(np.int64)),
            dict(data=m.data[:3], indices=i[:3]), dict(indices=i[:, None]), dict(indptr=p[:, None]), dict(data=m.data[None]),
        ):
            for call in (lambda m: nmu.factor(m, 2), nmu.biclique, lambda m: nmu.NMF(2).fit(m)):
                with pytest.raises(nmu.Error, match=f"the arrays of M, a {m.format} matrix of 24 x 18, do not agree: "):
                    call(replaced(m, **bad))
        for bad in (dict(indices=i.astype(float)), dict(indptr=p.astype(float)), dict(indices=i.astype(np.int16)), dict(indices=i.astype(object))):
            with pytest.raises(TypeError, match="must be of int32 or int64"):
                nmu.factor(replaced(m, **bad), 2)
    m = scipy.sparse.coo_matrix(M)
    for bad in (dict(data=m.data[:3]), dict(row=m.row[:-1]), dict(col=m.col[:0]), dict(row=m.row - 1), dict(row=m.row + 1), dict(col=m.col + 1),
                dict(col=np.where(m.col == 2, 10**9, m.col).astype(np.int32))):
        with pytest.raises(nmu.Error, match="the arrays of M, a coo matrix"):
            nmu.factor(replaced(m, **bad), 2)


def test_sparse_arrays_in_any_order():
    """Arrays with gaps, backwards, at odd places, read-only, or longer than they need be."""
    M = example()
    m = scipy.sparse.csr_matrix(M)
    want = nmu.factor(m, 2, "nmf")
    gaps = {name: np.repeat(getattr(m, name), 2)[::2] for name in ("data", "indices", "indptr")}
    odd = {}
    for name in gaps:
        x = getattr(m, name)
        odd[name] = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
        odd[name][...] = x
    spare = dict(data=np.append(m.data, np.nan), indices=np.append(m.indices, np.int32(10**6)))
    swapped = dict(data=m.data.astype(">f8"))
    for arrays in (gaps, odd, spare, swapped, {name: x[::-1].copy()[::-1] for name, x in gaps.items()}, dict(indptr=m.indptr.astype(np.int64))):
        c = replaced(m, **arrays)
        before = [x.copy() for x in (c.data, c.indices, c.indptr)]
        res = nmu.factor(c, 2, "nmf")
        assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W)
        assert all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(before, (c.data, c.indices, c.indptr)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse(dtype, index):
    M = example().astype(dtype) * (np.arange(17) % 3 == 0)
    want = nmu.factor(scipy.sparse.csr_matrix(M), 3, "gnmu", seed=2)
    assert want.V.dtype == dtype and want.relative_error < 0.8
    c = scipy.sparse.csr_matrix(M)
    c.indptr, c.indices = c.indptr.astype(index), c.indices.astype(index)
    unsorted = scipy.sparse.csr_matrix((c.data.copy(), c.indices.copy(), c.indptr.copy()), c.shape)
    for a, b in zip(c.indptr, c.indptr[1:]):
        unsorted.indices[a:b], unsorted.data[a:b] = unsorted.indices[a:b][::-1].copy(), unsorted.data[a:b][::-1].copy()
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    for m in (c, scipy.sparse.csc_matrix(M), scipy.sparse.coo_matrix(M), unsorted):
        res = nmu.factor(m, 3, "gnmu", seed=2)
        assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W)
    assert np.array_equal(unsorted.toarray(), M) and not unsorted.has_sorted_indices  # it is the caller's
    with pytest.raises(nmu.Error, match="sparse"):
        nmu.factor(c, 3, "hoyer", hoyer_v=0.5)


def test_names_are_kept():
    M = pandas.DataFrame(example(), index=[f"r{i}" for i in range(23)], columns=[f"c{j}" for j in range(17)])
    res = nmu.factor(M, 2)
    assert list(res.V.index) == list(M.index) and list(res.W.columns) == list(M.columns)
    assert np.array_equal(res.V.to_numpy(), nmu.factor(M.to_numpy(), 2).V)
    assert list(nmu.transform(res.V, M).W.columns) == list(M.columns)


def test_start_improve_transform_metrics():
    M = example()
    res = nmu.factor(M, 4, "gnmu", restarts=1)
    again = nmu.factor(M, 4, "nmf", init=(res.V, res.W), iterations=50)
    assert again.relative_error < res.relative_error and again.best_restart == 1
    better = nmu.improve(M, res.V, res.W)
    assert better.relative_error < res.relative_error and ((better.W > 0) <= (res.W > 0)).all()
    x = nmu.metrics(M, res.V, res.W)
    assert abs(x.relative_error - res.relative_error) < 1e-12 and x.scaled_error <= x.relative_error and 0 <= x.basis_zeros <= 1
    best = nmu.transform(res.V, M)
    assert best.W.shape == (4, 17) and best.relative_error <= res.relative_error and best.kkt <= 1e-6
    assert np.array_equal(nmu.transform(res.V, M[:, :3]).W, best.W[:, :3])
    below = nmu.transform(res.V, M, feasible=True)
    assert below.max_violation == 0 and below.relative_error >= best.relative_error


def test_stops():
    M = example()
    few = nmu.factor(M, 10, "rnmu", target_error=0.6)
    assert few.stop == "target error" and few.V.shape[1] == len(few.W) == len(few.blocks) < 10
    assert nmu.factor(M, 3, "nmf", iterations=10**9, time_limit=0.05).stop == "time limit"
    seen = []
    res = nmu.factor(M, 3, "nmf", iterations=10**9, restarts=1, time_limit=0.9, progress=seen.append)
    assert res.stop == "time limit" and seen and seen[0]["iterations"] == 10**9 and 0 < seen[-1]["relative_error"] < 1

    class Enough(Exception):
        pass

    def stop(_):
        raise Enough

    with pytest.raises(Enough):
        nmu.factor(M, 3, "nmf", iterations=10**12, progress=stop)


def test_what_a_prompt_shows():
    M = np.random.default_rng(1).random((300, 40))
    text = repr(nmu.factor(M, 4, "rnmu", iterations=2, restarts=1))
    assert text.startswith("Factorization(V 300 x 4, W 4 x 40, relative error 0.") and len(text) < 160 and "\n" not in text
    assert "largest violation" in text
    other = nmu.factor(M, 4, iterations=2, restarts=1)
    assert other.method == "nmf" and "violation" not in repr(other)
    assert repr(nmu.transform(other.V, M)).startswith("Weights(W 4 x 40, relative error 0.")
    assert nmu.__version__ == nmu.about()["version"]
    assert {"NMF", "NMU", "factor", "transform", "__version__"} <= set(dir(nmu))
    assert all(hasattr(nmu, name) for name in dir(nmu))


def test_biclique():
    M = np.zeros((12, 9), int)
    M[3:8, 2:6] = 1
    M[0, 0] = 1
    for m in (M, scipy.sparse.csr_matrix(M), scipy.sparse.coo_matrix(M.astype(np.float32)), pandas.DataFrame(M)):
        res = nmu.biclique(m)
        assert list(res.rows) == [3, 4, 5, 6, 7] and list(res.cols) == [2, 3, 4, 5] and res.edges == 20 <= res.bound
    with pytest.raises(nmu.Error):
        nmu.biclique(2 * M)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method, options", [
    ("nmf", {}), ("nmf", {"missing_solver": "exact"}), ("gnmu", {}), ("gnmu", {"feasible": "final"}), ("rnmu", {"block": 2}),
], ids=str)
def test_missing(method, options, dtype):
    M = example().astype(dtype)
    seen = np.add.outer(np.arange(23), 2 * np.arange(17)) % 5 != 1
    options = dict(options, seed=1, iterations=20, restarts=2)
    nan = np.where(seen, M, np.nan).astype(dtype)
    want = nmu.factor(nan, 4, method, missing="allow", **options)
    for m in orders(nan):
        res = nmu.factor(m, 4, method, missing="allow", **options)
        assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W) and res[2:] == want[2:]
    for k, mask in enumerate((seen, np.asfortranarray(seen), seen.astype(int) * 7, seen[::-1].copy()[::-1], seen.tolist())):
        for behind in (-1, np.nan, np.inf, 1e30, k):
            res = nmu.factor(np.where(seen, M, behind).astype(dtype), 4, method, mask=mask, **options)
            assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W) and res[2:] == want[2:]
    both = nmu.factor(np.where(seen | (M > 3), M, np.nan).astype(dtype), 4, method, mask=seen | (M <= 3), missing="allow", **options)
    masked = nmu.factor(np.ma.array(M, mask=~seen), 4, method, missing="allow", **options)
    with pytest.warns(UserWarning, match=f"{np.sum(~seen)} entries are -999.25 and missing"):
        coded = nmu.factor(np.where(seen, M, -999.25).astype(dtype), 4, method, missing_value=[-999.25, -9], **options)
    for res in (both, masked, coded):
        assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W)
    left = (M - want.V @ want.W)[seen]
    assert abs(np.linalg.norm(left) / np.linalg.norm(M[seen]) - want.relative_error) < 1e-5
    assert abs(max(0, -left.min()) - want.max_violation) < 1e-5
    # What says that nothing is missing, and that all count alike, says nothing.
    whole = nmu.factor(M, 4, method, **options)
    for nothing in (dict(missing="allow"), dict(mask=np.ones(M.shape, bool)), dict(weights=np.ones(M.shape)),
                    dict(weights=np.broadcast_to(np.float32(3), M.shape)), dict(mask=np.ones(M.shape, int), weights=np.full(M.shape, 2))):
        res = nmu.factor(M, 4, method, **nothing, **options)
        assert np.array_equal(res.V, whole.V) and np.array_equal(res.W, whole.W) and res._replace(q=whole.q, expected_q=whole.expected_q)[2:] == whole[2:]  # Q needs weights
    # A weight of 0 is as missing.
    res = nmu.factor(M, 4, method, weights=seen * 2.0, **options)
    assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W)
    again = nmu.factor(M, 4, method, **options)  # a call leaves nothing behind
    assert np.array_equal(again.V, whole.V)


def sha256(a):
    text = ctypes.create_string_buffer(65)
    _library.call("nmu_sha256", _library.Matrix(a), text)
    return text.value.decode()


def test_missing_has_the_bits_of_the_command(tmp_path):
    M = example()
    M[np.add.outer(np.arange(23), 2 * np.arange(17)) % 5 == 1] = np.nan
    np.save(tmp_path / "m.npy", M)
    weights = 1 + np.arange(23.0 * 17).reshape(23, 17) % 3
    np.save(tmp_path / "weights.npy", weights)
    res = nmu.factor(M, 4, seed=3, missing="allow", weights=weights)
    out = subprocess.run(["go", "run", "./cmd/nmu", "factor", tmp_path / "m.npy", "--rank", "4", "--seed", "3", "--missing", "allow", "--json",
                          "--weights", tmp_path / "weights.npy"], cwd=pathlib.Path(__file__).parents[2], check=True, capture_output=True).stdout
    want = json.loads(out)["result"]
    assert (sha256(res.V), sha256(res.W)) == (want["sha256_v"], want["sha256_w"])


def test_missing_errors():
    M = example()
    M[3, 4] = np.nan
    ones = np.ones(M.shape)
    hint = "; missing=allow takes NaN as a missing entry"
    with pytest.raises(nmu.Error, match="row 4, column 5 of M = NaN is not finite; remove or impute it" + hint) as e:
        nmu.factor(M, 2)
    assert (e.value.row, e.value.col, e.value.matrix) == (3, 4, "M")
    with pytest.raises(nmu.Error) as e:
        nmu.factor(scipy.sparse.csr_matrix(M), 2, missing="allow")
    assert hint not in str(e.value) and "sparse_missing" in str(e.value)
    for words, bad in {
        "the mask is 17 x 23 and M is 23 x 17": dict(mask=ones.T > 0),
        "the matrix of weights is 22 x 17": dict(weights=ones[1:]),
        "row 4, column 5 of M": dict(mask=ones > 0),  # which it observes
        "row 3, column 2 of the weights = -1": dict(weights=np.where(np.arange(391).reshape(23, 17) == 35, -1, 1), missing="allow"),
        "row 7 of M has no observed entry": dict(mask=(ones > 0) & (np.arange(23) != 6)[:, None], missing="allow"),
        "column 2 of M has no observed entry": dict(weights=ones * (np.arange(17) != 1), missing="allow"),
        "some": dict(missing="allow", missing_solver="some"),
    }.items():
        with pytest.raises(nmu.Error, match=words):
            nmu.factor(M, 2, "nmf", **bad)
    with pytest.raises(ValueError, match="missing=drop: choose error or allow"):
        nmu.factor(M, 2, missing="drop")
    with pytest.raises(TypeError, match="mask is of float64"):
        nmu.factor(M, 2, mask=ones)
    for bad in (dict(mask=ones[0] > 0), dict(weights=ones[0])):
        with pytest.raises(ValueError, match="1 dimensions"):
            nmu.factor(M, 2, **bad)
    sparse = scipy.sparse.csr_matrix(example())
    for bad in (dict(mask=np.eye(23, 17) == 0), dict(weights=ones + np.eye(23, 17))):
        with pytest.raises(nmu.Error, match="sparse"):
            nmu.factor(sparse, 2, "nmf", **bad)
    with pytest.raises(nmu.Error, match="sparse"):
        nmu.factor(example(), 2, "nmf", sparse_missing=True)


def test_sparse_missing():
    M = example()
    seen = M > 0
    for missing in (False, True):
        res = nmu.factor(scipy.sparse.csr_matrix(M), 2, "nmf", sparse_missing=missing)
        of = M[seen] - (res.V @ res.W)[seen]
        error = np.linalg.norm(of) / np.linalg.norm(M)  # of what is stored
        assert (abs(res.relative_error - error) < 1e-9) == missing


def test_transform_of_missing():
    M = example()
    V = nmu.factor(M, 4, "nmf").V
    seen = np.ones(M.shape, bool)
    seen[[3, 4, 9], [5, 5, 7]] = False
    nan = np.where(seen, M, np.nan)
    with pytest.raises(nmu.Error, match="row 4, column 6 of M"):
        nmu.transform(V, nan)
    whole = nmu.transform(V, M).W
    for feasible in (False, True):
        res = nmu.transform(V, nan, missing="allow", feasible=feasible)
        same = nmu.transform(V, np.where(seen, M, 1e9), mask=seen, feasible=feasible)
        assert np.array_equal(res.W, same.W) and res.relative_error == same.relative_error
        for j in (5, 7):  # as in the rows that there are
            k = seen[:, j]
            assert np.allclose(res.W[:, j], nmu.transform(V[k], M[k, j : j + 1], feasible=feasible).W[:, 0], atol=1e-4)
    assert np.array_equal(np.delete(nmu.transform(V, nan, missing="allow").W, (5, 7), 1), np.delete(whole, (5, 7), 1))
    weights = np.broadcast_to(1.0 + np.arange(23)[:, None], M.shape)
    root = np.sqrt(weights[:, :1])
    assert np.allclose(nmu.transform(V, M, weights=weights).W, nmu.transform(root * V, root * M).W, atol=1e-4)
    with pytest.raises(nmu.Error, match="the mask is"):
        nmu.transform(V, M, mask=seen[1:])
    assert np.array_equal(nmu.transform(V, M).W, whole)


def test_mixtures():
    rng = np.random.default_rng(0)
    spectra, parts = rng.random((30, 3)), rng.dirichlet(np.ones(3), 50).T
    parts[:, [7, 20, 41]] = np.eye(3)
    M = spectra @ parts
    for init in ("spa", "snpa"):
        res = nmu.factor(M, 3, "nmf", init=init, sum_to_one="w", iterations=2)
        assert res.relative_error < 1e-12 and np.abs(res.W.sum(0) - 1).max() < 1e-12
        cosines = (res.V / np.linalg.norm(res.V, axis=0)).T @ (spectra / np.linalg.norm(spectra, axis=0))
        assert np.allclose(cosines.max(1), 1)
    W = nmu.transform(spectra, M, sum_to_one=True).W
    assert np.abs(W.sum(0) - 1).max() < 1e-12 and np.allclose(W, parts)
    far = nmu.transform(spectra, 3 * M, sum_to_one=True)
    assert np.abs(far.W.sum(0) - 1).max() < 1e-12 and far.relative_error > 0.1
    with pytest.raises(nmu.Error, match="need not exist"):
        nmu.transform(spectra, M, sum_to_one=True, feasible=True)


def test_divergence():
    rng = np.random.default_rng(0)
    M = rng.poisson(4 * rng.random((20, 3)) @ rng.random((3, 40))).astype(float)
    def deviance(X):
        return (np.where(M > 0, M * np.log(np.maximum(M, 1) / X), 0) - M + X).sum()
    null = deviance(np.full(M.shape, M.mean()))
    res = nmu.factor(M, 3, "kl", restarts=1, iterations=2000)
    assert abs(res.relative_divergence - deviance(res.V @ res.W) / null) < 1e-12
    new = nmu.transform(res.V, M, divergence=True, tolerance=1e-6)
    assert abs(new.relative_divergence - res.relative_divergence) < 1e-6
    assert np.abs(new.W - res.W).max() < 1e-2 * res.W.max()
    assert new.relative_divergence < deviance(res.V @ nmu.transform(res.V, M).W + 1e-12) / null
    assert nmu.transform(res.V, M).relative_divergence == nmu.factor(M, 3, "nmf", iterations=5).relative_divergence == 0
    with pytest.raises(nmu.Error, match="choose one of them"):
        nmu.transform(res.V, M, divergence=True, feasible=True)


def test_threads_at_once():
    M = example(60, 50)
    want = nmu.factor(M, 5, "gnmu").V
    same = []

    def work():
        for _ in range(5):
            same.append(np.array_equal(nmu.factor(M, 5, "gnmu").V, want))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(same) == 40 and all(same)


def test_structs_are_those_on_record():
    lines = (pathlib.Path(__file__).parents[2] / "capi" / "testdata" / "layout.txt").read_text().splitlines()
    want = {name: int(at.split()[0]) for name, at in (line.split(" ", 1) for line in lines) if name.startswith("nmu_") and "(" not in name}
    mirror = {"nmu_" + name.lower(): s for name, s in _structs._STRUCTS.items()}
    for name, at in want.items():
        struct, _, field = name.partition(".")
        s = mirror["nmu_" + struct[4:].replace("_", "")]
        assert (getattr(s, field).offset if field else ctypes.sizeof(s)) == at, name
    assert sum(len(s._fields_) for s in mirror.values()) == sum("." in name for name in want) > 100


@pytest.mark.parametrize("kind", ["dense", "sparse", "in a file"])
def test_anndata(kind):
    M = example()

    class Backed:  # a sparse matrix in a file, as anndata has it
        shape = M.shape

        def to_memory(self):
            return scipy.sparse.csr_matrix(M)

    X = {"dense": M, "sparse": scipy.sparse.csr_matrix(M), "in a file": Backed()}[kind]
    plain = M if kind == "dense" else scipy.sparse.csr_matrix(M)
    a = Annotated(X, {"counts": 2 * M})
    want = nmu.factor(plain, 3, "nmf", restarts=1)
    res = nmu.factor(a, 3, "nmf", restarts=1)
    assert np.array_equal(res.V, want.V) and np.array_equal(res.W, want.W)
    assert res.V.index.equals(a.obs_names) and res.W.columns.equals(a.var_names)
    assert not a.obsm and not a.varm and not a.uns
    res = nmu.factor(a, 3, "nmf", restarts=1, layer="counts", key_added="parts")
    want = nmu.factor(2 * M, 3, "nmf", restarts=1)
    assert np.array_equal(a.obsm["X_parts"], want.V) and np.array_equal(a.varm["parts"], want.W.T)
    assert a.uns["parts"]["layer"] == "counts" and a.uns["parts"]["relative_error"] == want.relative_error
    assert nmu.metrics(Annotated(M, {}), want.V, want.W) == nmu.metrics(M, want.V, want.W)
    with pytest.raises(nmu.Error, match="no layer 'raw'; choose one of 'counts'"):
        nmu.factor(a, 3, layer="raw")
    with pytest.raises(nmu.Error, match="X of the AnnData is None; choose a layer"):
        nmu.factor(Annotated(None, {"counts": M}), 3)
    for options in ({"layer": "counts"}, {"key_added": "parts"}):
        with pytest.raises(TypeError, match="are for an AnnData, and M is a ndarray"):
            nmu.factor(M, 3, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_columns_have_the_weights_of_dense_ones(dtype):
    M, V = example().astype(dtype), example(23, 3).astype(dtype) + 1
    start = np.ones((3, 17), dtype)
    for options in ({}, {"feasible": True}, {"iterations": 3, "init": start}, {"tolerance": 1e-3, "threads": 1}):
        want = nmu.transform(V, M, **options)
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix):
            got = nmu.transform(V, kind(M), **options)
            assert np.array_equal(got.W, want.W) and (got.iterations_done, got.kkt, got.stop) == (want.iterations_done, want.kkt, want.stop)
            assert abs(got.relative_error - want.relative_error) < 1e-5 and not got.violation_bound
    for options in ({"mask": M > 0}, {"weights": np.ones(M.shape)}):
        with pytest.raises(nmu.Error, match="make M dense"):
            nmu.transform(V, scipy.sparse.csr_matrix(M), **options)
    with pytest.raises(nmu.Error, match="V has|V 22 x 3"):
        nmu.transform(V[1:], scipy.sparse.csr_matrix(M))


def test_size_of_pictures():
    a, b = (nmu.factor(example(24, 17), 2, "rnmu", smooth_v=0.1, shape_v=shape, restarts=1, iterations=20) for shape in ((4, 6), "4x6"))
    assert np.array_equal(a.V, b.V)
