"""Models: a basis in a file, and the weights of new columns with it."""

import json
import os
import warnings
import zipfile

import numpy as np
import pandas
import pytest

import nmu

i, j = np.mgrid[:9, :14]
COUNTS = ((i * i + 3 * i * j + 5 * j) % 7).astype(float)
ROWS = [f"r{k}, é" for k in range(9)]
NEW = COUNTS[::-1, :5] + 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method, options, implied", [
    ("rnmu", {}, {}), ("nmf", {"solver": "accelerated"}, {}), ("nmf", {"sum_to_one": "w"}, {"sum_to_one": True}),
    ("kl", {"penalty_v": 0.1, "penalty_w": 0.1}, {"divergence": True}), ("snmf", {"sparsity_v": 0.25}, {}),
    ("rnmu", {"smooth_v": 0.1, "shape_v": (3, 3)}, {}),
])
def test_models(tmp_path, dtype, method, options, implied):
    m, new = COUNTS.astype(dtype), NEW.astype(dtype)
    res = nmu.factor(m, 3, method, seed=2, iterations=20, **options)
    res.save(tmp_path / "parts.npz")
    model = nmu.load(tmp_path / "parts.npz")
    assert model.method == method and set(options) <= set(model.options) and model.row_names is None and not model.topics
    assert model.V.dtype == dtype and np.array_equal(model.V, res.V)
    assert np.array_equal(model.transform(new).W, nmu.transform(res.V, new, **implied).W)
    assert all(np.array_equal(nmu.transform(v, new).W, model.transform(new).W) for v in (res, tmp_path / "parts.npz"))
    assert np.array_equal(nmu.transform(model, new, feasible=True).W, nmu.transform(res.V, new, feasible=True).W)
    plain = nmu.transform(res.V, new).W
    assert all(np.array_equal(model.transform(new, **{name: False}).W, plain) for name in implied)
    assert not implied or not np.array_equal(model.transform(new).W, plain)
    model.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "parts.npz").read_bytes()
    with np.load(tmp_path / "parts.npz") as file:
        assert np.array_equal(file["V"], res.V) and json.loads(bytes(file["model.json"]))["settings"]["method"] == method


def test_names(tmp_path):
    path = os.fspath(tmp_path / "parts, é.npz")
    table = pandas.DataFrame(COUNTS, index=ROWS)
    new = pandas.DataFrame(NEW, index=ROWS, columns=list("abcde"))
    res = nmu.factor(table, 3, "nmf", seed=2)
    res.save(path)
    model = nmu.load(path)
    assert model.row_names == ROWS
    want = model.transform(NEW).W
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w = model.transform(new).W
    assert np.array_equal(w, want) and list(w.columns) == list("abcde")
    with pytest.warns(UserWarning, match="matched by name") as told:
        mixed = model.transform(new.iloc[::-1]).W
    assert np.allclose(mixed, want, rtol=1e-4, atol=1e-4) and told[0].filename == __file__
    with pytest.raises(nmu.Error, match="'other' is only in M"):
        model.transform(new.rename(index={ROWS[0]: "other"}))
    with pytest.raises(nmu.Error, match="8"):
        model.transform(new.iloc[1:])
    years = pandas.DataFrame(COUNTS, index=range(1990, 1999))
    nmu.factor(years, 3, "nmf", seed=2).save(path)
    assert np.array_equal(nmu.load(path).transform(pandas.DataFrame(NEW, index=years.index)).W, want)
    nmu.factor(pandas.DataFrame(COUNTS), 3, "nmf").save(path)
    assert nmu.load(path).row_names is None


def test_refusals(tmp_path):
    res = nmu.factor(COUNTS, 2, "nmf")
    with pytest.raises(nmu.Error, match="absent.npz"):
        nmu.load(tmp_path / "absent.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(nmu.Error, match="text.npz: it is neither"):
        nmu.load(tmp_path / "text.npz")
    res.save(tmp_path / "whole.npz")
    for most, says in ((1000, "needs .* of memory; the limit is 1 KB"), (0, "max_memory is 0")):
        with pytest.raises(nmu.Error, match=says):
            nmu.load(tmp_path / "whole.npz", max_memory=most)
    zipfile.ZipFile(tmp_path / "whole.npz").extractall(tmp_path)
    (tmp_path / "model.json").rename(tmp_path / "result.json")  # the folder of a run
    assert np.array_equal(nmu.load(tmp_path).V, res.V)
    (tmp_path / "V.npy").unlink()
    with pytest.raises(nmu.Error, match="V.npy: no such file"):
        nmu.load(tmp_path)
    for bad, says in (([[1, 2], [3]], "V is a list .* rows must be of one length"), (tmp_path / "text.npz", "neither")):
        with pytest.raises(ValueError, match=says):
            nmu.transform(bad, NEW)
    with pytest.raises(nmu.Error, match="no.folder"):
        res.save(tmp_path / "no folder" / "parts.npz")
    with pytest.raises(nmu.Error, match="zero character"):
        nmu.factor(pandas.DataFrame(COUNTS, index=["a\0", *ROWS[1:]]), 2).save(tmp_path / "parts.npz")
    with pytest.raises(nmu.Error, match="8 names .* 9 rows"):
        nmu.Model(res.V, "nmf", {}, ROWS[1:], False).save(tmp_path / "parts.npz")
    assert not (tmp_path / "parts.npz").exists()
