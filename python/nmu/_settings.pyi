"""The types of the arguments that settings and options of methods are."""

from typing import Any, TypedDict, Union

class FactorSettings(TypedDict, total=False):
    seed: Union[int, None]
    iterations: Union[int, None]
    restarts: Union[int, None]
    threads: Union[int, None]
    tolerance: Union[float, None]
    check_every: Union[int, None]
    target_error: Union[float, None]
    time_limit: Union[float, None]
    record: Union[bool, None]
    missing: Union[str, None]
    sparse_missing: Union[bool, None]
    mask: Any
    weights: Any
    missing_solver: Union[str, None]
    fix_v: Any
    fix_w: Any
    baseline: Union[bool, None]
    checkpoint: Any
    checkpoint_every: Union[float, None]
    resume: Any
    var: Union[str, None]
    transpose: Union[bool, None]
    dense: Union[bool, None]
    scratch: Any
    solver: Union[str, None]
    sweeps: Union[int, None]
    sum_to_one: Union[str, None]
    inner: Union[int, None]
    rho: Union[float, None]
    residual_tol: Union[float, None]
    feasible: Union[str, None]
    feasible_steps: Union[int, None]
    step_offset: Union[int, None]
    multipliers: Union[str, None]
    block: Union[int, None]
    norm: Union[str, None]
    penalty_v: Union[float, None]
    penalty_w: Union[float, None]
    sparsity_v: Union[float, None]
    sparsity_w: Union[float, None]
    smooth_v: Union[float, None]
    smooth_w: Union[float, None]
    smooth_norm: Union[str, None]
    shape_v: Union[tuple[int, int], str, None]
    shape_w: Union[tuple[int, int], str, None]
    hoyer_v: Union[float, None]
    hoyer_w: Union[float, None]

class ImproveSettings(TypedDict, total=False):
    iterations: Union[int, None]
    threads: Union[int, None]
    tolerance: Union[float, None]
    check_every: Union[int, None]
    target_error: Union[float, None]
    time_limit: Union[float, None]
    record: Union[bool, None]
    missing: Union[str, None]
    mask: Any
    weights: Any
    missing_solver: Union[str, None]
    var: Union[str, None]
    transpose: Union[bool, None]
    dense: Union[bool, None]
    solver: Union[str, None]
    sweeps: Union[int, None]
    sum_to_one: Union[str, None]

class TransformSettings(TypedDict, total=False):
    iterations: Union[int, None]
    threads: Union[int, None]
    tolerance: Union[float, None]
    feasible: Union[bool, None]
    sum_to_one: Union[bool, None]
    divergence: Union[bool, None]
    missing: Union[str, None]
    mask: Any
    weights: Any
    var: Union[str, None]
    transpose: Union[bool, None]
    dense: Union[bool, None]

class RankSettings(TypedDict, total=False):
    seed: Union[int, None]
    iterations: Union[int, None]
    restarts: Union[int, None]
    threads: Union[int, None]
    tolerance: Union[float, None]
    check_every: Union[int, None]
    time_limit: Union[float, None]
    missing: Union[str, None]
    mask: Any
    weights: Any
    missing_solver: Union[str, None]
    ranks: Any
    folds: Union[int, None]
    var: Union[str, None]
    transpose: Union[bool, None]
    dense: Union[bool, None]
    solver: Union[str, None]
    sweeps: Union[int, None]
    sum_to_one: Union[str, None]
    inner: Union[int, None]
    rho: Union[float, None]
    residual_tol: Union[float, None]
    feasible: Union[str, None]
    feasible_steps: Union[int, None]
    step_offset: Union[int, None]
    multipliers: Union[str, None]
    block: Union[int, None]
    norm: Union[str, None]
    penalty_v: Union[float, None]
    penalty_w: Union[float, None]
    sparsity_v: Union[float, None]
    sparsity_w: Union[float, None]
    smooth_v: Union[float, None]
    smooth_w: Union[float, None]
    smooth_norm: Union[str, None]
    shape_v: Union[tuple[int, int], str, None]
    shape_w: Union[tuple[int, int], str, None]
    hoyer_v: Union[float, None]
    hoyer_w: Union[float, None]

class BicliqueSettings(TypedDict, total=False):
    seed: Union[int, None]
    iterations: Union[int, None]
    threads: Union[int, None]
    starts: Union[int, None]
    var: Union[str, None]
    transpose: Union[bool, None]
    dense: Union[bool, None]
