#!/usr/bin/env python3
"""Two learners of scikit-learn 1.1 or later, for comparison with those of superres:

    exec:./sklearn_peer.py online    MiniBatchDictionaryLearning (Mairal et al. 2009)
    exec:./sklearn_peer.py batch     DictionaryLearning, codes and atoms in turn

Both code by the lasso while they learn, whose weight is said below; the codes that count
are made by the coder of superres.
"""
import json
import sys
import warnings

import numpy as np
from sklearn.decomposition import DictionaryLearning, MiniBatchDictionaryLearning, sparse_encode

warnings.simplefilter("ignore")  # about iterations that end before they settle


def online(y, d, problem, penalty):
    return MiniBatchDictionaryLearning(
        n_components=problem["atoms"], alpha=penalty, max_iter=problem["iterations"], batch_size=min(256, len(y)), fit_algorithm="cd",
        dict_init=d, random_state=problem["seed"], tol=0, max_no_improvement=None,
    ).fit(y).components_


def batch(y, d, problem, penalty):
    return DictionaryLearning(
        n_components=problem["atoms"], alpha=penalty, max_iter=problem["iterations"], fit_algorithm="cd",
        dict_init=d, code_init=sparse_encode(y, d, algorithm="lasso_cd", alpha=penalty), random_state=problem["seed"],
    ).fit(y).components_


learn = {"online": online, "batch": batch}[sys.argv[1]]
for line in sys.stdin:
    folder = json.loads(line)["folder"]
    problem = json.load(open(folder + "/problem.json"))
    y, d = np.load(folder + "/Y.npy").T.copy(), np.load(folder + "/D0.npy").T.copy()  # one signal, one atom a row
    atoms = learn(y, d, problem, 0.15 * float(np.sqrt(np.mean(y**2))))
    unused = np.linalg.norm(atoms, axis=1) < 1e-10  # stay as they were
    np.save(folder + "/D.npy", np.where(unused[:, None], d, atoms).T)
    print(line, end="", flush=True)
