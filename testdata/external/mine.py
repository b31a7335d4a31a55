#!/usr/bin/env python3
import json, sys
import numpy as np

for line in sys.stdin:  # a problem
    folder = json.loads(line)["folder"]
    problem = json.load(open(folder + "/problem.json"))
    Y, D = np.load(folder + "/Y.npy"), np.load(folder + "/D0.npy")
    for _ in range(problem["iterations"]):  # thresholding and K-signed-means, after Schnass 2015
        X = D.T @ Y
        least = -np.sort(-np.abs(X), axis=0)[problem["sparsity"] - 1]
        D = Y @ (np.sign(X) * (np.abs(X) >= least)).T + 1e-9 * D
        D /= np.linalg.norm(D, axis=0)
    np.save(folder + "/D.npy", D)
    print(line, end="", flush=True)  # the answer
