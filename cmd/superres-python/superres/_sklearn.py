"""The estimator for scikit-learn."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._learn import code, learn
from ._program import refuse_masked

if TYPE_CHECKING:
    from numpy.typing import NDArray

try:
    from sklearn.base import ClassNamePrefixFeaturesOutMixin
except ImportError:  # before scikit-learn 1.1
    from sklearn.base import _ClassNamePrefixFeaturesOutMixin as ClassNamePrefixFeaturesOutMixin

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator: Any, X: Any, **how: Any) -> Any:
        return estimator._validate_data(X, **how)


class DictionaryLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learns a dictionary from samples, and transforms samples to their sparse codes over it.

    As everywhere in scikit-learn a sample is a row: X ≈ codes @ components_. Samples are taken as they are; no mean is
    taken off.

    Parameters
    ----------
    n_components : int or None
        The number of atoms. None: twice the features, but at most as many as samples.
    learner : str
        One of the command superres learners: "rop", "ksvd", "mod", "simco", "blotless", "online", with parameters as
        in "ksvd:exact=false".
    coder : str
        One of the command superres coders, with parameters as in "lasso:lambda=0.1". transform codes by it, and so do
        all learners but "rop" while they learn.
    sparsity : int or None
        The most atoms in a code. None: as the coder says, or 3.
    max_iter : int
        The most iterations.
    random_state : int, RandomState or None
        The seed; an int gives the same dictionary on every fit, and as the command does.
    n_jobs : int or None
        The number of processors. None or -1: all.
    allow_exec : bool
        Whether a learner or coder "exec:COMMAND" may run that program.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The atoms, each of length 1.
    error_ : float
        The root mean square of X − codes @ components_ after the last iteration, with the codes of the learner.
    history_ : array
        As in superres.Learned.
    n_iter_ : int
        The number of iterations.
    n_features_in_, feature_names_in_
        As in all estimators.
    """

    def __init__(self, n_components: int | None = None, *, learner: str = "rop", coder: str = "omp",
                 sparsity: int | None = None, max_iter: int = 500, random_state: Any = 0,
                 n_jobs: int | None = None, allow_exec: bool = False) -> None:
        self.n_components = n_components
        self.learner = learner
        self.coder = coder
        self.sparsity = sparsity
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_exec = allow_exec

    def fit(self, X: Any, y: Any = None) -> DictionaryLearner:
        """Learn the dictionary from X, of shape (n_samples, n_features). y is ignored."""
        refuse_masked(X)
        X = validate_data(self, X, dtype=(numpy.float64, numpy.float32))
        if self.max_iter < 1:
            raise ValueError(f"max_iter is {self.max_iter}, expected at least 1")
        rng = check_random_state(self.random_state)
        seed = self.random_state if isinstance(self.random_state, numbers.Integral) else rng.randint(2**31 - 1)
        coder: str | None = self.coder
        sparsity = self.sparsity
        if self.learner.partition(":")[0] == "rop":  # which has none
            coder = sparsity = None
        learned = learn(X.T, self.n_components, learner=self.learner, coder=coder, sparsity=sparsity,
                        iterations=self.max_iter, seed=int(seed), jobs=self._jobs(), allow_exec=self.allow_exec)
        self.components_ = numpy.ascontiguousarray(learned.dictionary.T)
        self.error_, self.history_ = learned.rmse, learned.history
        self.n_iter_ = len(learned.history)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the codes of X over components_, of shape (n_samples, n_components)."""
        check_is_fitted(self)
        refuse_masked(X)
        X = validate_data(self, X, dtype=(numpy.float64, numpy.float32), reset=False)
        codes = code(X.T, self.components_.T, coder=self.coder, sparsity=self.sparsity, jobs=self._jobs(),
                     allow_exec=self.allow_exec)
        return numpy.ascontiguousarray(codes.T)

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Return the samples that codes X stand for: X @ components_."""
        check_is_fitted(self)
        result: NDArray[Any] = numpy.asarray(X) @ self.components_
        return result

    def _jobs(self) -> int | None:
        return None if self.n_jobs in (None, -1) else self.n_jobs

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
