"""The types of the arguments that settings and options of methods are."""

from typing import Any, TypedDict, Union

class SharedSettings(TypedDict, total=False):
    threads: Union[int, None]
    var: Union[str, None]
    format: Union[str, None]
    transpose: Union[bool, None]
    dense: Union[bool, None]
    sep: Union[str, None]
    decimal: Union[str, None]
    header: Union[str, None]
    row_labels: Union[str, None]
    skip_columns: Union[str, list[Any], None]
    missing_text: Union[str, list[Any], None]
    below: Union[str, None]
    triples: Union[bool, None]
    align: Union[str, None]
    grey: Union[bool, None]
    row_names: Any
    col_names: Any
    max_memory: Union[int, str, None]

class MethodOptions(TypedDict, total=False):
    solver: Union[str, None]
    sweeps: Union[int, None]
    l2_v: Union[float, None]
    l2_w: Union[float, None]
    sum_to_one: Union[str, None]
    inner: Union[int, None]
    rho: Union[float, None]
    residual_tolerance: Union[float, None]
    feasible: Union[str, None]
    feasible_steps: Union[int, None]
    step_offset: Union[int, None]
    multipliers: Union[str, None]
    block: Union[int, None]
    norm: Union[str, None]
    threshold_v: Union[float, None]
    threshold_w: Union[float, None]
    sparsity_v: Union[float, None]
    sparsity_w: Union[float, None]
    smooth_v: Union[float, None]
    smooth_w: Union[float, None]
    smooth_norm: Union[str, None]
    shape_v: Union[tuple[int, int], str, None]
    shape_w: Union[tuple[int, int], str, None]
    penalty_v: Union[float, None]
    penalty_w: Union[float, None]
    hoyer_v: Union[float, None]
    hoyer_w: Union[float, None]

class FactorSettings(SharedSettings, MethodOptions, total=False):
    seed: Union[int, None]
    iterations: Union[int, None]
    restarts: Union[int, None]
    full_restarts: Union[bool, None]
    tolerance: Union[float, None]
    check_every: Union[int, None]
    target_error: Union[float, None]
    time_limit: Union[float, None]
    record: Union[bool, None]
    missing: Union[str, None]
    missing_value: Union[float, list[float], None]
    negative: Union[str, None]
    sparse_missing: Union[bool, None]
    mask: Any
    weights: Any
    uncertainties: Any
    skip_rows: Any
    skip_cols: Any
    missing_solver: Union[str, None]
    fix_v: Any
    fix_w: Any
    baseline: Union[bool, None]
    checkpoint: Any
    checkpoint_every: Union[float, None]
    resume: Any
    scratch: Any

class ImproveSettings(SharedSettings, total=False):
    iterations: Union[int, None]
    tolerance: Union[float, None]
    check_every: Union[int, None]
    target_error: Union[float, None]
    time_limit: Union[float, None]
    record: Union[bool, None]
    missing: Union[str, None]
    missing_value: Union[float, list[float], None]
    negative: Union[str, None]
    mask: Any
    weights: Any
    uncertainties: Any
    missing_solver: Union[str, None]
    solver: Union[str, None]
    sweeps: Union[int, None]
    l2_v: Union[float, None]
    l2_w: Union[float, None]
    sum_to_one: Union[str, None]

class TransformSettings(SharedSettings, total=False):
    iterations: Union[int, None]
    tolerance: Union[float, None]
    feasible: Union[bool, None]
    sum_to_one: Union[bool, None]
    divergence: Union[bool, None]
    missing: Union[str, None]
    missing_value: Union[float, list[float], None]
    negative: Union[str, None]
    mask: Any
    weights: Any
    uncertainties: Any
    skip_rows: Any
    skip_cols: Any

class RankSettings(SharedSettings, MethodOptions, total=False):
    seed: Union[int, None]
    iterations: Union[int, None]
    restarts: Union[int, None]
    tolerance: Union[float, None]
    check_every: Union[int, None]
    time_limit: Union[float, None]
    missing: Union[str, None]
    missing_value: Union[float, list[float], None]
    negative: Union[str, None]
    mask: Any
    weights: Any
    uncertainties: Any
    skip_rows: Any
    skip_cols: Any
    missing_solver: Union[str, None]
    checkpoint: Any
    checkpoint_every: Union[float, None]
    resume: Any
    folds: Union[int, None]
    consensus: Union[bool, None]

class BicliqueSettings(SharedSettings, total=False):
    seed: Union[int, None]
    iterations: Union[int, None]
    starts: Union[int, None]

class ConsensusSettings(SharedSettings, MethodOptions, total=False):
    seed: Union[int, None]
    iterations: Union[int, None]
    restarts: Union[int, None]
    tolerance: Union[float, None]
    check_every: Union[int, None]
    time_limit: Union[float, None]
    missing: Union[str, None]
    missing_value: Union[float, list[float], None]
    negative: Union[str, None]
    mask: Any
    weights: Any
    uncertainties: Any
    skip_rows: Any
    skip_cols: Any
    missing_solver: Union[str, None]
    checkpoint: Any
    checkpoint_every: Union[float, None]
    resume: Any
    runs: Union[int, None]
    resample: Union[str, None]
    level: Union[float, None]
