#!/usr/bin/env python3
"""Checks this folder without benchopt: calls what benchopt calls, in its order, at three numbers of iterations."""
import importlib.util
import itertools
import pathlib
import sys
import time
import types

here = pathlib.Path(__file__).parent


class Parametrised:
    parameters = {}

    @classmethod
    def all(cls, only=None):
        wanted = {**cls.parameters, **(only or {})}
        for values in itertools.product(*wanted.values()):
            one = cls()
            one.__dict__.update(zip(wanted, values))
            yield one


stand_in = types.ModuleType("benchopt")
for base in ("BaseObjective", "BaseDataset", "BaseSolver"):
    setattr(stand_in, base, type(base, (Parametrised,), {}))
sys.modules["benchopt"] = stand_in


def load(path):
    spec = importlib.util.spec_from_file_location("benchmark_" + path.stem, path)  # not the name of a library
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


objective = load(here / "objective.py").Objective()
data_class = load(here / "datasets" / "planted.py").Dataset
for data in data_class.all({"m": [10], "k": [15], "s": [2], "n": [150]}):
    objective.set_data(**data.get_data())
    one = objective.evaluate_result(**objective.get_one_result())
    assert 0 < one["value"] <= 1, one
    exact = objective.evaluate_result(dictionary=-objective.truth[:, ::-1])
    assert exact["value"] < 1e-12 and exact["recovered"] == 1, exact
    for path in sorted((here / "solvers").glob("*.py")):
        try:
            solver_class = load(path).Solver
        except ImportError as why:
            print(f"{path.name}: left out: {why}")
            continue
        for solver in solver_class.all():
            name = ", ".join(str(getattr(solver, p)) for p in solver.parameters)
            skipped, why = solver.skip(**objective.get_objective()) if hasattr(solver, "skip") else (False, None)
            if skipped:
                print(f"{solver.name}[{name}]: left out: {why}")
                continue
            solver.set_objective(**objective.get_objective())
            for n in (1, 10, 100):
                began = time.perf_counter()
                solver.run(n)
                seconds = time.perf_counter() - began
                got = objective.evaluate_result(**solver.get_result())
                assert 0 <= got["value"] <= 1, got
                print(f"{solver.name}[{name}] {n:4d} iterations {seconds:6.2f} s   error {got['value']:.4f}")
            assert got["value"] < one["value"], f"{solver.name}[{name}] learned nothing"
