"""What settings reach: known factors, runs that go on, files, histories, comparisons of ranks."""

import inspect
from functools import partial

import numpy as np
import pandas
import pytest
import scipy.sparse
from matplotlib.figure import Figure

import nmu
from nmu import _options


def example(rows=23, cols=17):
    i, j = np.mgrid[:rows, :cols]
    return ((i * i + 3 * i * j + 5 * j) % 7).astype(float)


def same(a, b):
    return np.array_equal(np.asarray(a.V), np.asarray(b.V)) and np.array_equal(np.asarray(a.W), np.asarray(b.W))


def test_every_setting_is_an_argument():
    calls = {"factor": nmu.factor, "improve": nmu.improve, "transform": nmu.transform, "rank": nmu.rank_survey, "biclique": nmu.biclique, "consensus": nmu.consensus,
             "inspect": None}  # a part of the others, for a path
    own = {"init": "init", "continue": "continue_", "input": "M", "ranks": "ranks",
           "overwrite": None}  # which would destroy an array behind its owner's back
    options = {_options.argument(o["name"]) for m in nmu.about()["methods"] for o in m["options"]}
    for s in nmu.about()["settings"]:
        name = own.get(s["name"], s["name"].replace("-", "_"))
        assert name not in options - {"feasible", "sum_to_one"}, name  # a name means one thing
        for call in s["calls"]:
            if name is not None and calls[call] is not None:
                assert name in inspect.signature(calls[call]).parameters and name in calls[call].__doc__, (call, name)


def test_fixed():
    M = example() + 1
    V, W = np.arange(23.0)[:, None] % 5 + 1, np.ones((1, 17)) + np.arange(17) % 2
    res = nmu.factor(M, 4, "nmf", fix_v=V, fix_w=W, baseline=True, restarts=1, iterations=50)
    assert np.array_equal(res.V[:, :1], V) and np.array_equal(res.W[1], np.ones(17)) and np.array_equal(res.W[2:3], W)
    names = pandas.DataFrame(M, index=[f"r{i}" for i in range(23)])
    turned = pandas.DataFrame(V, index=names.index).iloc[::-1]
    with pytest.warns(UserWarning, match="fix_v .*matched by name"):
        assert same(res, nmu.factor(names, 4, "nmf", fix_v=turned, fix_w=W, baseline=True, restarts=1, iterations=50))
    with pytest.raises(nmu.Error, match="22 rows|22 x 1|fixed"):
        nmu.factor(M, 4, "nmf", fix_v=V[1:])
    with pytest.raises(nmu.Error, match="snmf"):
        nmu.factor(M, 4, "snmf", penalty_v=0.1, penalty_w=0.1, fix_v=V)


@pytest.mark.parametrize("options", [{"init": "nested"}, {"init": "svd"}, {"init": "nested", "block": 2, "tolerance": 1e-3}], ids=str)
def test_continue(options):
    M = example()
    options = dict(options, method="rnmu", restarts=1, iterations=30, record=True)
    whole, first = nmu.factor(M, 6, **options), nmu.factor(M, 4, **options)
    more = nmu.factor(M, 6, continue_=first, **options)
    assert same(whole, more) and more.blocks == whole.blocks
    with pytest.raises(nmu.Error, match="the matrix is another one"):
        nmu.factor(M + 1, 6, continue_=first, **options)
    with pytest.raises(nmu.Error, match="continue_ has V"):
        nmu.factor(M, 3, continue_=first, **options)
    with pytest.raises(nmu.Error, match="nested"):
        nmu.factor(M, 6, "rnmu", continue_=nmu.factor(M, 2, "rnmu", restarts=1), restarts=1)


def test_checkpoint(tmp_path):
    M, state = example(60, 50), tmp_path / "a, b.state"  # a comma separates settings
    options = dict(method="gnmu", restarts=2, seed=3, iterations=3000)
    whole = nmu.factor(M, 5, **options)
    cut = nmu.factor(M, 5, **options, checkpoint=state, checkpoint_every=0.005, time_limit=0.02)
    if cut.stop == "time limit":
        assert state.exists()
        assert same(whole, nmu.factor(M, 5, **options, resume=state, checkpoint=state)) and not state.exists()
    with pytest.raises(nmu.Error, match="resume"):
        nmu.factor(M, 5, **options, resume=tmp_path / "nothing")
    with pytest.raises(nmu.Error, match="checkpoint"):
        nmu.factor(M, 5, **options, checkpoint=tmp_path / "no" / "folder")
    with pytest.raises(nmu.Error, match="checkpoint says where"):
        nmu.factor(M, 5, **options, checkpoint_every=3)


