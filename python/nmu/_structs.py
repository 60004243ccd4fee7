"""The structs of nmu.h; go test ./internal/options -run PythonResults -update writes this file."""

from ctypes import Structure, c_char, c_char_p, c_double, c_int64, c_size_t, c_uint64, c_void_p, sizeof
from typing import Any


class Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields: Any):
        super().__init__(size=sizeof(self), **fields)


class Matrix(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_int64),
        ("rows", c_int64),
        ("cols", c_int64),
        ("row_stride", c_int64),
        ("col_stride", c_int64),
        ("data", c_void_p),
    ]


class Csr(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_int64),
        ("pointer_type", c_int64),
        ("index_type", c_int64),
        ("rows", c_int64),
        ("cols", c_int64),
        ("entries", c_int64),
        ("pointers", c_void_p),
        ("indices", c_void_p),
        ("values", c_void_p),
    ]


class Error(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("code", c_int64),
        ("row", c_int64),
        ("col", c_int64),
        ("value", c_double),
        ("matrix", c_char * 16),
        ("message", c_char * 456),
    ]


class Progress(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("updates", c_int64),
        ("restart", c_int64),
        ("restarts", c_int64),
        ("factor", c_int64),
        ("rank", c_int64),
        ("iteration", c_int64),
        ("iterations", c_int64),
        ("relative_error", c_double),
        ("elapsed", c_double),
        ("remaining", c_double),
    ]


class Input(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("matrix", c_void_p),
    ]


class Options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("version", c_int64),
        ("method", c_char_p),
        ("method_options", c_char_p),
        ("settings", c_char_p),
        ("inputs", c_void_p),
        ("input_count", c_int64),
        ("cancel", c_void_p),
        ("progress", c_void_p),
        ("callback", c_void_p),
        ("user", c_void_p),
    ]


class Block(Structure):
    _fields_ = [
        ("rank", c_int64),
        ("iterations_done", c_int64),
        ("relative_error", c_double),
        ("relative_l1", c_double),
        ("relative_divergence", c_double),
        ("lowered", c_int64),
        ("stop", c_char * 24),
        ("history_length", c_int64),
    ]


class Result(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("block", c_void_p),
        ("block_capacity", c_int64),
        ("blocks", c_int64),
        ("history", c_void_p),
        ("history_capacity", c_int64),
        ("history_length", c_int64),
        ("rank", c_int64),
        ("iterations_done", c_int64),
        ("relative_error", c_double),
        ("relative_l1", c_double),
        ("relative_divergence", c_double),
        ("relative_violation", c_double),
        ("max_violation", c_double),
        ("violation_bound", c_int64),
        ("largest_entry", c_double),
        ("stop", c_char * 24),
        ("best_seed", c_uint64),
        ("best_restart", c_int64),
        ("restarts_begun", c_int64),
        ("restarts_finished", c_int64),
        ("revived", c_int64),
        ("missing_solver", c_char * 24),
        ("level", c_char * 24),
        ("notes", c_char * 512),
        ("q", c_double),
        ("expected_q", c_double),
    ]


class File(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rows", c_int64),
        ("cols", c_int64),
        ("entries", c_int64),
        ("row_names", c_void_p),
        ("row_names_capacity", c_int64),
        ("row_names_length", c_int64),
        ("col_names", c_void_p),
        ("col_names_capacity", c_int64),
        ("col_names_length", c_int64),
    ]


class EstimateResult(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_int64),
        ("memory", c_int64),
        ("scratch", c_int64),
        ("reads", c_int64),
        ("writes", c_int64),
    ]


class TransformResult(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("relative_error", c_double),
        ("relative_divergence", c_double),
        ("max_violation", c_double),
        ("violation_bound", c_int64),
        ("iterations_done", c_int64),
        ("kkt", c_double),
        ("stop", c_char * 24),
        ("finished", c_int64),
    ]


class RankPoint(Structure):
    _fields_ = [
        ("rank", c_int64),
        ("training_error", c_double),
        ("held_out_error", c_double),
        ("standard_error", c_double),
        ("agreeing_runs", c_int64),
        ("stability", c_double),
        ("cophenetic", c_double),
        ("dispersion", c_double),
    ]


class RankResult(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("point", c_void_p),
        ("point_capacity", c_int64),
        ("points", c_int64),
        ("consensus", c_void_p),
        ("consensus_capacity", c_int64),
        ("consensus_columns", c_int64),
        ("rank", c_int64),
        ("least", c_int64),
        ("one_standard_error", c_int64),
        ("elbow", c_int64),
        ("at_end", c_int64),
        ("reason", c_char * 512),
        ("compared", c_char * 24),
        ("all_runs", c_int64),
        ("runs_finished", c_int64),
        ("stop", c_char * 24),
        ("notes", c_char * 512),
    ]


class ConsensusPoint(Structure):
    _fields_ = [
        ("rank", c_int64),
        ("runs", c_int64),
        ("stability", c_double),
        ("error", c_double),
        ("run_error", c_double),
        ("cophenetic", c_double),
        ("dispersion", c_double),
        ("q", c_double),
        ("run_q", c_double),
        ("expected_q", c_double),
    ]


class Part(Structure):
    _fields_ = [
        ("silhouette", c_double),
        ("kept", c_int64),
    ]


class ConsensusResult(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("point", c_void_p),
        ("point_capacity", c_int64),
        ("points", c_int64),
        ("part", c_void_p),
        ("part_capacity", c_int64),
        ("parts", c_int64),
        ("v", c_void_p),
        ("v_low", c_void_p),
        ("v_high", c_void_p),
        ("w", c_void_p),
        ("w_low", c_void_p),
        ("w_high", c_void_p),
        ("map", c_void_p),
        ("map_capacity", c_int64),
        ("map_columns", c_int64),
        ("rank", c_int64),
        ("reason", c_char * 512),
        ("measure", c_char * 24),
        ("observed", c_int64),
        ("weighted", c_int64),
        ("resample", c_char * 24),
        ("level", c_double),
        ("seed", c_uint64),
        ("runs", c_int64),
        ("all_runs", c_int64),
        ("runs_finished", c_int64),
        ("stop", c_char * 24),
        ("notes", c_char * 512),
    ]


class Measures(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("relative_error", c_double),
        ("max_violation", c_double),
        ("scale", c_double),
        ("scaled_error", c_double),
        ("basis_zeros", c_double),
        ("weight_zeros", c_double),
        ("basis_hoyer", c_double),
        ("weight_hoyer", c_double),
        ("relative_violation", c_double),
        ("largest_entry", c_double),
    ]


class BicliqueResult(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rows", c_int64),
        ("cols", c_int64),
        ("edges", c_int64),
        ("bound", c_int64),
        ("start", c_int64),
    ]


class Model(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("method", c_char * 24),
        ("method_options", c_char * 1000),
        ("topics", c_int64),
        ("type", c_int64),
        ("rows", c_int64),
        ("rank", c_int64),
        ("names", c_void_p),
        ("names_capacity", c_int64),
        ("names_length", c_int64),
        ("max_memory", c_int64),
    ]


class Info(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("version", c_char * 48),
        ("level", c_char * 16),
        ("threads", c_int64),
        ("methods", c_char_p),
        ("settings", c_char_p),
        ("results", c_char_p),
    ]
