#!/usr/bin/env python3
"""ROP as its paper states it, in plain NumPy: ADMM on P = Q = Z with scaled multipliers and one penalty.

    exec:./rop_peer.py [PENALTY]    20 unless given

It shares nothing with the learner rop but the problem and the first dictionary: compare it with rop:paper.
"""
import json
import sys

import numpy as np

penalty = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0


def learn(y, d, iterations):
    y = y * np.sqrt(y.shape[1]) / np.linalg.norm(y)
    atoms = d.shape[1]
    x = np.linalg.pinv(d) @ y
    z = np.einsum("mk,kn->kmn", d, x)  # K matrices M×N
    q = z.copy()
    l0, l1, l2 = np.zeros_like(y), np.zeros_like(z), np.zeros_like(z)
    for _ in range(iterations):
        a, b = q - l1 + z - l2, y - l0
        total = (a.sum(axis=0) + atoms * b) / (atoms + 2)
        p = (a + (b - total)) / 2
        q = p + l1
        length = np.linalg.norm(q, axis=1, keepdims=True)
        q = q * np.maximum(0, 1 - 1 / (penalty * np.maximum(length, 1e-300)))
        z = p + l2
        u = np.linalg.eigh(z @ z.transpose(0, 2, 1))[1][:, :, -1]  # leading left singular vectors
        z = u[:, :, None] * np.einsum("km,kmn->kn", u, z)[:, None, :]
        l0, l1, l2 = l0 + total - y, l1 + p - q, l2 + p - z
    return u.T


for line in sys.stdin:
    folder = json.loads(line)["folder"]
    problem = json.load(open(folder + "/problem.json"))
    start = np.load(folder + "/D0.npy")
    start = start + 1e-3 * np.random.default_rng(problem["seed"]).standard_normal(start.shape)  # equal atoms part
    start /= np.linalg.norm(start, axis=0)
    np.save(folder + "/D.npy", learn(np.load(folder + "/Y.npy"), start, problem["iterations"]))
    print(line, end="", flush=True)