def test_files(tmp_path):
    M = example()
    np.save(tmp_path / "m.npy", M)
    np.savetxt(tmp_path / "m.csv", M, delimiter=",")
    np.savetxt(tmp_path / "turned.csv", M.T, delimiter=",")
    scipy.sparse.save_npz(tmp_path / "m.npz", scipy.sparse.csr_matrix(M))
    want = nmu.factor(M, 4, "gnmu", seed=1, iterations=20)
    for path, options in (("m.npy", {}), ("m.csv", {}), ("turned.csv", {"transpose": True}), ("m.npz", {"dense": True}),
                          ("m.npy", {"scratch": tmp_path})):
        assert same(want, nmu.factor(tmp_path / path, 4, "gnmu", seed=1, iterations=20, **options)), path
    assert same(nmu.factor(scipy.sparse.csr_matrix(M), 4, "nmf"), nmu.factor(str(tmp_path / "m.npz"), 4, "nmf"))
    single = nmu.factor(tmp_path / "m.npy", 4, "gnmu", seed=1, iterations=20, dtype=np.float32)
    assert single.V.dtype == np.float32 and same(single, nmu.factor(M.astype(np.float32), 4, "gnmu", seed=1, iterations=20))
    weights = nmu.transform(want.V, M).W
    assert np.array_equal(nmu.transform(want.V, tmp_path / "m.csv").W, weights)
    assert same(nmu.improve(tmp_path / "m.csv", want.V, want.W), nmu.improve(M, want.V, want.W))
    mask = (np.add.outer(np.arange(23), np.arange(17)) % 5 > 0).astype(float)
    np.save(tmp_path / "mask.npy", mask)
    masked = nmu.factor(M, 3, "nmf", mask=mask > 0, restarts=1)
    for m in (M, tmp_path / "m.npy"):
        assert same(masked, nmu.factor(m, 3, "nmf", mask=tmp_path / "mask.npy", restarts=1))
    assert same(masked, nmu.factor(tmp_path / "m.npy", 3, "nmf", mask=mask > 0, restarts=1))
    (tmp_path / "gaps.csv").write_text("1,7,3\n4,,6\n7,8,9\n")
    gaps = np.array([[1, 7, 3], [4, np.nan, 6], [7, 8, 9]])
    with pytest.warns(UserWarning, match="gaps.csv: .*1 number is missing") as told:
        assert same(nmu.factor(tmp_path / "gaps.csv", 1, "nmf", missing="allow"), nmu.factor(gaps, 1, "nmf", missing="allow"))
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match="1 number is missing"):
        assert nmu.factor(tmp_path / "gaps.csv", 1, "nmf", missing="allow", header="yes").V.shape == (2, 1)
    (tmp_path / "a.csv").write_text("name,x,y\nfirst,1,2\nsecond,3,4\n")
    (tmp_path / "b.csv").write_text("name,x,y\nsecond,1,1\nfirst,1,0\n")
    with pytest.warns(UserWarning, match="b.csv in another order, and are matched by name"):
        matched = nmu.factor(tmp_path / "a.csv", 1, "nmf", mask=tmp_path / "b.csv")
    assert same(matched, nmu.factor([[1.0, 2], [3, 4]], 1, "nmf", mask=[[1, 0], [1, 1]]))
    (tmp_path / "b.csv").write_text("name,x,y\nsecond,1,1\nthird,1,0\n")
    with pytest.raises(nmu.Error, match="mask: the rows of .* have different names: .*row_names=FILE"):
        nmu.factor(tmp_path / "a.csv", 1, "nmf", mask=tmp_path / "b.csv")
    (tmp_path / "x.biom").write_text('{"id": null}')
    for bad, says in (({"M": tmp_path / "nothing.npy"}, "no such file"), ({"M": M, "transpose": True}, "M is in memory"),
                      ({"M": tmp_path / "x.biom"}, "-o x.tsv --to-tsv"),
                      ({"M": M, "mask": tmp_path / "nothing.npy"}, "mask: .*no such file")):
        with pytest.raises(nmu.Error, match=says):
            nmu.factor(rank=2, **bad)


