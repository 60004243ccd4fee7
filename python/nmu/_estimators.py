"""Estimators for scikit-learn."""

from __future__ import annotations

import inspect
import textwrap
import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative

from . import _functions
from ._library import about

try:  # scikit-learn 1.6
    from sklearn.utils.validation import validate_data as _validate

    _FINITE = "ensure_all_finite"
except ImportError:
    _FINITE = "force_all_finite"

    def _validate(estimator: Any, *args: Any, **options: Any) -> Any:
        return estimator._validate_data(*args, **options)


class _Factorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What NMF and NMU share: X (samples x features) is M, so that V holds the weights of
    the samples and W the components."""

    n_components: int | None
    method: str
    init: Any
    max_iter: int | None
    restarts: int
    tol: float
    time_limit: float | None
    threads: int | None
    random_state: Any
    under: bool
    missing_values: float | None
    missing_solver: str | None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "_Factorizer":
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
        X = self._checked(X, reset=True)
        init, weights = self.init, None
        if sample_weight is not None:
            each = _check_sample_weight(sample_weight, X, dtype=np.float64)
            kept = each > 0
            if (each < 0).any() or not kept.any():
                raise ValueError("sample_weight has a negative entry, or none that is positive")
            X = X[kept]
            init = init if isinstance(init, str) else (np.asarray(init[0])[kept], init[1])
            weights = np.broadcast_to(each[kept, None], X.shape)
        rank = min(X.shape) if self.n_components is None else self.n_components
        options = {name: getattr(self, name) for name in self._options}
        res = _functions.factor(
            X, rank, self.method, init=init, seed=self._seed(), iterations=self.max_iter, restarts=self.restarts,
            tolerance=self.tol, time_limit=self.time_limit, threads=self.threads, weights=weights,
            missing=self._missing(X), missing_solver=self.missing_solver, **options,
        )
        self.weights_, self.components_ = res.V, res.W
        if weights is not None:
            self.weights_ = np.zeros((len(kept), len(res.W)), X.dtype)
            self.weights_[kept] = res.V
        self.n_components_ = len(res.W)
        self.n_iter_ = res.iterations
        squares = np.square(X if isinstance(X, np.ndarray) else X.data, dtype=np.float64)
        if weights is not None:
            squares *= weights
        total = np.nansum(squares) if self._allows_nan() else squares.sum()
        self.reconstruction_err_ = res.relative_error * float(np.sqrt(total))
        self.relative_error_, self.max_violation_, self.stop_ = res.relative_error, res.max_violation, res.stop
        if self.tol > 0 and self.stop_ == "iterations":
            warnings.warn(
                f"{self.n_iter_} iterations were not enough for tol={self.tol}; set a larger max_iter or tol",
                ConvergenceWarning, stacklevel=2)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Factors X and returns transform(X), which is the best that its components can do:
        not weights_, which the factorization itself ended with.

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        return self.fit(X, y, **params).transform(X)

    def transform(self, X: Any) -> np.ndarray:
        """Finds the weights of samples: each on its own, whatever the others are.

        Parameters
        ----------
        X : array, DataFrame or scipy.sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if self._missing(X) == "allow":
            empty = np.flatnonzero(np.isnan(X).all(1))
            if len(empty):
                raise ValueError(f"nothing of sample {empty[0]} is observed, so that nothing is known of its weights; remove it")
        basis = self.components_.astype(X.dtype, copy=False).T
        weights = np.empty((X.shape[0], basis.shape[1]), X.dtype)
        step = X.shape[0] if isinstance(X, np.ndarray) else max(1, (1 << 22) // X.shape[1])
        for i in range(0, X.shape[0], step):
            part = X if isinstance(X, np.ndarray) else X[i : i + step].toarray()
            res = _functions.transform(
                basis, part.T, feasible=self.under, threads=self.threads, missing=self._missing(X))
            weights[i : i + step] = res.W.T
        return weights

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Returns the samples that have these weights.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return np.asarray(X) @ self.components_

    def score(self, X: Any, y: Any = None) -> float:
        """Returns minus the relative error of X with the weights of transform(X): 0 is
        perfect, -1 is what no components would give. What is missing does not count."""
        weights = self.transform(X)
        X = self._checked(X, reset=False)
        if not isinstance(X, np.ndarray):
            X = X.toarray()
        left = X - weights @ self.components_
        if self._allows_nan():
            seen = ~np.isnan(X)
            X, left = X[seen], left[seen]
        size = np.linalg.norm(X)
        return -float(np.linalg.norm(left) / size) if size > 0 else 0.0

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _checked(self, X: Any, reset: bool) -> Any:
        if self.missing_values is not None and not self._allows_nan():
            raise ValueError(f"missing_values is {self.missing_values!r}; choose np.nan, or None for no missing values")
        _functions.check_sparse(X)  # before scikit-learn and scipy read it
        finite = {_FINITE: "allow-nan" if self._allows_nan() and not issparse(X) else True}
        X = _validate(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset, **finite)
        check_non_negative(X, f"{type(self).__name__} (input X)")
        return X

    def _allows_nan(self) -> bool:
        return isinstance(self.missing_values, (float, np.floating)) and bool(np.isnan(self.missing_values))

    def _missing(self, X: Any) -> str:
        """Says what NaN in X, which has been checked, are for the functions."""
        return "allow" if self._allows_nan() and isinstance(X, np.ndarray) else "error"

    def _seed(self) -> int:
        if self.random_state is None:
            return 0
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
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


_PARAMETERS = """
Parameters
----------
n_components : int, default=None
    The number of components; None stands for min(n_samples, n_features).
method : str, default={method!r}
    {methods}.
init : "random", "svd", or a tuple (weights, components), default="random"
    The start.
max_iter : int, default=None
    Iterations, of each block in a recursion; None stands for the paper's number.
restarts : int, default=1
    Runs from random starts, of which the best is kept.
tol : float, default=0.0
    Stop when the error changes by no more, relatively, in 10 iterations.
time_limit : float, default=None
    In seconds; what there is by then is the result.
threads : int, default=None
    None stands for all processors. The result does not depend on it.
random_state : int, RandomState or None, default=0
    The seed. None stands for 0: the results of two fits are the same bit for bit.
under : bool, default=False
    Whether transform, too, has to stay below X, exactly in floating point.
missing_values : np.nan or None, default=None
    np.nan takes NaN in an array X for missing, in fit, transform and score; None refuses them.
missing_solver : "majorize" or "exact", default=None
    How missing values and sample weights are dealt with; None stands for "majorize".
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
    weights they weight the squares.
relative_error_ : float
    The same, divided by ||X||, likewise.
max_violation_ : float
    The largest entry of weights_ @ components_ - X, or 0 if none is positive.
stop_ : str
    Why the factorization ended.
"""


def _estimator(name: str, doc: str, default: str, underapproximates: bool) -> type[_Factorizer]:
    """Makes the class for the methods of one kind. Its parameters are those of _Factorizer
    and all options that the library has for one of these methods."""
    methods = [m for m in about()["methods"] if m["underapproximates"] == underapproximates]
    options: dict[str, str] = {}
    for m in methods:
        for o in m["options"]:
            usage = " ".join(o["usage"].split()).replace("`", "")
            options.setdefault(o["name"].replace("-", "_"), f"{m['name']}: {usage}")
    defaults = {
        "n_components": None, "method": default, "init": "random", "max_iter": None, "restarts": 1, "tol": 0.0,
        "time_limit": None, "threads": None, "random_state": 0, "under": False,
        "missing_values": None, "missing_solver": None, **dict.fromkeys(options),
    }

    def __init__(self: Any, n_components: int | None = None, **parameters: Any) -> None:
        bound = __init__.__signature__.bind(self, n_components, **parameters)
        bound.apply_defaults()
        for parameter, value in list(bound.arguments.items())[1:]:
            setattr(self, parameter, value)

    kinds = inspect.Parameter
    __init__.__signature__ = inspect.Signature(
        [kinds("self", kinds.POSITIONAL_OR_KEYWORD), kinds("n_components", kinds.POSITIONAL_OR_KEYWORD, default=None)]
        + [kinds(p, kinds.KEYWORD_ONLY, default=d) for p, d in defaults.items() if p != "n_components"]
    )
    listed = "\n".join(f"{o} : default=None\n    Of {text}" for o, text in options.items())
    names = "; ".join(f"{m['name']!r}, {m['title']}" for m in methods)
    text = textwrap.dedent(doc).strip() + "\n" + _PARAMETERS.format(method=default, methods=names, options=listed)
    return type(name, (_Factorizer,), {
        "__init__": __init__, "__doc__": text, "__module__": __package__, "_options": tuple(options),
    })


NMF = _estimator("NMF", """
    Nonnegative matrix factorization: X (samples x features) ≈ weights @ components, by HALS.
    """, "nmf", False)

NMU = _estimator("NMU", """
    Nonnegative matrix underapproximation: weights @ components ≤ X, which makes both
    sparse and the components parts. The recursive method finds one after the other, so that
    the first k are those for n_components=k.
    """, "rnmu", True)
