"""The results of functions; go test ./internal/options -run PythonResults -update writes this file."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Block(NamedTuple):
    """A block: factors that are computed together."""

    rank: int  #: the number of factors after it
    iterations_done: int  #: of the block
    relative_error: float  #: with these factors
    relative_l1: float  #: likewise, with norm=l1
    relative_divergence: float  #: likewise, with the method kl
    lowered: bool  #: whether a penalty was lowered, since the factor would have vanished
    stop: str  #: why its iterations ended
    history: list[float]  #: the errors at the checks, with method="kl" divergences


class Factorization(NamedTuple):
    """V (m x r) and W (r x n) with M ≈ V W, and how they came about."""

    V: NDArray[Any]
    W: NDArray[Any]
    iterations_done: int  #: of all blocks
    relative_error: float  #: ||M - V W|| / ||M||
    relative_l1: float  #: sum |M - V W| / sum |M|, with norm=l1
    relative_divergence: float  #: D(M | V W) over that of M from its mean, with the method kl; infinite if V W is 0 where M is not
    relative_violation: float  #: ||max(0, V W - M)|| / ||M||
    max_violation: float  #: the largest entry of V W - M, if positive
    violation_bound: bool  #: whether max_violation is an upper bound only (large sparse M)
    largest_entry: float  #: of M
    stop: str  #: the reason: iterations, tolerance, target error, time limit, cancelled, ...
    best_seed: int  #: the seed of the winning run
    best_restart: int  #: the number of the winning run, from 1
    restarts_begun: int  #: runs that began
    restarts_finished: int  #: runs that nothing cut short; the best of them won
    revived: int  #: factors that vanished under the penalties of snmf
    missing_solver: str  #: the solver for missing entries and weights, if there were any
    level: str  #: of the kernels: generic, avx2, avx512 or neon
    notes: list[str]  #: what a caller might not expect: penalties that leave nothing, ...
    q: float  #: the sum of w (M - V W)^2 with the weights w as given; 0 without weights
    expected_q: float  #: the expectation of q, if the weights are 1/s^2 for errors of standard deviation s
    blocks: list[Block]
    method: str  #: by which V and W were computed
    options: dict[str, Any] = {}  #: of the method, those that were given


class Weights(NamedTuple):
    """Weights W (r x n) for new columns, and how they came about."""

    W: NDArray[Any]
    relative_error: float  #: ||M - V W|| / ||M||
    relative_divergence: float  #: D(M | V W) over that of M from its mean, with divergence; infinite if V W is 0 where M is not
    max_violation: float  #: the largest entry of V W - M, if positive
    violation_bound: bool  #: whether max_violation is an upper bound only (large sparse M)
    iterations_done: int  #: largest number of sweeps over a column
    kkt: float  #: the largest KKT residual of a column
    stop: str  #: the reason: tolerance, iterations or cancelled


class Measures(NamedTuple):
    """The numbers by which the paper's tables compare factorizations."""

    relative_error: float  #: ||M - V W|| / ||M||
    max_violation: float  #: the largest entry of V W - M, if positive
    scale: float  #: the number that fits V W to M best
    scaled_error: float  #: the relative error of V W times it
    basis_zeros: float  #: s(V): the share of zeros, from 0 to 1
    weight_zeros: float  #: s(W), likewise
    basis_hoyer: float  #: sh(V): Hoyer's measure of columns of V
    weight_hoyer: float  #: sh(W): of rows of W
    relative_violation: float  #: ||max(0, V W - M)|| / ||M||
    largest_entry: float  #: the largest entry of M


class Biclique(NamedTuple):
    """A biclique: each of its rows is joined to each of its columns."""

    rows: NDArray[np.int_]  #: indices, from 0
    cols: NDArray[np.int_]  #: likewise
    edges: int  #: their product
    bound: int  #: no biclique has more edges
    start: int  #: the number of the start that found it, from 1


