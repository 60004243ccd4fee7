"""The options of the methods and the settings of a call as arguments of Python: their texts, and their defaults here."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import re
import textwrap
from typing import Any, Callable, Iterable, TypeVar

import numpy as np

from ._library import OPTION, Error, about


def methods(names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Returns what the library says of its methods, or of those with these names."""
    return _METHODS if names is None else [m for m in _METHODS if m["name"] in names]


_METHODS: list[dict[str, Any]] = about()["methods"]


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


# What the library calls M and its start has other names and forms here.
_OWN = ("init", "input", "continue", "overwrite", "ranks")

_KINDS = {"whole number": "int", "bytes": "int or str", "number": "float", "seconds": "float", "yes or no": "bool", "matrix": "array or path", "file": "path", "list of names": "str or list", "list of numbers": "float or list"}


@functools.lru_cache(maxsize=None)
def settings(call: str) -> dict[str, dict[str, Any]]:
    """Returns the settings of a call of the library by their names as arguments."""
    return {argument(s["name"]): s for s in _SETTINGS if call in s["calls"] and s["name"] not in _OWN}


_SETTINGS: list[dict[str, Any]] = about()["settings"]


# Parameters that some functions have beside the settings.
_COMMON = {
    "progress": ("bool or callable", "True shows a bar, by tqdm if that is installed. A callable is called a few times per second with a\n    dict, where \"restart\" of \"restarts\" counts the runs. An exception that it raises ends the call."),
    "dtype": ("numpy.float64 or numpy.float32", "The precision, where M is no array."),
}


def described(call: str, names: Iterable[str] | None = None) -> str:
    """Describes the settings of a call, or those of these names, for a docstring."""
    lines = []
    for name, s in settings(call).items():
        if names is not None and name not in names:
            continue
        kind = " or ".join(f'"{c}"' for c in s["choices"]) if "choices" in s else _KINDS.get(s["type"], "str")
        text = in_python(s, methods())
        if s.get("unit"):
            text += f", in {s['unit']}"
        if "default" in s and "default" not in text:
            text += f"; default {s['default']}"
        if "methods" in s:
            text = f"{', '.join(s['methods'])}: {text}"
        lines += [f"{name} : {kind}", textwrap.indent(textwrap.fill(text[0].upper() + text[1:] + ".", 92), "    ")]
    return "\n".join(lines)


_F = TypeVar("_F", bound=Callable[..., Any])


def documented(call: str, **texts: str) -> Callable[[_F], _F]:
    """Returns a decorator that gives a function the settings of a call, in its signature and its documentation."""

    def decorate(function: _F) -> _F:
        kind = inspect.Parameter
        named = inspect.signature(function)
        own = [p for p in named.parameters.values() if p.kind != kind.VAR_KEYWORD]
        rest = [p for p in named.parameters.values() if p.kind == kind.VAR_KEYWORD and "**options" in (function.__doc__ or "")]
        listed = [kind(name, kind.KEYWORD_ONLY, default=None) for name in settings(call) if name not in named.parameters]
        function.__signature__ = named.replace(parameters=[*own, *listed, *rest])  # type: ignore[attr-defined]
        if function.__doc__:  # None with python -OO
            common = "".join(f"{name} : {kind}\n    {text}\n" for name, (kind, text) in _COMMON.items() if name in named.parameters)
            function.__doc__ = function.__doc__.format(settings=textwrap.indent(common + described(call), "    ").strip(), **texts)
        return function

    return decorate


_OPTIONS = {argument(o["name"]) for m in _METHODS for o in m["options"]}

_ALL = [*_SETTINGS, *(o for m in _METHODS for o in m["options"])]

# Each setting or option with the words of other programs for it.
_SAME = [{o["name"], *o.get("foreign", ())} for o in _ALL]


