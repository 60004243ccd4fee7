"""What functions do with results, what results show, and the examples of docstrings and of the notebook."""

import doctest
import io
import json
import pathlib
import sys
import types
import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse

import nmu

M = np.random.default_rng(1).random((30, 3)) @ np.random.default_rng(2).random((3, 20))


@pytest.fixture
def plots():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_functions_take_results():
    res = nmu.factor(M, 3, restarts=1, sum_to_one="w")
    new = nmu.transform(res, M)
    assert np.array_equal(res.transform(M).W, new.W) and np.allclose(new.W.sum(0), 1)
    plain = nmu.factor(M, 3, restarts=1)
    assert np.array_equal(nmu.improve(M, plain).W, nmu.improve(M, plain.V, plain.W).W) and np.array_equal(plain.improve(M).W, nmu.improve(M, plain).W)
    assert plain.metrics(M) == nmu.metrics(M, plain) == nmu.metrics(M, plain.V, plain.W)
    once, again = plain.update(M), nmu.update(plain.V, M)
    assert np.array_equal(once.V, again.V) and np.array_equal(nmu.transform(once, M).W, nmu.transform(once.V, M).W)
    for x, y in zip(plain.topics(), nmu.topics(plain.V, plain.W)):
        assert np.array_equal(x, y)
    with pytest.raises(nmu.Error, match="kl"):
        nmu.factor(M, 3, "kl", restarts=1).update(M)
    for call in (lambda: nmu.metrics(M, plain.V), lambda: nmu.improve(M, plain.V), lambda: nmu.topics(plain.V)):
        with pytest.raises(TypeError, match="W is missing"):
            call()


def test_results_show_themselves():
    res = nmu.factor(M, 3, "rnmu", restarts=1, iterations=5)
    assert repr(res).startswith("Factorization(V 30 x 3, W 3 x 20, relative error ")
    shown = res._replace(notes=["a < b"])._repr_html_()
    assert shown.startswith("<table>") and "<td style='text-align:left'>30 x 3</td>" in shown and "a &lt; b" in shown


def test_plots(plots):
    res = nmu.factor(M, 3, restarts=1, record=True)
    assert len(np.ravel(res.plot())) == 3
    bars = res.plot("weights", axes=plots.subplots(3)[1])
    assert len(bars[0].patches) == 20 and [round(p.get_height(), 9) for p in bars[1].patches] == [round(x, 9) for x in res.W[1]]
    assert np.array_equal(res.plot("basis", shape=(5, 6)).flat[0].images[0].get_array(), res.V[:, 0].reshape(5, 6))
    line = res.plot("error").lines[0]
    assert list(line.get_ydata()) == res.blocks[0].history and line.get_xdata()[-1] == res.iterations_done
    named = nmu.factor(pandas.DataFrame(M, index=np.linspace(400, 700, 30), columns=[f"c{j}" for j in range(20)]), 3, restarts=1)
    curve = named.plot("basis")[0, 0].lines[0]
    assert curve.get_xdata()[0] == 400 and list(curve.get_ydata()) == list(named.V[0])
    assert [t.get_text() for t in named.plot("weights")[2, 0].get_xticklabels()][:2] == ["c0", "c1"]
    for call, said in ((lambda: res.plot("rows"), "basis, weights or error"), (lambda: res.plot(shape=(4, 4)), "30 pixels"), (lambda: nmu.factor(M, 3, iterations=9).plot("error"), "record=True")):
        with pytest.raises(nmu.Error, match=said):
            call()


@pytest.mark.parametrize("with_tqdm", [False, True])
def test_progress(monkeypatch, with_tqdm):
    """True shows a bar of tqdm, or a line on standard error where that is not installed."""
    shown, out = [], io.StringIO()

    class Bar:
        def __init__(self, total, bar_format):
            self.n, self.total = 0, total
            shown.append(self)

        def set_description_str(self, text, refresh):
            self.text = text

        def update(self, n):
            self.n += n

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm") if with_tqdm else None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar) if with_tqdm else None)
    monkeypatch.setattr(sys, "stderr", out)
    nmu.factor(M, 3, iterations=10**9, restarts=2, time_limit=0.7, progress=True)
    if not with_tqdm:
        assert not shown and "%  run " in out.getvalue() and out.getvalue().endswith("\n")
        return
    assert shown[0].text.startswith("run ") and "of 2, iteration" in shown[0].text
    for option in ({"verbose": 1}, {"progress": True}):
        nmu.NMU(2, max_iter=2, **option).fit(M)
    assert len(shown) == 3 and all(bar.n == pytest.approx(100) and bar.closed for bar in shown)


