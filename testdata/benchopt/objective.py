import numpy as np
from benchopt import BaseObjective
from scipy.optimize import linear_sum_assignment


class Objective(BaseObjective):
    """Error of a dictionary: the mean of 1 − |cos| to the true atoms, in the best assignment."""

    name = "Dictionary recovery"
    min_benchopt_version = "1.6"
    requirements = ["numpy", "scipy"]

    def set_data(self, signals, truth, sparsity):
        self.signals, self.truth, self.sparsity = signals, truth, sparsity

    def get_objective(self):
        return {"signals": self.signals, "atoms": self.truth.shape[1], "sparsity": self.sparsity}

    def evaluate_result(self, dictionary):
        def unit(d):
            return d / np.maximum(np.linalg.norm(d, axis=0), 1e-300)

        cost = 1 - np.abs(unit(dictionary).T @ unit(self.truth))
        rows, columns = linear_sum_assignment(cost)
        matched = cost[rows, columns]
        missing = self.truth.shape[1] - len(matched)  # where the dictionary has fewer atoms
        return {
            "value": float((matched.sum() + missing) / self.truth.shape[1]),
            "recovered": float((matched < 0.01).sum() / self.truth.shape[1]),
        }

    def get_one_result(self):
        return {"dictionary": np.eye(*self.truth.shape)}
