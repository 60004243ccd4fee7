"""Estimators for scikit-learn."""

from __future__ import annotations

import inspect
import textwrap
import warnings
from typing import TYPE_CHECKING, Any, Callable, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative

from . import _functions, _library, _options, _tables

try:  # scikit-learn 1.6
    from sklearn.utils.validation import validate_data as _validate

    _FINITE = "ensure_all_finite"
except ImportError:
    _FINITE = "force_all_finite"

    def _validate(estimator: Any, *args: Any, **options: Any) -> Any:
        return estimator._validate_data(*args, **options)


_S = TypeVar("_S", bound="_Factorizer")


class _Factorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What NMF and NMU share: X (samples x features) is M, so that V holds the weights of
    the samples and W the components."""

    components_: NDArray[Any]
    weights_: NDArray[Any]
    n_components_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    reconstruction_err_: float
    relative_error_: float
    max_violation_: float
    relative_violation_: float
    stop_: str
    rank_survey_: _functions.RankSurvey
    sums_: tuple[NDArray[Any], NDArray[Any]] | None

    _arguments: tuple[str, ...]  # which are settings of a run, and options of methods

    if TYPE_CHECKING:  # _set_up writes it out, with every option

        def __new__(  # of __init__, mypy would forget the class where it does not know scikit-learn
            cls: type[_S], n_components: int | Literal["auto"] | None = None, *, method: str = ..., init: Any = ..., solver: str | None = ...,
            max_iter: int | None = ..., restarts: int = ..., tol: float = ..., time_limit: float | None = ...,
            threads: int | None = ..., random_state: Any = ..., under: bool = ..., missing_values: float | None = ...,
            missing_solver: str | None = ..., verbose: int | bool = ...,
            progress: bool | Callable[[dict[str, float]], None] | None = ..., **options: Any,
        ) -> _S: ...

    def fit(self: _S, X: Any, y: Any = None, sample_weight: Any = None) -> _S:
        """Factors X.

        Parameters
        ----------
        X : array, DataFrame or scipy.sparse matrix of shape (n_samples, n_features)
            float32 stays so; what is neither float32 nor float64 becomes float64.
        y : ignored
        sample_weight : array of shape (n_samples,), default=None
            Of the squares of the residuals of a sample, for an array X. A sample of weight 0
            is as one that is not there, but for its zeros in weights_.

        Returns
        -------
        self
        """
        method, weights, weighted = self._method(), None, False
        init, solver = self._word("init", method) or "random", self._word("solver", method)
        if isinstance(init, str) and init == "custom":
            raise ValueError('init="custom" is one of scikit-learn; init=(weights, components) is a start of your own here')
        if not isinstance(init, str):
            names = _tables.names_of(_tables.framed(X))
            init = _tables.aligned(init[0], "the start", names.index), _tables.aligned(init[1], "the start", None, names.columns)
        X = self._checked(X, reset=True)
        if sample_weight is not None:
            each = _check_sample_weight(sample_weight, X, dtype=np.float64)
            kept = each > 0
            if (each < 0).any() or not kept.any():
                raise ValueError("sample_weight has a negative entry, or none that is positive")
            X = X[kept]
            init = init if isinstance(init, str) else (np.asarray(init[0])[kept], init[1])
            weights = np.broadcast_to(each[kept, None], X.shape)
            weighted = each[kept].min() < each.max()  # else it is as without weights
        options = {name: getattr(self, name) for name in self._arguments}
        method = self._penalise(method, options, *X.shape)
        options["solver"] = _options.solver_of(method, solver, options, weighted)
        rank = min(X.shape) if self.n_components is None else self.n_components
        if rank == "auto":
            rank = self._advised(X, method, init, weights, options)
        rank = _functions._whole(rank, "n_components", 1, _functions._most_factors(X.shape))
        iterations = self.max_iter
        if iterations is None and self.tol > 0:  # which ends a run sooner
            iterations = next((m["iterations"] for m in _options.methods([method])), None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", _library.ConvergenceWarning)  # with tol there is that of scikit-learn
            warnings.filterwarnings("ignore", "V W exceeds M by")  # which max_violation_ says
            res = _functions.factor(
                X, rank, method, init=init, seed=self._seed(), iterations=iterations, restarts=self.restarts,
                tolerance=self.tol, weights=weights, missing=self._missing(X), progress=self._progress(), **options,
            )
        self.weights_, self.components_ = res.V, res.W
        if weights is not None:
            self.weights_ = np.zeros((len(kept), len(res.W)), X.dtype)
            self.weights_[kept] = res.V
        self.n_components_ = len(res.W)
        self._measure(res, X, weights)
        if method == "kl":
            self.reconstruction_err_ = float(np.sqrt(2 * _divergence(X, res.V, res.W, weights)))
        self.relative_violation_, self.sums_ = res.relative_violation, None
        if self.tol > 0 and self.stop_ == "iterations":
            warnings.warn(
                f"{self.n_iter_} iterations were not enough for tol={self.tol}; set a larger max_iter or tol",
                ConvergenceWarning, stacklevel=2)
        return self

    def _measure(self, found: _functions.Factorization | _functions.Weights, X: Any, weights: Any = None) -> None:
        """Keeps the numbers of what was found."""
        self.n_iter_, self.stop_ = found.iterations_done, found.stop
        self.relative_error_, self.max_violation_ = found.relative_error, found.max_violation
        squares = np.square(X if isinstance(X, np.ndarray) else X.data, dtype=np.float64)
        if weights is not None:
            squares *= weights
        self.reconstruction_err_ = found.relative_error * float(np.sqrt(np.nan_to_num(squares, copy=False, posinf=np.inf).sum()))

    def _advised(self, X: Any, method: str, init: Any, weights: Any, options: dict[str, Any]) -> int:
        """Returns the number of components that a comparison of ranks advises."""
        if not isinstance(init, str) or any(options.get(name) for name in ("fix_w", "baseline", "resume")):
            raise ValueError('n_components="auto" compares numbers of components, of which a start, fixed components or a state have one; give that')
        others = {name: value for name, value in options.items() if name not in _options.settings("factor")}
        survey = _functions.rank_survey(
            X, range(1, min(*X.shape, _MOST) + 1), method, init=init, seed=self._seed(), iterations=self.max_iter,
            threads=self.threads, weights=weights, missing=self._missing(X), missing_solver=self.missing_solver,
            progress=self._progress(), **others,
        )
        self.rank_survey_ = survey
        return survey.rank or survey.elbow or survey.one_standard_error

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> NDArray[Any]:
        """Factors X and returns transform(X), which is the best that its components can do:
        not weights_, which the factorization itself ended with.

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        return self.fit(X, y, **params).transform(X)

    def transform(self, X: Any) -> NDArray[Any]:
        """Finds the weights of samples: each on its own, whatever the others are.

        Parameters
        ----------
        X : array, DataFrame or scipy.sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        return self._weights(X).W.T

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Returns the samples that have these weights.

        Parameters
        ----------
        X : array, DataFrame or scipy.sparse matrix of shape (n_samples, n_components)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if _tables.is_table(X):
            X = _tables.values(X, "X")
        return np.asarray((X if issparse(X) else np.asarray(X)) @ self.components_)

    def score(self, X: Any, y: Any = None) -> float:
        """Returns minus the relative error of X with the weights of transform(X): 0 is
        perfect, -1 is what no components would give. What is missing does not count. With
        method "kl" it is minus the divergence of X from weights @ components, over that from
        the mean of X, which is perfect at 0 too, and minus infinity if weights @ components is 0
        where X is positive."""
        found = self._weights(X)
        if self._method() != "kl":
            return -found.relative_error
        if not self.under:
            return -found.relative_divergence
        X = self._checked(X, reset=False)
        mean = np.full((X.shape[0], 1), np.nanmean(X) if isinstance(X, np.ndarray) else X.mean(), dtype=np.float64)
        null = _divergence(X, mean, np.ones((1, X.shape[1])))
        d = _divergence(X, found.W.T, self.components_)
        return -d / null if null > 0 else -float(d > 0)

    def _weights(self, X: Any) -> _functions.Weights:
        """Finds the weights of samples, which are the columns of W."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if self._missing(X) == "allow":
            empty = np.flatnonzero(np.isnan(X).all(1))
            if len(empty):
                raise ValueError(f"nothing of sample {empty[0]} is observed, so that nothing is known of its weights; remove it")
        basis = self.components_.astype(X.dtype, copy=False).T
        return _functions.transform(
            basis, X.T, feasible=self.under, sum_to_one=getattr(self, "sum_to_one", None) == "v",
            divergence=self._method() == "kl" and not self.under, threads=self.threads,
            missing=self._missing(X))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _checked(self, X: Any, reset: bool) -> Any:
        if self.missing_values is not None and not self._allows_nan():
            raise ValueError(f"missing_values is {self.missing_values!r}; choose np.nan, or None for no missing values")
        X = _tables.framed(X)
        X = _functions.checked(X)  # before scikit-learn and scipy read it
        finite = {_FINITE: "allow-nan" if self._allows_nan() and not issparse(X) else True}
        if _tables.is_table(X) and hasattr(X, "sparse") and not _tables.is_sparse_table(X):
            X = X.sparse.to_dense()  # what its columns do not store is no zero
        _tables.check_columns(X, "X", kinds="mM")  # which scikit-learn takes for numbers
        try:
            X = _validate(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset, **finite)
        except (TypeError, ValueError) as e:
            if "contains NaN" in str(e) and self.missing_values is None:
                raise ValueError(f"{e}\nmissing_values=np.nan takes NaN in an array X for missing.") from e
            try:
                _tables.check_columns(X, "X")
            except TypeError as named:  # which names the column
                raise type(e)(str(named)) from e
            raise
        check_non_negative(X, f"{type(self).__name__} (input X)")
        return X

    def _method(self) -> str:
        """Returns the name of the method."""
        return self.method

    def _penalise(self, method: str, options: dict[str, Any], n_samples: int, n_features: int) -> str:
        """Adds the penalties of scikit-learn's parameters to the options, and returns the method that has them."""
        return method

    def _allows_nan(self) -> bool:
        return isinstance(self.missing_values, (float, np.floating)) and bool(np.isnan(self.missing_values))

    def _progress(self) -> Any:
        """Returns what shows progress: a bar with verbose."""
        return self.progress or bool(self.verbose)

    def _word(self, name: str, method: str) -> Any:
        """Returns a start or solver, for scikit-learn's word that of nmu, and notes that."""
        value = getattr(self, name)
        ours = _options.choice(name, value, method) if isinstance(value, str) else None
        if ours is not None:
            warnings.warn(f'{name}="{value}" of scikit-learn is {name}="{ours}" here', stacklevel=3)
        elif name == "solver" and value == "mu":
            raise ValueError('solver="mu" goes with beta_loss="kullback-leibler" here, and method "nmf" has no such updates')
        return ours or value

    def _missing(self, X: Any) -> str:
        """Says what NaN in X, which has been checked, are for the functions."""
        return "allow" if self._allows_nan() and isinstance(X, np.ndarray) else "error"

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer, type(None))):
            return int(self.random_state or 0)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _more_tags(self) -> dict[str, Any]:
        tags = {"requires_positive_X": True, "preserves_dtype": [np.float64, np.float32], "allow_nan": self._allows_nan()}
        if isinstance(self.init, str) and self.init == "random":
            # It puts the samples that stay in another order.
            tags["_xfail_checks"] = {"check_sample_weights_invariance": "a random start depends on the order of the samples"}
        return tags

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_nan()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