def near(name: str, words: Iterable[str]) -> str | None:
    """Returns the word that stands for the same in another program, or that name may be a misspelling of."""
    same = set().union(*(group for group in _SAME if name.lower().replace("_", "-") in group))
    words = list(words)
    known = [word for word in words if word.lower().replace("_", "-") in same]
    return (known or difflib.get_close_matches(name, words, 1, 0.7) or [None])[0]


def choice(option: str, word: str, method: str) -> str | None:
    """Returns the choice of a setting or an option for a word of another program, None if there is none."""
    some = [*_SETTINGS, *(o for m in methods([method]) for o in m["options"])]
    return next((o["same"][word] for o in some if o["name"] == option and word in o.get("same", ())), None)


def split(call: str, given: dict[str, Any], method: str | None, others: Iterable[str] = ()) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits arguments into settings of a call and options of a method. Others are the other
    arguments of the function, which a misspelling may mean."""
    known = settings(call)
    options = _OPTIONS if method is not None else set()
    for name in given:
        if name not in known and name not in options:
            words = [*known, *sorted(options), *others]
            meant = near(name, words)
            function = {"inspect": "look", "rank": "rank_survey"}.get(call, call)
            hint = f"did you mean {meant}?" if meant else "see help(nmu." + function + ")"
            raise Error(f"{name} is no argument of {function}{f' with method {method!r}' if method else ''}; {hint}", OPTION)
    return {k: x for k, x in given.items() if k in known}, {k: x for k, x in given.items() if k not in known}


def ranks_of(text: str, most: int) -> set[int]:
    """Returns the ranks of a list such as "2:8,10,12", or none if one is more than most: the library refuses it."""
    ranks: set[int] = set()
    for part in re.split(r"[, ]+", text.strip()):
        ends = [int(word) if word.isdecimal() and len(word) < 10 else 0 for word in part.split(":")]
        first, last, step = ends[0], ends[min(1, len(ends) - 1)], ends[2] if len(ends) > 2 else 1
        if last > most:
            return set()
        ranks.update(range(first, last + 1, max(step, 1)))
    return ranks


def text(options: dict[str, Any]) -> bytes | None:
    """Returns options as the library reads them. A comma in a value is written twice."""
    given = [f"{name.replace('_', '-')}={_value(value)}".replace(",", ",,") for name, value in options.items() if value is not None]
    return ",".join(given).encode(errors="surrogateescape") if given else None  # of a path that is no UTF-8


def _value(value: Any) -> str:
    """Writes a value: a tuple is a size, such as 19x19, and a list one of names."""
    if isinstance(value, (tuple, list)):
        return ("x" if isinstance(value, tuple) else ",").join(map(str, value))
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


# The paper's solvers, and those that docs/solvers.md and docs/kl.md recommend, where they are not the defaults of the library.
_PAPER = {"nmf": "hals", "snmf": "hals"}
_RECOMMENDED = {"rnmu": "admm", "kl": "coordinate"}

# The options that go with Algorithm L-NMU alone, and with admm alone. Fixed factors do too.
_OF_L_NMU = ("step_offset", "multipliers", "threshold_v", "threshold_w", "sparsity_v", "sparsity_w", "smooth_v", "smooth_w", "fix_w")
_OF_ADMM = ("rho", "residual_tolerance")


def solver_of(method: str, solver: str | None, options: dict[str, Any], weighted: bool) -> str | None:
    """Returns the solver for "auto" and "paper", None for the default of the library, and any other one as it is."""
    if solver not in ("auto", "paper"):
        return solver
    if solver == "paper":
        return _PAPER.get(method)
    of_admm = method in ("gnmu", "rnmu") and any(options.get(name) is not None for name in _OF_ADMM)
    best = "admm" if of_admm else _RECOMMENDED.get(method)
    of_l_nmu = any(options.get(name) is not None for name in _OF_L_NMU) or options.get("baseline")
    return None if best == "admm" and (of_l_nmu or weighted or options.get("norm") == "l1") else best
