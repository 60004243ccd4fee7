"""The examples of README.md."""

import pathlib
import re

import numpy as np
import pytest

from annotated import Annotated

README = pathlib.Path(__file__).parents[1] / "README.md"


def test_examples(tmp_path, monkeypatch, capsys):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    parts, functions, settings, annotated, missing = re.findall(r"^```python\n(.*?)^```$", README.read_text(), flags=re.S | re.M)
    names = {}
    exec(parts, names)
    assert re.fullmatch(r"error \d\d\.\d%, \d\d% of the pixels are zero\n", capsys.readouterr().out)
    assert (tmp_path / "parts.png").read_bytes().startswith(b"\x89PNG")
    names["M"] = np.arange(600.0).reshape(30, 20) % 7
    exec(functions, names)
    assert names["res"].max_violation == 0
    exec(settings, dict(names, print=lambda *_: None))
    adata = Annotated(None, {"counts": names["M"]})
    exec(annotated, dict(names, adata=adata))
    assert adata.obsm["X_nmf"].shape == (30, 5) and adata.varm["nmf"].shape == (20, 5) and adata.uns["nmf"]["seed"] >= 0
    exec(missing, dict(names, np=np))
