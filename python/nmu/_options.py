"""The options of the methods as arguments of Python: their texts, and their defaults here."""

from __future__ import annotations

import re
import textwrap
from typing import Any, Iterable

from ._library import about


def methods(names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Returns what the library says of its methods, or of those with these names."""
    every: list[dict[str, Any]] = about()["methods"]
    return every if names is None else [m for m in every if m["name"] in names]


def listed(some: list[dict[str, Any]], skip: Iterable[str] = ()) -> str:
    """Lists the options of methods for a docstring: each once, with the methods that take it."""
    texts: dict[str, dict[str, list[str]]] = {}  # of an option: its texts, and the methods of each
    kinds: dict[str, list[str]] = {}
    for m in some:
        for o in m["options"]:
            name = argument(o["name"])
            if name not in skip:
                texts.setdefault(name, {}).setdefault(in_python(o, some), []).append(m["name"])
                kinds.setdefault(name, []).extend(c for c in o.get("choices", []) if c not in kinds.get(name, []))
    lines = []
    for name, each in texts.items():
        lines.append(f"{name} : " + " or ".join(f'"{c}"' for c in kinds[name]) + (", " if kinds[name] else "") + "default=None")
        for text, of in each.items():
            lines.append(textwrap.indent(textwrap.fill(f"{', '.join(of)}: {text}", 92), "    "))
    return "\n".join(lines)


def argument(name: str) -> str:
    """Returns the name of an option as an argument."""
    return name.replace("-", "_")


def in_python(option: dict[str, Any], some: list[dict[str, Any]]) -> str:
    """Returns the text of an option of the command as one of an argument."""
    words = {c for m in some for o in m["options"] for c in o.get("choices", [])}
    text = re.sub(r"\s+", " ", option["usage"])
    text = re.sub(r" \(default that of --\w+\)", "", text)  # which are pictures that the command draws
    text = re.sub(r"`SIZE` HxW", "(height, width)", text)
    if option.get("choices"):  # they are named after the text that says what they choose
        text = re.sub(r"`NORM`", "norm", re.sub(r",? ?`(?!NORM)\w+`(?=[: ])", "", text)).strip().replace("( ", "(")
    text = re.sub(r"--([a-z-]+)(?: (\w+))?", lambda x: _given(argument(x[1]), x[2], words), text)
    return text.replace("`", "")


def _given(name: str, word: str | None, words: set[str]) -> str:
    """Writes an option and the word behind it, which may be its value."""
    if word in words:
        return f'{name}="{word}"'
    return name if word is None else f"{name} {word}"


def text(options: dict[str, Any]) -> bytes | None:
    """Returns options as the library reads them."""
    given = [f"{name.replace('_', '-')}={_value(value)}" for name, value in options.items() if value is not None]
    return ",".join(given).encode() if given else None


def _value(value: Any) -> str:
    """Writes a value: a tuple is a size, such as 19x19."""
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


# The solvers that docs/solvers.md and docs/kl.md recommend, where they are not the defaults of the command.
_RECOMMENDED = {"nmf": "accelerated", "snmf": "accelerated", "rnmu": "admm", "kl": "coordinate"}

# The options that go with the paper's solver alone, and with admm alone.
_OF_PAPER = {
    "snmf": ("sparsity_v", "sparsity_w"),
    "gnmu": ("step_offset", "multipliers"),
    "rnmu": ("step_offset", "multipliers", "penalty_v", "penalty_w", "sparsity_v", "sparsity_w", "smooth_v", "smooth_w"),
}
_OF_ADMM = ("rho", "residual_tol")


def solver_of(method: str, solver: str | None, options: dict[str, Any], weighted: bool) -> str | None:
    """Returns the solver for "auto" and "paper", and any other one as it is."""
    if solver not in ("auto", "paper"):
        return solver
    choices = [o["choices"] for m in methods([method]) for o in m["options"] if o["name"] == "solver"]
    if not choices:
        return None  # there is one solver only
    paper, best = choices[0][0], _RECOMMENDED.get(method)
    if "admm" in choices[0] and any(options.get(name) is not None for name in _OF_ADMM):
        best = "admm"
    if solver == "paper" or best is None or any(options.get(name) is not None for name in _OF_PAPER.get(method, ())):
        return paper
    return paper if best == "admm" and (weighted or options.get("norm") == "l1") else best