class RankPoint(NamedTuple):
    """What is known of a rank in a comparison. A number is NaN if it was not measured."""

    rank: int  #: that was tried
    training_error: float  #: of the best run of all entries, with the method kl a divergence
    held_out_error: float  #: at the entries that a run did not see, likewise
    standard_error: float  #: of the held-out error
    agreeing_runs: int  #: runs that were compared
    stability: float  #: the mean cosine of matched columns of V
    cophenetic: float  #: correlation of the consensus matrix
    dispersion: float  #: of the consensus matrix


class RankSurvey(NamedTuple):
    """A comparison of ranks, and the rank that it advises."""

    rank: int  #: the advice; 0 if no rank is clear
    least: int  #: the rank of the least held-out error; 0 if nothing was held out
    one_standard_error: int  #: the smallest rank within one standard error of it; likewise
    elbow: int  #: of the training error; 0 if there is none
    at_end: bool  #: whether a larger rank may be better
    reason: str  #: of the advice
    compared: str  #: the runs that were compared: restarts, folds, or none
    all_runs: int  #: of all ranks
    runs_finished: int  #: those that nothing cut short
    stop: str  #: why there are fewer: time limit or cancelled
    notes: list[str]  #: of all finished runs, as in a factorization, each once
    points: list[RankPoint]  #: by increasing rank
    consensus: dict[int, NDArray[Any]]  #: consensus matrices by rank, with consensus=True


class ConsensusPoint(NamedTuple):
    """What many runs of a rank have in common. V and W are arrays, or DataFrames if M was one."""

    rank: int  #: that was tried
    runs: int  #: that are compared
    stability: float  #: the mean silhouette of the parts: 1 if all runs find the same
    error: float  #: of the consensus V W, with the method kl a divergence
    run_error: float  #: the median of the runs, each of its own matrix
    cophenetic: float  #: correlation of the consensus map
    dispersion: float  #: of the consensus map
    q: float  #: the weighted sum of squares of M - V W; 0 without weights
    run_q: float  #: the least of the runs, each of its own matrix
    expected_q: float  #: the expectation of q, if the weights are 1/s^2 for errors of standard deviation s
    silhouettes: list[float]  #: of the parts: the mean over the runs, by 1 - cosine between columns of V
    kept: list[int]  #: of the parts: the runs whose part is no outlier
    V: NDArray[Any]  #: (m x rank) the consensus parts, columns with the sum 1
    V_low: NDArray[Any]  #: the lower ends of the intervals
    V_high: NDArray[Any]  #: the upper ends
    W: NDArray[Any]  #: (rank x n) their weights, fitted to M
    W_low: NDArray[Any]
    W_high: NDArray[Any]
    map: NDArray[Any]  #: the share of the runs in which two columns of M have the same largest part


class Consensus(NamedTuple):
    """A comparison of many runs, and the largest rank whose parts recur."""

    rank: int  #: the advice, the largest rank whose parts recur; 0 if none is clear
    reason: str  #: of the advice
    measure: str  #: of the errors: divergence with the method kl, else empty
    observed: int  #: entries of M
    weighted: bool  #: whether the entries have weights
    resample: str  #: what differed from run to run beside the start
    level: float  #: the share of the runs that an interval holds
    seed: int  #: of the first run
    runs: int  #: for each rank
    all_runs: int  #: of all ranks
    runs_finished: int  #: those that nothing cut short
    stop: str  #: why there are fewer: time limit or cancelled
    notes: list[str]  #: of all finished runs, as in a factorization, each once, and on parts of fewer than two runs
    points: list[ConsensusPoint]  #: by increasing rank; a rank without two finished runs has none


class Estimate(NamedTuple):
    """An upper bound on what `factor` takes, in bytes."""

    memory: int  #: of memory beside M in memory, with the results
    scratch: int  #: of the folder for scratch files
    reads: int  #: of files, by an iteration of one block of factors
    writes: int  #: likewise
