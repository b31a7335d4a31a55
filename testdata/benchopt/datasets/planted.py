import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    """Signals with S of K Gaussian atoms each, coefficients N(0,1), and noise relative to their root mean square."""

    name = "planted"
    requirements = ["numpy"]
    parameters = {"m": [16], "k": [32], "s": [3], "n": [100, 400], "noise": [0.0], "random_state": [0]}

    def get_data(self):
        rng = np.random.default_rng(self.random_state)
        truth = rng.standard_normal((self.m, self.k))
        truth /= np.linalg.norm(truth, axis=0)
        codes = np.zeros((self.k, self.n))
        for j in range(self.n):
            codes[rng.permutation(self.k)[: self.s], j] = rng.standard_normal(self.s)
        signals = truth @ codes
        signals += self.noise * np.sqrt(np.mean(signals**2)) * rng.standard_normal(signals.shape)
        return {"signals": signals, "truth": truth, "sparsity": self.s}