# Parameters of scikit-learn's NMF, and what does the same here.
_PENALTIES = "NMF has alpha_W, alpha_H and l1_ratio here"
_ELSEWHERE = {
    "alpha": _PENALTIES, "alpha_W": _PENALTIES, "alpha_H": _PENALTIES, "l1_ratio": _PENALTIES, "regularization": _PENALTIES,
    "shuffle": "the order of the components is fixed here, so that results can be repeated; leave it out",
    "beta_loss": "this is an underapproximation in the Frobenius norm; NMF has beta_loss",
}

def _divergence(X: Any, V: NDArray[Any], W: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """Returns the Kullback-Leibler divergence of X from V @ W: the sum of x log(x/y) - x + y over the
    entries that are not NaN, with weights. It is infinite if y is 0 where x is positive. Another entry y
    of V @ W below a tiny part of the largest x counts as that part where x is divided by it, as in the library."""
    V, W = V.astype(np.float64), W.astype(np.float64)
    if issparse(X):
        X = X.tocoo()
        x, y = X.data.astype(np.float64), np.empty(X.nnz)
        for at in range(0, X.nnz, _BLOCK):
            part = slice(at, at + _BLOCK)
            y[part] = np.einsum("ij,ji->i", V[X.row[part]], W[:, X.col[part]])
        parts = [(x, y, None)]
        total = float(V.sum(0) @ W.sum(1) - y.sum())
    else:
        step = max(1, _BLOCK // X.shape[1])
        parts = ((X[i : i + step].astype(np.float64), V[i : i + step] @ W, None if weights is None else weights[i : i + step])
                 for i in range(0, len(X), step))
        total = 0.0
    least = float(np.nanmax(X.data if issparse(X) else X)) * float(np.finfo(X.dtype).eps) ** 2
    for x, y, w in parts:
        with np.errstate(divide="ignore", invalid="ignore"):
            d = np.where(x > 0, x * np.log(x / np.where(y > 0, np.maximum(y, least), 0)), 0) - x + y
            total += float(np.nansum(d if w is None else d * w))
    return max(0.0, total)


_BLOCK = 1 << 20  # entries that _divergence takes at once

_LEAST = float(np.finfo(np.float64).tiny)  # tolerance of partial_fit that stands for none

_MOST = 20  # components that n_components="auto" tries

# Settings that have other names or forms here, or are for what fit does not take.
_OTHERS = {
    "seed", "iterations", "tolerance", "restarts", "missing", "mask", "weights", "sparse_missing", "scratch", "fix_v",
    *_options.settings("inspect"),
}

_PARAMETERS = """
Parameters
----------
n_components : int or "auto", default=None
    The number of components, which may be larger than n_features; None stands for
    min(n_samples, n_features), and "auto" for what nmu.rank_survey advises from 1 to 20.
method : str, default={method!r}
    {methods}.
init : "random", "svd", "spa", "snpa", or a tuple (weights, components), default="random"
    The start; None stands for "random". "spa" and "snpa" take features, which are the columns of X, for weights.
solver : str, default="auto"
    {solvers}
max_iter : int, default=None
    Iterations, of each block in a recursion; None stands for the paper's number or, with
    tol=0, for that of the solver.
restarts : int, default=1
    Runs from random starts, of which the best is kept.
tol : float, default={tol}
    Stop when the error changes by no more, relatively, in 10 iterations. A run that ends
    by max_iter before that warns. With 0 it makes all iterations.
random_state : int, RandomState or None, default=0
    The seed. None stands for 0: the results of two fits are the same bit for bit.
under : bool, default=False
    Whether transform, too, has to stay below X, exactly in floating point.
missing_values : np.nan or None, default=None
    np.nan takes NaN in an array X for missing, in fit, transform and score; None refuses them.
verbose : int or bool, default=0
    Whether fit shows a bar, as progress=True does.
progress : bool or callable, default=None
    As of nmu.factor.
{own}{settings}
Options of some methods, in which V are the weights and W the components:

{options}

Attributes
----------
components_ : array of shape (n_components_, n_features)
weights_ : array of shape (n_samples, n_components_)
    Of the training samples, as the factorization ended.
n_components_ : int
n_features_in_ : int
feature_names_in_ : array of shape (n_features_in_,)
n_iter_ : int
    Of all blocks.
reconstruction_err_ : float
    ||X - weights_ @ components_||, in the Frobenius norm, of what is observed; with sample
    weights they weight the squares. With method "kl" it is sqrt(2 D), as in scikit-learn, with the
    divergence D of X from weights_ @ components_.
relative_error_ : float
    ||X - weights_ @ components_|| / ||X||, likewise in the Frobenius norm, also of method "kl".
max_violation_ : float
    The largest entry of weights_ @ components_ - X, or 0 if none is positive.
relative_violation_ : float
    ||max(0, weights_ @ components_ - X)|| / ||X||.
stop_ : str
    Why the factorization ended.
rank_survey_ : nmu.RankSurvey
    With n_components="auto".
sums_ : tuple of arrays, or None
    After partial_fit: weightsᵀ @ weights and Xᵀ @ weights, of all samples so far.

Examples
--------
>>> X = np.random.default_rng(1).random((30, 2)) @ np.random.default_rng(2).random((2, 20))
>>> model = nmu.{name}(n_components=2).fit(X)
>>> model.components_.shape, model.transform(X).shape
((2, 20), (30, 2))
"""


def _set_up(cls: type[_Factorizer], default: str, underapproximates: bool, tol: float, solvers: str, **own: tuple[Any, str]) -> None:
    """Gives the class for the methods of one kind its parameters: those of _Factorizer, its
    own ones (with their defaults and texts), and every option that the library has for one
    of these methods."""
    some = [m for m in _options.methods() if m["underapproximates"] == underapproximates]
    run = [name for name in _options.settings("factor") if name not in _OTHERS]
    arguments = dict.fromkeys([*run, *(_options.argument(o["name"]) for m in some for o in m["options"] if o["name"] != "solver")])
    defaults = {
        "n_components": None, "method": default, "init": "random", "solver": "auto", "max_iter": None, "restarts": 1,
        "tol": tol, "random_state": 0, "under": False, "missing_values": None, "verbose": 0, "progress": None,
        **{name: value for name, (value, _) in own.items()}, **arguments,
    }

    def __init__(self: Any, n_components: int | None = None, **parameters: Any) -> None:
        for name in parameters:
            if name in _ELSEWHERE and name not in defaults:
                raise TypeError(f"{name} is a parameter of scikit-learn's NMF; {_ELSEWHERE[name]}")
            if name not in defaults:
                near = _options.near(name, defaults)
                raise TypeError(f"{cls.__name__} has no parameter {name}{f'; did you mean {near}?' if near else ''}")
        for name, value in {**defaults, "n_components": n_components, **parameters}.items():
            setattr(self, name, value)

    kind = inspect.Parameter
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [kind("self", kind.POSITIONAL_OR_KEYWORD), kind("n_components", kind.POSITIONAL_OR_KEYWORD, default=None)]
        + [kind(p, kind.KEYWORD_ONLY, default=d) for p, d in defaults.items() if p != "n_components"]
    )
    cls.__init__ = __init__  # type: ignore[assignment]
    cls._arguments = tuple(arguments)
    cls.__module__ = __package__
    if cls.__doc__:  # None with python -OO
        cls.__doc__ = textwrap.dedent("    " + cls.__doc__).rstrip() + "\n" + _PARAMETERS.format(
            name=cls.__name__, method=default, methods="; ".join(f'"{m["name"]}", {m["title"]}' for m in some), tol=tol,
            solvers="\n    ".join(textwrap.wrap(solvers, 88)), options=_options.listed(some, skip=("solver",)),
            settings=_options.described("factor", run) + "\n",
            own="".join(f"{name} : default={value!r}\n    {text}\n" for name, (value, text) in own.items()),
        )


class NMF(_Factorizer):
    """Nonnegative matrix factorization: X (samples x features) ≈ weights @ components."""

    def _penalise(self, method: str, options: dict[str, Any], n_samples: int, n_features: int) -> str:
        same = isinstance(self.alpha_H, str) and self.alpha_H == "same"
        given: dict[str, Any] = {"alpha_W": self.alpha_W, "alpha_H": self.alpha_W if same else self.alpha_H, "l1_ratio": self.l1_ratio}
        for name, value in given.items():
            most = 1 if name == "l1_ratio" else np.inf
            if isinstance(value, (str, bool)) or not np.isscalar(value) or not 0 <= value <= most or value == np.inf:
                also = ' or "same"' if name == "alpha_H" else ""
                raise ValueError(f"{name}={value!r}; choose a number {'from 0 to 1' if most == 1 else '>= 0'}{also}")
        alpha_W, alpha_H, l1_ratio = map(float, given.values())
        if not alpha_W and not alpha_H:
            return method
        if method not in ("nmf", "snmf", "kl"):
            raise ValueError(f'alpha_W and alpha_H with method="{method}"; leave them out, or choose "nmf", "snmf" or "kl"')
        if method == "nmf" and l1_ratio > 0:
            method = "snmf"
            if options.pop("sum_to_one", None) is not None:
                raise ValueError("sum_to_one with l1_ratio > 0; choose l1_ratio=0, or leave one of them out")
        for name in ("penalty_v", "penalty_w", "l2_v", "l2_w", "sparsity_v", "sparsity_w"):
            if options.get(name) is not None:
                raise ValueError(f"alpha_W and alpha_H with {name}; leave one of them out")
        # Half of the squared error, or the divergence, is what scikit-learn adds its penalties to.
        scale = 1 if method == "kl" else 2
        for side, by in (("v", scale * n_features * alpha_W), ("w", scale * n_samples * alpha_H)):
            for name, value in (("penalty_", by * l1_ratio), ("l2_", by * (1 - l1_ratio) / 2)):
                if value > 0:
                    options[name + side] = value
        return method

    def _method(self) -> str:
        if self.beta_loss in ("frobenius", 2):
            return self.method
        if self.beta_loss not in ("kullback-leibler", 1):
            raise ValueError(f'beta_loss={self.beta_loss!r}; choose "frobenius" or "kullback-leibler"')
        if self.method not in ("nmf", "kl"):
            raise ValueError(f'beta_loss={self.beta_loss!r} with method="{self.method}", which minimises the Frobenius norm; leave one of them out')
        return "kl"

    @property
    def partial_fit(self) -> Callable[..., NMF]:
        """Continues the factorization with a batch of samples, without the earlier ones.

        The first call factors its batch, as fit does. Each call then finds the weights of its
        samples and renews the components, in ten turns at most, until the error of the batch
        changes by no more than tol in a turn. The components minimise the squared error of all samples
        so far by HALS steps. Of earlier samples, sums of products are kept, with the weights that these
        samples had in their call. A call of fit forgets them.

        After a pass over the batches of a stationary stream the error is about that of fit, if each batch
        has 8 samples or more for each component. Only method "nmf" with its squared error has
        such steps, without penalties, fixed components, sums of one or missing values.

        Parameters
        ----------
        X : array, DataFrame or scipy.sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
            weights_, n_iter_ and the errors are those of this batch, sums_ the sums.
        """
        self._check_continues()
        return self._partial_fit

    def _partial_fit(self, X: Any, y: Any = None) -> NMF:
        """Is partial_fit where it has steps."""
        sums = getattr(self, "sums_", None) if hasattr(self, "components_") else None
        if sums is None:
            self.fit(X)
            sums = (None, None)
        X = self._checked(X, reset=False).astype(self.components_.dtype, copy=False)
        found = _functions.update(self.components_.T, X.T, *sums, tolerance=self.tol or _LEAST, threads=self.threads)
        now = found.weights
        self.components_, self.weights_ = np.ascontiguousarray(found.V.T), np.ascontiguousarray(now.W.T)
        self.sums_ = found.WW, found.MW
        self._measure(now, X)
        return self

    def _check_continues(self) -> None:
        """Raises an error, by which partial_fit is not there, unless partial_fit has steps for the parameters."""
        method = self._method()
        if method != "nmf":
            raise AttributeError(f'partial_fit has steps for the squared error of method "nmf" only, and this is method "{method}"; use fit')
        if self.under or self.missing_values is not None:
            raise AttributeError("partial_fit has no steps for under=True or missing_values; leave them out, or use fit")
        options = [_options.argument(o["name"]) for o in _options.methods(["nmf"])[0]["options"] if o["name"] not in ("solver", "sweeps")]
        for name in [*options, "alpha_W", "alpha_H", "fix_w", "baseline", "checkpoint", "resume"]:
            value = getattr(self, name, None)
            if value is not None and (not np.isscalar(value) or value and (name, value) != ("alpha_H", "same")):
                raise AttributeError(f"partial_fit has no steps for {name}; leave it out, or use fit")


_set_up(
    NMF, "nmf", False, 1e-4,
    '"accelerated", several sweeps for each product with X and extrapolation, or "hals", the paper\'s. "auto" takes '
    '"accelerated" where it can, which is everywhere but with sparsity_v and sparsity_w. "paper" takes "hals". '
    'Method "kl" has "multiplicative", updates of a whole factor, which "paper" takes, and "coordinate", Newton steps '
    'for one entry after the other, which "auto" takes.',
    beta_loss=("frobenius", '"kullback-leibler" stands for method="kl".'),
    alpha_W=(0.0, "The penalty on the weights, for methods \"nmf\", \"snmf\" and \"kl\". It adds\n    alpha_W * n_features * (l1_ratio * sum(|weights|) + (1 - l1_ratio)/2 * sum(weights²)) to half of the squared\n"
             "    error, or to the divergence. transform has no penalties."),
    alpha_H=("same", "The penalty on the components, likewise with n_samples. \"same\" stands for alpha_W."),
    l1_ratio=(0.0, "0 for penalties on the squares alone, 1 for penalties on the entries alone."),
)


class NMU(_Factorizer):
    """Nonnegative matrix underapproximation: weights @ components ≤ X, which makes both
    sparse and the components parts. The recursive method finds one after the other, so that
    the first k are those for n_components=k.
    """


_set_up(
    NMU, "rnmu", True, 0.0,
    '"lagrangian", Algorithm L-NMU of the paper, or "admm", an augmented Lagrangian: sooner, sparser and nearer to '
    'weights @ components <= X, often with a larger error. "auto" takes "admm" for rnmu where it can, which is '
    'everywhere but with sample weights that differ, norm="l1", priors, step_offset and multipliers; for gnmu it takes "lagrangian", '
    'whose error is smaller. "paper" takes "lagrangian".',
)