def test_left_out(tmp_path):
    """Uncertainties are weights, and what is left out is NaN: the rest has the bits of the matrix without it, in every call."""
    rng = np.random.default_rng(1)
    M, s = rng.random((12, 9)), rng.uniform(0.5, 2, (12, 9))
    rows, cols = np.isin(np.arange(12), (2, 5)), np.arange(9) == 0
    inner, both, own = M[~rows][:, ~cols], dict(skip_rows=rows, skip_cols=cols), dict(restarts=1, seed=3)
    assert same(nmu.factor(M, 2, "nmf", uncertainties=s, **own), nmu.factor(M, 2, "nmf", weights=1 / s**2, **own))
    want, before = nmu.factor(inner, 2, "nmf", **own), M.copy()
    (tmp_path / "rows.txt").write_text("3\n6\n")
    np.save(tmp_path / "m.npy", M)
    for m in (M, M[::-1].copy()[::-1], tmp_path / "m.npy"):
        for skip in (rows, rows * 2.5, tmp_path / "rows.txt"):
            got = nmu.factor(m, 2, "nmf", skip_rows=skip, skip_cols=cols, **own)
            assert np.array_equal(got.V[~rows], want.V) and np.array_equal(got.W[:, ~cols], want.W)
            assert np.isnan(got.V[rows]).all() and np.isnan(got.W[:, cols]).all() and np.array_equal(M, before)
    sparse = scipy.sparse.csr_matrix(np.where(M > 0.5, M, 0))
    assert np.array_equal(nmu.factor(sparse, 2, "nmf", skip_rows=rows, **own).V[~rows], nmu.factor(sparse[~rows], 2, "nmf", **own).V)
    weights = nmu.transform(got.V, M, **both)
    assert np.isnan(weights.W[:, cols]).all() and np.array_equal(weights.W[:, ~cols], nmu.transform(want.V, inner).W)
    x, y = nmu.consensus(M, [2], runs=4, **both).points[0], nmu.consensus(inner, [2], runs=4).points[0]
    assert np.array_equal(x.map, y.map) and np.array_equal(x.V[~rows], y.V) and np.isnan(x.W[:, cols]).all()
    x, y = nmu.rank_survey(M, [2, 3], consensus=True, **both), nmu.rank_survey(inner, [2, 3], consensus=True)
    assert [p.held_out_error for p in x.points] == [p.held_out_error for p in y.points] and np.array_equal(x.consensus[2], y.consensus[2])
    assert nmu.estimate(M, 2, skip_rows=rows) == nmu.estimate(M[~rows], 2)
    for says, bad in {
        "leaves out all rows": dict(skip_rows=np.ones(12)), "a number for each of 12 rows": dict(skip_rows=np.ones(5)),
        "do not go with": dict(skip_rows=rows, fix_v=M[:, :1]), "do not go with .*given start": dict(skip_rows=rows, init=(M[:, :2], M[:2])),
        "uncertainties: row 1, column 1 of the matrix is 0": dict(uncertainties=0 * s), "choose one": dict(uncertainties=s, weights=s),
        "missing=allow": dict(uncertainties=np.where(rows[:, None], np.nan, s)), "skip_rows: .*no such file": dict(skip_rows="nothing.txt"),
    }.items():
        with pytest.raises(nmu.Error, match=says):
            nmu.factor(M, 2, "nmf", **bad)


def test_history():
    M = example()
    plain, kept = (nmu.factor(M, 3, "nmf", restarts=1, iterations=60, record=r) for r in (False, True))
    assert same(plain, kept) and plain.blocks[0].history == [] and len(kept.blocks[0].history) == 6
    assert all(a >= b for a, b in zip(kept.blocks[0].history, kept.blocks[0].history[1:]))
    often = nmu.factor(M, 3, "rnmu", restarts=1, iterations=60, tolerance=1e-12, check_every=5)
    assert [len(b.history) for b in often.blocks] == [12, 12, 12] and often.blocks[0].stop == "iterations"
    over = np.linalg.norm(np.maximum(0, often.V @ often.W - M)) / np.linalg.norm(M)
    assert abs(often.relative_violation - over) < 1e-12 and often.level == nmu.about()["level"]
    counts = nmu.factor(M, 3, "kl", restarts=1, record=True)
    assert counts.blocks[0].relative_divergence == counts.relative_divergence == pytest.approx(counts.blocks[0].history[-1], rel=1e-3)
    assert nmu.factor(M, 2, "nmf", mask=M >= 0, restarts=1).missing_solver == ""
    assert nmu.factor(M, 2, "nmf", mask=M > 0, restarts=1).missing_solver == "majorize"