class Series:
    def __init__(self, numbers):
        self.numbers = numbers

    def __array__(self, dtype=None):
        return np.asarray(self.numbers, dtype)


class Frame:
    """A DataFrame of polars or, with of="column_names", a Table of pyarrow, as far as nmu asks them."""

    def __init__(self, of, **columns):
        self.data, self.to_pandas = columns, None
        setattr(self, of, list(columns))

    def __getitem__(self, name):
        return Series(self.data[name])


@pytest.mark.parametrize("of", ["columns", "column_names"])
def test_other_frames(of):
    plain = Frame(of, **{f"c{j}": M[:, j] for j in range(20)})
    res = nmu.factor(plain, 3, restarts=1)
    assert list(res.W.columns) == [f"c{j}" for j in range(20)] and np.array_equal(res.W, nmu.factor(M, 3, restarts=1).W)
    named = Frame(of, gene=[f"g{i}" for i in range(30)], **{f"c{j}": M[:, j] for j in range(20)})
    assert list(nmu.factor(named, 3, restarts=1).V.index) == [f"g{i}" for i in range(30)]
    assert nmu.NMF(3).fit(named).feature_names_in_[1] == "c1"
    assert nmu.metrics(named, res) == nmu.metrics(M, res.V, res.W)
    with pytest.raises(TypeError, match="column 'c1' of M is not of numbers"):
        nmu.factor(Frame(of, c0=[1, 2], c1=["x", "x"]), 1)


def test_notes_where_a_choice_decides():
    """Counts without a divergence, and an underapproximation that exceeds M, are noted."""
    rng = np.random.default_rng(1)
    counts = rng.poisson(0.4, (30, 20))
    holes = np.where(np.arange(600).reshape(30, 20) % 7 == 3, np.nan, counts)
    for m, options in ((counts, {}), (np.asfortranarray(counts), {}), (scipy.sparse.csr_matrix(counts * 1.0), {}), (holes, {"missing": "allow"})):
        with pytest.warns(UserWarning, match="method kl is for counts"):
            nmu.factor(m, 2, **options)
    with pytest.warns(UserWarning, match="V W exceeds M by up to .* of the largest entry of M; feasible final prevents that"):
        nmu.factor(M, 2, "rnmu", iterations=2, restarts=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for m in (counts + 0.5, counts + 1, counts > 0, counts.T @ counts):
            nmu.factor(m, 2)
        nmu.factor(counts, 2, "kl")
        nmu.factor(scipy.sparse.csr_matrix(counts + (counts > 0) * 1.0), 2, sparse_missing=True)
        nmu.NMU(2, max_iter=2).fit(M)


def test_docstrings():
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for name in nmu.__all__:
        for test in finder.find(getattr(nmu, name), name, globs={"nmu": nmu, "np": np}):
            runner.run(test)
    assert runner.failures == 0 and runner.tries > 30
    for function in (nmu.factor, nmu.estimate, nmu.transform, nmu.update, nmu.improve, nmu.metrics, nmu.rank_survey, nmu.consensus, nmu.topics, nmu.biclique, nmu.load, nmu.NMF, nmu.NMU):
        assert ">>> " in function.__doc__, function


def test_notebook(plots, capsys):
    notebook = json.loads((pathlib.Path(__file__).parents[1] / "notebooks" / "fields.ipynb").read_text(encoding="utf-8"))
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"]
            exec("".join(cell["source"]), names)
    said = capsys.readouterr().out
    assert "\n3 " in said and len(names["topics"].V.T) == 6  # three sources are found
