"""Files in place of a matrix: how they are read, their names, and what a run takes."""

import os
import sys

import numpy as np
import pandas
import pytest
import scipy.sparse

import nmu


def test_tables(tmp_path):
    M = np.array([[1.5, 2, 3], [4, 5, 6], [7, 8, 10]])
    run = dict(method="nmf", seed=1, iterations=20, restarts=1)
    want = nmu.factor(M, 2, **run)
    (tmp_path / "m.data").write_text("1,5|9|2|3\n4|9|5|6\n7|9|8|10\n")
    told = dict(format="csv", sep="bar", decimal="comma", skip_columns=[2], header="no", row_labels="no")
    assert np.array_equal(nmu.factor(tmp_path / "m.data", 2, **told, **run).V, want.V)
    for name, bad, says in (("sep", "x", "choose comma or"), ("decimal", "semicolon", "choose point or comma"), ("format", "nothing", "nothing"),
                            ("skip_columns", ["none"], "none"), ("max_memory", 10, "of memory"), ("max_memory", "0.01KB", "of memory")):
        with pytest.raises(nmu.Error, match=says):
            nmu.factor(tmp_path / "m.data", 2, **{**told, **run, name: bad})
    with pytest.raises(nmu.Error, match="the setting sep is for a matrix in a file"):
        nmu.factor(M, 2, sep="comma")
    (tmp_path / "entries.csv").write_text("1,1,1.5\n2,2,5\n1,3,3\n3,3,10\n")
    sparse = scipy.sparse.csr_matrix(([1.5, 5, 3, 10], ([0, 1, 0, 2], [0, 1, 2, 2])))
    with pytest.warns(UserWarning):
        assert np.array_equal(nmu.factor(tmp_path / "entries.csv", 2, triples=True, **run).V, nmu.factor(sparse, 2, **run).V)
    (tmp_path / "gaps.csv").write_text("a,b,c\n1.5,2,3\n,5,6\n7,8,10\n")
    with pytest.warns(UserWarning, match="missing|left out|rows"):
        dropped = nmu.factor(tmp_path / "gaps.csv", 1, missing="drop-rows", **run)
    assert np.array_equal(dropped.V, nmu.factor(M[[0, 2]], 1, **run).V)
    (tmp_path / "nd.csv").write_text("a,b,c\n1.5,2,3\nND,5,6\n7,<16,10\n")
    with pytest.warns(UserWarning, match='1 cell holds "ND".*1 cell is below a limit'):
        told = nmu.factor(tmp_path / "nd.csv", 1, missing="drop-rows", missing_text=["ND", "n.d."], below="half", **run)
    assert np.array_equal(told.V, dropped.V)
    with pytest.raises(ValueError, match="missing"):
        nmu.factor(M, 2, missing="drop-rows")
    (tmp_path / "empty.csv").write_text("a,b,c\n1.5,2,3\n,-9,\n7,8,10\n")
    with pytest.warns(UserWarning, match="entry is -9 and missing|1 row of 3 without an observed entry"):
        left = nmu.factor(tmp_path / "empty.csv", 1, missing_value=-9, **run)
    assert np.array_equal(left.V[[0, 2]], dropped.V) and np.all(np.isnan(left.V[1])) and np.array_equal(left.W, dropped.W)


