"""nmu finds parts: nonnegative matrix factorization and underapproximation.

    factor      M (m x n) into a basis V (m x r) and weights W (r x n)
    estimate    the memory that factor takes
    transform   weights for new columns in a given basis
    update      a factorization by nmf goes on with new columns
    load        a model that Factorization.save has written: weights for new columns
    improve     HALS steps that keep the zeros of V and W
    look        how a file is read, and what its matrix holds
    metrics     the numbers of the paper's tables
    rank_survey ranks by held-out error and stability, and the one that is advised
    consensus   many runs compared: stable parts, an interval for each entry
    topics      factors of counts as proportions
    biclique    a biclique with many edges of a bipartite graph
    NMF, NMU    estimators for scikit-learn
    about       version, instruction level, methods and their options

For given input, options and seed every bit of the result is the same on every
processor, with any number of threads and in any order of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._functions import (
    Biclique, Block, Consensus, ConsensusPoint, Estimate, Factorization, Measures, Model, RankPoint, RankSurvey, Topics, Update, Weights,
    biclique, consensus, estimate, factor, improve, load, look, metrics, rank_survey, topics, transform, update,
)
from ._library import ConvergenceWarning, Error, ForkError, InternalError, about

if TYPE_CHECKING:
    from ._estimators import NMF, NMU

__all__ = [
    "NMF", "NMU", "Biclique", "Block", "Consensus", "ConsensusPoint", "ConvergenceWarning", "Error", "Estimate", "Factorization", "ForkError", "InternalError", "Measures", "Model", "RankPoint", "RankSurvey",
    "Topics", "Update", "Weights", "about", "biclique", "consensus", "estimate", "factor", "improve", "load", "look", "metrics", "rank_survey", "topics", "transform", "update",
]

__version__: str

if not TYPE_CHECKING:  # which would take every name for one that is there

    def __getattr__(name: str) -> Any:
        """Imports scikit-learn when an estimator is asked for, and returns __version__."""
        if name in ("NMF", "NMU"):
            from . import _estimators

            return getattr(_estimators, name)
        if name == "__version__":
            return about()["version"]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Lists the names that are there for users, also those that are not imported yet."""
    return [*__all__, "__version__", "__doc__"]
