"""The types that a checker sees."""

import subprocess
import sys

PROGRAM = """
import numpy as np
import nmu
from nmu._settings import FactorSettings, ImproveSettings

M = np.ones((4, 3))
res = nmu.factor(M, 2, "nmf", solver="accelerated", iterations=5)
reveal_type(res.V)
reveal_type(res.blocks[0].lowered)
reveal_type(nmu.transform(res.V, M).W)
estimator = nmu.NMF(2, method="snmf", penalty_v=0.1).fit(M)
reveal_type(estimator)
reveal_type(estimator.components_)
reveal_type(nmu.NMU(2, solver="paper").fit_transform(M))
reveal_type(nmu.__version__)
res.nothing
nmu.nothing
nmu.factor(M, "2")
FactorSettings(seed="1", penalty_v=0.1, shape_v=(2, 2), missing_value=[1.0], iterations=None, mask=M)
ImproveSettings(block=2)
nmu.NMF(n_components=2.5)
"""


def test_types(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    run = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", "--no-color-output", "--cache-dir", str(tmp_path / "cache"),
           "--ignore-missing-imports", "program.py"]
    out = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=300).stdout.replace('"', "'")
    revealed = [line.split("Revealed type is ")[1].strip("'") for line in out.splitlines() if "Revealed type" in line]
    array = "numpy.ndarray[Any, numpy.dtype[Any]]"
    assert revealed == [array, "builtins.bool", array, "nmu._estimators.NMF", array, array, "builtins.str"], out
    errors = [line.split(" error: ")[1].split("  [")[0] for line in out.splitlines() if " error: " in line]
    assert errors == [
        "'Factorization' has no attribute 'nothing'", "Module has no attribute 'nothing'",
        "Argument 2 to 'factor' has incompatible type 'str'; expected 'int'",
        "Incompatible types (expression has type 'str', TypedDict item 'seed' has type 'Optional[int]')",
        "Extra key 'block' for TypedDict 'ImproveSettings'",
        "Argument 'n_components' to 'NMF' has incompatible type 'float'; expected 'Union[int, Literal['auto'], None]'",
    ], out