def test_did_you_mean():
    M = example()
    for bad, near in (("iteration", "iterations"), ("restart", "restarts"), ("init_", "init"), ("sumtoone", "sum_to_one"), ("smoothv", "smooth_v"),
                      ("max_iter", "iterations"), ("random_state", "seed"), ("n_init", "restarts"), ("alpha_W", "l2_v")):
        with pytest.raises(nmu.Error, match=f"{bad} is no argument of factor .*did you mean {near}"):
            nmu.factor(M, 2, **{bad: 3})
    with pytest.raises(nmu.Error, match="did you mean rnmu"):
        nmu.factor(M, 2, "rnum")
    with pytest.raises(nmu.Error, match="no option \"rho\""):
        nmu.factor(M, 2, "nmf", rho=3)
    with pytest.raises(nmu.Error, match="see help"):
        nmu.transform(M[:, :2], M, nothing=3)


def test_warnings():
    M = example()
    weights = np.where(np.arange(M.shape[1]) == 0, 1e4, 1.0) * np.ones(M.shape)
    for said, method, options in (
        ("the penalties have left nothing of V and W; choose smaller ones, for example ", "snmf", dict(penalty_v=1e6, penalty_w=1e6)),
        ("the penalties have left nothing of V and W; choose smaller ones, for example ", "kl", dict(penalty_v=1e300, penalty_w=1e300)),
        ("the penalty would have left nothing of ", "rnmu", dict(threshold_v=1, threshold_w=1, restarts=1)),
        ("with weights of this range the missing solver majorize may stop far from the minimum", "nmf", dict(weights=weights, missing_solver="majorize")),
    ):
        with pytest.warns(UserWarning, match=said) as told:
            res = nmu.factor(M, 3, method, **options)
        assert [str(w.message) for w in told] == res.notes and told[0].filename == __file__
    assert nmu.factor(M, 3, "snmf", penalty_v=1e-6, penalty_w=1e-6).notes == nmu.factor(M, 3, weights=weights, iterations=2000).notes == []
    with pytest.warns(nmu.ConvergenceWarning, match="before the error was at rest"):
        nmu.factor(M, 3, "kl", iterations=20, restarts=1)
    with pytest.warns(UserWarning, match="majorize may stop"):
        nmu.improve(M, np.ones((len(M), 2)), np.ones((2, M.shape[1])), weights=weights, missing_solver="majorize")
    small = dict(method="snmf", penalty_v=1e-6, penalty_w=1e-6, iterations=1000)
    survey, consensus = partial(nmu.rank_survey, M, "2:3", folds=2), partial(nmu.consensus, M, "2:3", runs=2)
    for compare in (survey, consensus):
        with pytest.warns(UserWarning, match="the penalties have left nothing of V and W; choose smaller ones, for example ") as told:
            res = compare(method="snmf", penalty_v=1e6, penalty_w=1e6, iterations=5)
        assert [str(w.message) for w in told] == res.notes == sorted(set(res.notes)) and told[0].filename == __file__
    assert survey(**small).notes == [] and not any("penalties" in note for note in consensus(**small).notes)
    with pytest.warns(UserWarning, match="V has 30 columns and M has 23 rows"):
        nmu.transform(np.random.default_rng(0).random((23, 30)), M)


def test_rank_survey():
    rng = np.random.default_rng(0)
    M = rng.random((40, 3)) ** 4 @ rng.random((3, 30)) ** 4
    res = nmu.rank_survey(M, range(1, 7), iterations=200, consensus=True, restarts=3)
    assert res.rank == 3 and [p.rank for p in res.points] == [1, 2, 3, 4, 5, 6] and res.all_runs == res.runs_finished == 6 * 8
    assert "3" in res.reason and res.compared == "restarts" and not res.at_end
    # The errors of whole runs are those of factor, and the consensus matrix is that of the runs.
    runs = [nmu.factor(M, 4, "nmf", iterations=200, restarts=1, seed=s) for s in range(3)]
    best = min(runs, key=lambda r: r.relative_error)
    assert res.points[3].training_error == pytest.approx(best.relative_error, rel=1e-9)
    labels = [np.argmax(np.linalg.norm(r.V, axis=0)[:, None] * r.W, 0) for r in runs]
    want = np.mean([np.equal.outer(x, x) for x in labels], 0)
    assert np.allclose(res.consensus[4], want) and set(res.consensus) == {1, 2, 3, 4, 5, 6}
    axes = Figure().subplots()
    assert res.plot(axes) is axes and axes.get_xlabel() == "rank"
    few = nmu.rank_survey(scipy.sparse.csr_matrix(M), "2:3", folds=1, iterations=50)
    assert np.isnan(few.points[0].held_out_error) and few.least == 0 and few.consensus == {}
    assert all(tick == round(tick) for tick in few.plot(Figure().subplots()).get_xticks())
    assert nmu.rank_survey(M, [2, 3], "rnmu", solver="admm", iterations=20).points[1].stability > 0
    for bad in ("", "0:3", "3:2", [0], [2.5]):
        with pytest.raises(nmu.Error, match="rank"):
            nmu.rank_survey(M, bad)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_topics(dtype):
    M = example().astype(dtype)
    res = nmu.factor(pandas.DataFrame(M, index=[f"w{i}" for i in range(23)]), 3, "kl", restarts=1)
    t = nmu.topics(res.V, res.W)
    assert list(t.V.index) == list(res.V.index) and np.allclose(t.V.sum(), 1) and np.allclose(t.mixtures.sum(), 1)
    assert np.allclose(t.V.to_numpy() @ t.W.to_numpy(), res.V.to_numpy() @ res.W.to_numpy())
    assert np.allclose(t.mixtures, t.W / t.W.sum())
    with pytest.raises(nmu.Error, match="V has 3 columns and W has 2 rows"):
        nmu.topics(res.V.to_numpy(), res.W.to_numpy()[:2])
    with pytest.raises(TypeError, match="V is of|W is of"):
        nmu.topics(res.V.to_numpy(), res.W.to_numpy().astype(np.float32 if dtype == np.float64 else np.float64))


