import warnings

import numpy as np
from benchopt import BaseSolver
from sklearn.decomposition import DictionaryLearning, MiniBatchDictionaryLearning


class Solver(BaseSolver):
    """Dictionary learning of scikit-learn: codes by the lasso, atoms in turn (batch) or batch by batch (online)."""

    name = "sklearn"
    requirements = ["numpy", "scikit-learn"]
    sampling_strategy = "iteration"
    parameters = {"form": ["batch", "online"], "penalty": [0.15]}

    def set_objective(self, signals, atoms, sparsity):
        self.signals, self.atoms = np.ascontiguousarray(signals.T), atoms  # one signal a row
        self.alpha = self.penalty * float(np.sqrt(np.mean(signals**2)))

    def run(self, n_iter):
        settings = {"n_components": self.atoms, "alpha": self.alpha, "max_iter": max(1, n_iter), "fit_algorithm": "cd",
                    "random_state": 0}
        if self.form == "online":
            learner = MiniBatchDictionaryLearning(batch_size=min(256, len(self.signals)), **settings)
        else:
            learner = DictionaryLearning(**settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about iterations that end before they settle
            self.dictionary = learner.fit(self.signals).components_.T

    def get_result(self):
        return {"dictionary": self.dictionary}
