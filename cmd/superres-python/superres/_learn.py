"""Learns dictionaries, and codes signals over them, by the command superres learn."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import tempfile
from typing import TYPE_CHECKING, Any, Union

from ._program import refuse_masked, run

if TYPE_CHECKING:
    from numpy.typing import NDArray

Option = Union[str, int, float, bool, None]


@dataclasses.dataclass(frozen=True, eq=False)
class Learned:
    """A dictionary with the codes of the signals that it was learned from: Y ≈ dictionary @ codes."""

    dictionary: NDArray[Any]
    """M×K, an atom of length 1 a column."""
    codes: NDArray[Any]
    """K×N, the code of a signal a column, mostly zeros."""
    history: NDArray[Any]
    """An entry for each iteration, with the fields iteration, rmse, nonzeros, primal, dual, replaced and seconds:
    history["rmse"] is the error after each."""
    rmse: float
    """‖Y − dictionary @ codes‖ / √(M·N), in the units of Y."""
    stop: str
    """Why the learner ended, such as "dictionary settled" or "iteration limit"."""
    warnings: list[str]
    """What a reader of the result should know, such as that no signal uses an atom."""


def learn(Y: Any, atoms: int | None = None, *, learner: str = "rop", coder: str | None = None,
          sparsity: int | None = None, iterations: int | None = None, seed: int = 0, init: Any = None,
          allow_exec: bool = False, **options: Option) -> Learned:
    """Learn a dictionary from the matrix Y, M×N, which has a signal of M entries in each column.

    atoms is the number of atoms (None: as many as init has, or 2·M, but at most N). learner is one of the command
    superres learners: "rop", which needs no coder, "ksvd", "mod", "simco", "blotless", "online", with parameters as in
    "ksvd:exact=false". coder is one of superres coders (None: "omp"), and sparsity the most atoms in a code (None: 3).
    iterations is the most of them (None: 500), seed the seed of all random numbers, and init a dictionary to go on
    from. All other options are flags of superres learn, with _ for -, such as jobs=1 or max_memory=4096. A learner or
    coder "exec:COMMAND" runs a program of your own, and is refused without allow_exec=True: a name that comes from
    elsewhere runs nothing.

    The result is the same as from the command. Error is raised for what the program refuses.
    """
    _check_exec(allow_exec, learner, coder, *options.values())
    with tempfile.TemporaryDirectory(prefix="superres-") as folder:
        flags = _flags(atoms=atoms, learner=learner, coder=coder, sparsity=sparsity, iterations=iterations, seed=seed,
                       **options)
        if init is not None:
            flags.append("--init=" + _save(folder, "init.npy", init))
        names = {flag: os.path.join(folder, name) for flag, name in
                 (("output", "D.npy"), ("codes", "X.npy"), ("trace", "trace.csv"))}
        flags += [f"--{flag}={name}" for flag, name in names.items()]
        summary = json.loads(run("learn", *flags, "--json", "--quiet", _save(folder, "Y.npy", Y), folder=folder))

        import numpy

        history = numpy.atleast_1d(numpy.genfromtxt(names["trace"], delimiter=",", names=True))
        return Learned(numpy.load(names["output"]), numpy.load(names["codes"]), history, summary["rmse"],
                       summary["stop"], summary.get("warnings", []))


def code(Y: Any, dictionary: Any, *, coder: str = "omp", sparsity: int | None = None,
         allow_exec: bool = False, **options: Option) -> NDArray[Any]:
    """Return the codes X, K×N, of the signals in the columns of Y, M×N, over a dictionary, M×K: Y ≈ dictionary @ X.

    coder is one of the command superres coders, with parameters as in "lasso:lambda=0.1", and sparsity the most atoms
    in a code (None: as the coder says, or 3). The code of a signal does not depend on the others. All other options are
    flags of superres learn, with _ for -. "exec:COMMAND" needs allow_exec=True, as in learn. Error is raised for what the program refuses.
    """
    _check_exec(allow_exec, coder, *options.values())
    with tempfile.TemporaryDirectory(prefix="superres-") as folder:
        codes = os.path.join(folder, "X.npy")
        run("learn", "--iterations=0", "--init=" + _save(folder, "dictionary.npy", dictionary), f"--codes={codes}",
            *_flags(coder=coder, sparsity=sparsity, **options), "--quiet", _save(folder, "Y.npy", Y), folder=folder)

        import numpy

        result: NDArray[Any] = numpy.load(codes)
        return result


def _check_exec(allowed: bool, *values: Option) -> None:
    """Raise ValueError where a value runs a program, as exec:COMMAND or exec1:COMMAND, and that is not allowed."""
    for value in values:
        if not allowed and re.search(r"(^|\W)exec1?\s*(:|$)", str(value), re.IGNORECASE):
            raise ValueError(f"{value!r} runs a program; give allow_exec=True if it is yours")


def _flags(**options: Option) -> list[str]:
    """Return options as flags of the program; None is none."""
    flags = []
    for name, value in options.items():
        if value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            flags.append(f"--{name.replace('_', '-')}={text}")
    return flags


def _save(folder: str, name: str, matrix: Any) -> str:
    """Write a matrix to a file in folder, and return its path."""
    import numpy

    refuse_masked(matrix)
    path = os.path.join(folder, name)
    numpy.save(path, numpy.asarray(matrix), allow_pickle=False)
    return path
