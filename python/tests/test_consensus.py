"""Comparisons of many runs."""

import numpy as np
import pandas
import pytest
import scipy.optimize
import scipy.sparse
from matplotlib.figure import Figure

import nmu


def counts(seed=1):
    """Counts of three parts, the parts, and the weights. Each part has a row and a column of its own."""
    rng = np.random.default_rng(seed)
    V, W = rng.gamma(1.0, size=(12, 3)), 400 * rng.gamma(0.5, size=(3, 20))
    V[:3], W[:, :3] = 2 * np.eye(3), 400 * np.eye(3)
    V /= V.sum(0)
    return rng.poisson(V @ W).astype(float), V, W


def aligned(V, truth):
    """The order in which the columns of V are nearest to the true ones."""
    return scipy.optimize.linear_sum_assignment(-truth.T @ V)[1]


def test_consensus():
    M, V, W = counts()
    res = nmu.consensus(M, [4, 2, 3, 3], "kl", resample="poisson", runs=30, iterations=300, seed=3)
    assert [p.rank for p in res.points] == [2, 3, 4] and res.rank == 3 and "recur" in res.reason
    assert (res.all_runs, res.runs_finished, res.runs, res.seed, res.level) == (90, 90, 30, 3, 0.95)
    assert (res.resample, res.measure, res.observed, res.weighted, res.stop) == ("poisson", "divergence", M.size, False, "")
    for p in res.points:
        assert p.V.shape == (12, p.rank) and p.W.shape == (p.rank, 20) and len(p.silhouettes) == len(p.kept) == p.rank
        assert np.allclose(p.V.sum(0), 1) and np.all(np.diff(p.W.sum(1)) <= 0) and p.stability == pytest.approx(np.mean(p.silhouettes))
        assert np.all(p.V_low <= p.V) and np.all(p.V <= p.V_high) and np.all(p.W_low <= p.W) and np.all(p.W <= p.W_high)
        assert p.map.shape == (20, 20) and np.array_equal(p.map, p.map.T) and np.all(np.diag(p.map) == 1) and p.runs == 30
    p = res.points[1]
    order, large = aligned(p.V, V), V > 0.05  # intervals near 0 are too narrow
    assert np.mean(((p.V_low[:, order] <= V) & (V <= p.V_high[:, order]))[large]) > 0.8
    assert min(p.kept) > 20 and p.stability > res.points[2].stability
    fitted = nmu.transform(p.V, M, divergence=True)
    assert np.allclose(fitted.W, p.W, rtol=1e-3, atol=1e-2) and fitted.relative_divergence == pytest.approx(p.error, rel=1e-3)


def test_the_same_bits_in_any_form(tmp_path):
    M, _, _ = counts()
    np.save(tmp_path / "m.npy", M)
    names = pandas.DataFrame(M, [f"r{i}" for i in range(12)], [f"c{j}" for j in range(20)])
    run = dict(resample="columns", runs=6, iterations=40)
    want = nmu.consensus(M, "2:3", **run)
    for m in (np.asfortranarray(M), tmp_path / "m.npy", names):
        got = nmu.consensus(m, [2, 3], threads=2, **run)
        for p, q in zip(got.points, want.points):
            assert all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(p, q))
    assert list(got.points[0].V_low.index) == list(names.index) and list(got.points[0].W_high.columns) == list(names.columns)
    assert nmu.consensus(M.astype(np.float32), [2], runs=2, iterations=10).points[0].V.dtype == np.float32
    assert nmu.consensus(scipy.sparse.csr_matrix(M), [2], **run).points[0].stability == pytest.approx(want.points[0].stability, abs=1e-6)
    for weights in (1 / (M + 1), np.full(M.shape, 0.25)):
        weighted = nmu.consensus(M, [2], weights=weights, runs=4, iterations=100).points[0]
        assert weighted.q == pytest.approx(np.sum((M - weighted.V @ weighted.W) ** 2 * weights)) and weighted.expected_q > 0
        assert 0 < weighted.run_q <= weighted.q * (1 + 1e-9)


def test_parts_of_few_runs():
    M, _, _ = counts()
    res = nmu.consensus(M, [7], "kl", resample="poisson", runs=4, iterations=60)
    (p,) = res.points
    kept = np.array(p.kept)
    assert np.array_equal(np.isnan(p.V).all(0), kept == 0) and np.array_equal(np.isnan(p.W).all(1), kept == 0)
    for ends in (p.V_low, p.V_high, p.W_low.T, p.W_high.T):
        assert np.array_equal(np.isnan(ends).all(0), kept < 2) and np.array_equal(np.isnan(ends).any(0), kept < 2)
    assert kept.min() < 2 and sum(f"part {k + 1}:" in " ".join(res.notes) for k in range(7)) == np.sum(kept < 2)


@pytest.mark.parametrize("compare, more", [(nmu.consensus, {"runs": 40}), (nmu.rank_survey, {"folds": 20, "restarts": 20})])
def test_a_run_goes_on(tmp_path, compare, more):
    M, _, _ = counts()
    state, run = tmp_path / "state", dict(more, iterations=2000, seed=2)
    want = compare(M, [3], **run)
    seen = []
    cut = compare(M, [3], **run, checkpoint=state, time_limit=0.1, progress=seen.append)
    assert (cut.stop == "time limit" and cut.runs_finished > 0) == state.exists() and all(s["restarts"] == 40 for s in seen)
    if state.exists():
        assert cut.runs_finished < 40
        got = compare(M, [3], **run, resume=state, checkpoint=state)
        assert not state.exists() and all(np.array_equal(a, b) for a, b in zip(got.points[0], want.points[0]))


def test_what_is_refused():
    M, _, _ = counts()
    for bad, says in (({"runs": 1}, "runs=1: choose a whole number, 2 or more"), ({"level": 2}, "at most 1"), ({"resample": "rows"}, "columns or poisson"), ({"init": "svd"}, "resample"),
                      ({"run": 3}, "did you mean runs"), ({"folds": 3}, "no argument of consensus")):
        with pytest.raises(nmu.Error, match=says):
            nmu.consensus(M, [2], **bad)
    for ranks in ("5:2", [], "x", [0], [100000]):
        with pytest.raises(nmu.Error, match="rank"):
            nmu.consensus(M, ranks)


def test_plots():
    M, _, _ = counts()
    axes = Figure().subplots()
    res = nmu.consensus(M, range(2, 5), runs=3, iterations=20)
    assert res.plot(axes) is axes and axes.get_xlabel() == "rank"
    assert {t.get_text() for t in axes.get_legend().get_texts()} >= {"stability", "error", "run error"}
