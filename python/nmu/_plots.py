"""Plots by matplotlib, which is imported only here, where it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import OPTION, Error

_PROFILES = 150  # rows up to which V is drawn as bars


def _axes(axes: Any) -> Any:
    """Returns axes to draw on: those that are given, or new ones."""
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots()[1]


class Ranks:
    """What compares ranks, with the fields of its points that a plot shows."""

    __slots__ = ()
    points: list[Any]
    rank: int
    _lines: tuple[tuple[str, str], ...]

    def plot(self, axes: Any = None) -> Any:
        """Plots the errors and the stability over the rank, on axes of matplotlib, and returns these. What was not
        measured is left out."""
        axes = _axes(axes)
        ranks = [p.rank for p in self.points]
        for name, style in self._lines:
            bars = [p.standard_error for p in self.points] if name == "held_out_error" else None
            y = [getattr(p, name) for p in self.points]
            if not np.isnan(y).all():
                axes.errorbar(ranks, y, bars, fmt=style, label=name.replace("_", " "))
        if self.rank:
            axes.axvline(self.rank, color="grey", linewidth=0.8, label=f"advice: {self.rank}")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("rank")
        axes.legend()
        return axes


def factors(self: Any, which: str = "basis", *, shape: tuple[int, int] | None = None, axes: Any = None) -> Any:
    """Plots V, W or the error, as the page of nmu report does, by matplotlib.

    Parameters
    ----------
    which : "basis", "weights" or "error"
        The columns of V, the rows of W, or the error by iteration. The error needs record=True or a tolerance.
    shape : (height, width)
        Of pictures, whose pixels V or W holds row by row. Without it a part is a curve over rows or columns whose names
        are numbers or dates, and bars otherwise.
    axes : array of axes, one for each part, or axes for the error
        By default new ones.

    Returns
    -------
    The axes.
    """
    if which == "error":
        return _error(self, _axes(axes))
    if which not in ("basis", "weights"):
        raise Error(f"which is {which!r}; choose basis, weights or error", OPTION)
    factor = self.V.T if which == "basis" else self.W
    parts = np.asarray(factor)
    r, n = parts.shape
    if shape is not None and (len(shape) != 2 or shape[0] * shape[1] != n):
        raise Error(f"shape {shape!r} has not the {n} pixels of a part; choose a height and a width", OPTION)
    if axes is None:
        from matplotlib import pyplot

        across = min(r, 4) if shape is not None else 1
        down = -(-r // across)
        axes = pyplot.subplots(down, across, squeeze=False, figsize=(8, down * (2 if shape is not None else 1.2)), layout="constrained")[1]
        for unused in axes.flat[r:]:
            unused.set_axis_off()
    names = getattr(factor, "columns", None)
    for k, at in zip(range(r), np.ravel(axes)):
        if shape is not None:
            at.imshow(parts[k].reshape(shape), cmap="gray_r", vmin=0)
            at.set_axis_off()
            at.set_title(f"part {k + 1}", fontsize="small")
        else:
            _part(at, parts[k], names, last=k == r - 1)
            at.set_ylabel(f"part {k + 1}")
    return axes


def _part(at: Any, x: Any, names: Any, last: bool) -> None:
    """Draws a part as a curve if its names are numbers or dates, else as bars."""
    if getattr(getattr(names, "dtype", None), "kind", "O") in "iufM" or names is None and len(x) > _PROFILES:
        at.plot(np.arange(len(x)) if names is None else names, x, linewidth=1)
    else:
        at.bar(np.arange(len(x)), x, width=0.8)
        if names is not None and len(x) <= _PROFILES // 3:
            at.set_xticks(np.arange(len(x)), [str(name) for name in names] if last else [""] * len(x), rotation=90)
    at.set_ylim(bottom=0)


def _error(result: Any, axes: Any) -> Any:
    """Plots the errors of all blocks over the iterations."""
    errors = [e for block in result.blocks for e in block.history]
    if not errors:
        raise Error("the result has no history; give record=True or a tolerance to factor", OPTION)
    ends = np.cumsum([0, *(block.iterations_done for block in result.blocks)])
    at = [start + block.iterations_done * (i + 1) / len(block.history)
          for start, block in zip(ends, result.blocks) for i in range(len(block.history))]
    axes.plot(at, errors, ".-")
    axes.set_xlabel("iteration")
    axes.set_ylabel("divergence" if result.method == "kl" else "relative error")
    axes.set_ylim(bottom=0)
    return axes
