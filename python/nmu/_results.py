"""The results of functions: the fields of structs of nmu.h, as the library lists them, and further ones. Checkers of
types see them in a stub, which python/build writes."""

from __future__ import annotations

import re
from collections import namedtuple
from typing import Any

from ._library import about

_Fields = dict[str, tuple[str, str]]  # their types and meanings

_STRUCTS = about()["results"]
_TYPES = {"whole number": "int", "number": "float", "yes or no": "bool", "word": "str", "text": "str", "lines": "list[str]"}

declared: dict[str, _Fields] = {}  # the fields of each result


def _result(name: str, text: str, struct: str, without: str = "", before: _Fields = {}, behind: _Fields = {}) -> Any:
    """Returns the type of a result: a tuple of the fields of a struct without some, between further ones."""
    listed = {f["name"]: (_TYPES[f["type"]], re.sub("^1 if", "whether", f["meaning"])) for f in _STRUCTS[struct] if f["name"] not in without.split()}
    declared[name] = fields = {**before, **listed, **behind}
    result = namedtuple(name, fields, module=__name__, defaults=[{} for kind, _ in fields.values() if kind.endswith("{}")])  # type: ignore[misc]
    result.__doc__ = text
    for field, (_, meaning) in fields.items():
        getattr(result, field).__doc__ = meaning
    return result


_ARRAY = "NDArray[Any]"

Block = _result("Block", "A block: factors that are computed together.", "nmu_block", without="history_length", behind={
    "history": ("list[float]", 'the errors at the checks, with method="kl" divergences'),
})
Factorization = _result(
    "Factorization", "V (m x r) and W (r x n) with M ≈ V W, and how they came about.", "nmu_result", without="rank",
    before={"V": (_ARRAY, ""), "W": (_ARRAY, "")},
    behind={"blocks": ("list[Block]", ""), "method": ("str", "by which V and W were computed"), "options": ("dict[str, Any] = {}", "of the method, those that were given")},
)
Weights = _result(
    "Weights", "Weights W (r x n) for new columns, and how they came about.", "nmu_transform_result", without="finished", before={"W": (_ARRAY, "")},
)
Measures = _result("Measures", "The numbers by which the paper's tables compare factorizations.", "nmu_measures")
Biclique = _result("Biclique", "A biclique: each of its rows is joined to each of its columns.", "nmu_biclique_result", without="rows cols", before={
    "rows": ("NDArray[np.int_]", "indices, from 0"), "cols": ("NDArray[np.int_]", "likewise"),
})
RankPoint = _result("RankPoint", "What is known of a rank in a comparison. A number is NaN if it was not measured.", "nmu_rank_point")
RankSurvey = _result("RankSurvey", "A comparison of ranks, and the rank that it advises.", "nmu_rank_result", behind={
    "points": ("list[RankPoint]", "by increasing rank"), "consensus": ("dict[int, NDArray[Any]]", "consensus matrices by rank, with consensus=True"),
})
ConsensusPoint = _result("ConsensusPoint", "What many runs of a rank have in common. V and W are arrays, or DataFrames if M was one.", "nmu_consensus_point", behind={
    "silhouettes": ("list[float]", "of the parts: the mean over the runs, by 1 - cosine between columns of V"),
    "kept": ("list[int]", "of the parts: the runs whose part is no outlier"),
    "V": (_ARRAY, "(m x rank) the consensus parts, columns with the sum 1"), "V_low": (_ARRAY, "the lower ends of the intervals"), "V_high": (_ARRAY, "the upper ends"),
    "W": (_ARRAY, "(rank x n) their weights, fitted to M"), "W_low": (_ARRAY, ""), "W_high": (_ARRAY, ""),
    "map": (_ARRAY, "the share of the runs in which two columns of M have the same largest part"),
})
Consensus = _result("Consensus", "A comparison of many runs, and the largest rank whose parts recur.", "nmu_consensus_result", behind={
    "points": ("list[ConsensusPoint]", "by increasing rank; a rank without two finished runs has none"),
})
Estimate = _result("Estimate", "An upper bound on what `factor` takes, in bytes.", "nmu_estimate_result")