def test_improve_sparse():
    M = example()
    res = nmu.factor(M, 4, "gnmu", restarts=1)
    want = nmu.improve(M, res.V, res.W, solver="accelerated", mask=M < 6)
    assert want.relative_error < res.relative_error + 1 and ((want.W > 0) <= (res.W > 0)).all()
    dense, sparse = nmu.improve(M, res.V, res.W), nmu.improve(scipy.sparse.csr_matrix(M), res.V, res.W)
    assert np.allclose(dense.V, sparse.V, rtol=1e-10) and np.allclose(dense.W, sparse.W, rtol=1e-10)
    assert ((sparse.W > 0) <= (res.W > 0)).all()


def test_estimators_choose_the_number_of_components():
    rng = np.random.default_rng(0)
    X = rng.random((40, 3)) ** 4 @ rng.random((3, 30)) ** 4
    e = nmu.NMF("auto", max_iter=200, tol=0).fit(X)
    assert e.n_components_ == 3 == e.rank_survey_.rank and e.get_params()["n_components"] == "auto"
    assert np.array_equal(e.components_, nmu.NMF(3, max_iter=200, tol=0).fit(X).components_)
    with pytest.raises(ValueError, match='n_components="auto" compares'):
        nmu.NMF("auto", init=(X[:, :3], X[:3])).fit(X)
    wide = nmu.NMF(35, max_iter=20, tol=0).fit(X)
    assert wide.components_.shape == (35, 30)
    with pytest.warns(UserWarning, match="35 columns"):
        wide.transform(X)


def test_estimators_have_settings():
    X = example(30, 12) + 1
    known = np.arange(12.0)[None] % 4 + 1
    e = nmu.NMF(4, fix_w=known, baseline=True, max_iter=30, tol=0).fit(X)
    assert np.array_equal(e.components_[0], np.ones(12)) and np.array_equal(e.components_[1:2], known)
    assert np.array_equal(e.components_, nmu.factor(X, 4, "nmf", fix_w=known, baseline=True, solver="hals", iterations=30, restarts=1).W)
    over = np.linalg.norm(np.maximum(0, e.weights_ @ e.components_ - X)) / np.linalg.norm(X)
    assert abs(e.relative_violation_ - over) < 1e-12
    with pytest.raises(TypeError, match="NMF has no parameter max_iters; did you mean max_iter?"):
        nmu.NMF(3, max_iters=10)
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN.*\n.*missing_values=np.nan"):
        nmu.NMF(3).fit(X)


def test_values_are_checked_by_the_library():
    """The library, which knows the settings, refuses what is none of their values; NumPy's numbers are as Python's."""
    M = np.add.outer(np.arange(5.0), np.arange(4.0)) % 3
    for setting, words in {("record", 1): "record=1: choose true or false", ("tolerance", "x"): "tolerance=x: choose a number",
                           ("time_limit", float("nan")): "time_limit=nan: choose a number of seconds"}.items():
        with pytest.raises(nmu.Error, match=words):
            nmu.factor(M, 2, **dict([setting]))
    with_numpy = nmu.factor(M, 2, record=np.True_, tolerance=np.float64(1e-3), iterations=np.int32(50), time_limit=np.float32(1000))
    assert with_numpy.blocks == nmu.factor(M, 2, record=True, tolerance=1e-3, iterations=50, time_limit=1000).blocks
    assert with_numpy.blocks[0].history