def test_names(tmp_path):
    (tmp_path / "m.csv").write_text("gene,x,y\nfirst,1,2\nsecond,3,4\nthird,5,7\n")
    res = nmu.factor(tmp_path / "m.csv", 1, "nmf")
    assert list(res.V.index) == ["first", "second", "third"] and list(res.W.columns) == ["x", "y"]
    res.save(tmp_path / "model.npz")
    assert nmu.load(tmp_path / "model.npz").row_names == ["first", "second", "third"]
    W = nmu.transform(nmu.load(tmp_path / "model.npz"), tmp_path / "m.csv").W
    assert list(W.columns) == ["x", "y"]
    turned = pandas.DataFrame(np.ones((3, 2)), ["third", "second", "first"], ["x", "y"])
    with pytest.warns(UserWarning, match="weights .*matched by name"):
        nmu.factor(tmp_path / "m.csv", 1, "nmf", weights=turned)
    np.save(tmp_path / "m.npy", np.arange(6.0).reshape(3, 2))
    (tmp_path / "names.tsv").write_text("id1\tfirst\nid2\tsecond\nid3\tthird\n")
    res = nmu.factor(tmp_path / "m.npy", 1, "nmf", row_names=f"{tmp_path / 'names.tsv'}:2")
    assert list(res.V.index) == ["first", "second", "third"] and isinstance(res.W, np.ndarray)
    latin = os.fsencode(tmp_path) + (b"/caf\xe9.txt" if sys.platform == "linux" else b"/caf.txt")
    with open(latin, "wb") as file:
        file.write("caf\xe9\nth\xe9\neau\n".encode("latin-1"))
    res = nmu.factor(tmp_path / "m.npy", 1, "nmf", row_names=os.fsdecode(latin))
    assert list(res.V.index) == ["caf\xe9", "th\xe9", "eau"]
    with pytest.raises(nmu.Error, match="caf.*txt"):
        nmu.factor(latin, 1)
    with pytest.raises(nmu.Error, match="col_names: .*names.tsv"):
        nmu.factor(tmp_path / "m.npy", 1, "nmf", col_names=tmp_path / "names.tsv")
    long = [f"{i}" * 40 for i in range(4000)]  # more than there is room for at first
    pandas.DataFrame(np.ones((4000, 2)), long, ["x", "y"]).to_csv(tmp_path / "long.csv")
    assert list(nmu.factor(tmp_path / "long.csv", 1, "nmf", iterations=1).V.index) == long


def test_estimates(tmp_path):
    M = np.ones((400, 300))
    small, large = nmu.estimate(M, 5, "nmf"), nmu.estimate(M, 50, "nmf")
    assert 400 * 5 * 8 < small.memory < large.memory and small.scratch == small.reads == 0
    assert nmu.estimate((400, 300), 5, "nmf", dtype=np.float32).memory < nmu.estimate((400, 300), 5, "nmf").memory
    assert nmu.estimate((10**6, 10**4), 50).memory > 10**6 * 50 * 8
    assert nmu.estimate(scipy.sparse.csr_matrix(M > 2, dtype=float), 5, "nmf").memory > 0
    np.savetxt(tmp_path / "m.csv", M, delimiter=",")
    np.save(tmp_path / "m.npy", M)
    assert nmu.estimate(tmp_path / "m.csv", 5, "nmf").memory >= nmu.estimate((400, 300), 5, "nmf").memory + M.nbytes
    left = nmu.estimate(tmp_path / "m.npy", 5, "rnmu", scratch=tmp_path)
    assert left.reads >= M.nbytes and left.scratch > 0
    with pytest.raises(nmu.Error, match="rank"):
        nmu.estimate(M, 10**6, "nmf")
    with pytest.raises(nmu.Error, match="no argument"):
        nmu.estimate(M, 2, seeed=1)


def test_look(tmp_path):
    (tmp_path / "t.csv").write_text("id,ä,b\nx,1,2\ny,3,0\n", encoding="utf-8")
    found = nmu.look(tmp_path / "t.csv", transpose=True)
    assert found["schema"] == "nmu-look/1" and found["corner"] == [[1, 3], [2, 0]] and found["row_names"] == ["ä", "b"] and found["counts"]
    assert found["advised"][-4:] == ["1:1", "--transpose", "--method", "kl"]
    for wrong in ({"row_label": "yes"}, {"sep": "x"}):
        with pytest.raises(nmu.Error, match="no argument of look; did you mean row_labels|choose comma or"):
            nmu.look(tmp_path / "t.csv", **wrong)
    (tmp_path / "t.csv").write_text("id," + "n" * 30000 + "\nx,1\n")
    assert nmu.look(tmp_path / "t.csv")["col_names"] == ["n" * 30000]
