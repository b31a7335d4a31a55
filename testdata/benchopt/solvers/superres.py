import os
import shutil
import subprocess
import tempfile

import numpy as np
from benchopt import BaseSolver


class Solver(BaseSolver):
    """A learner of superres, by its command learn."""

    name = "superres"
    requirements = ["numpy"]
    sampling_strategy = "iteration"
    parameters = {"learner": ["rop", "rop:paper", "lasso", "blotless", "simco:mu=4", "ksvd", "mod", "online"]}

    def skip(self, **objective):
        if not shutil.which(os.environ.get("SUPERRES", "superres")):
            return True, "there is no superres on the path, nor in the variable SUPERRES"
        return False, None

    def set_objective(self, signals, atoms, sparsity):
        self.signals, self.atoms, self.sparsity = signals, atoms, sparsity

    def run(self, n_iter):
        with tempfile.TemporaryDirectory() as folder:
            data, out = os.path.join(folder, "Y.npy"), os.path.join(folder, "D.npy")
            np.save(data, self.signals)
            subprocess.run(
                [
                    os.environ.get("SUPERRES", "superres"), "learn", "--learner", self.learner, "--atoms", str(self.atoms),
                    "--sparsity", str(self.sparsity), "--iterations", str(max(1, n_iter)), "-q", "-o", out, data,
                ],
                check=True,
            )
            self.dictionary = np.load(out)

    def get_result(self):
        return {"dictionary": self.dictionary}
