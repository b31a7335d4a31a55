"""Finds the program superres, and runs its commands."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Iterator


class Error(RuntimeError):
    """What the program refused or could not do: str() is its line, with the fault and what to do.

    exit_code is the exit code of the command: 1 nothing was made, 2 wrong usage or a crash, 4 the input, 5 the output,
    6 the model, 7 a limit of pixels, memory or time.
    """

    exit_code: int

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message, exit_code)  # both, so that it can be pickled
        self.exit_code = exit_code

    def __str__(self) -> str:
        return str(self.args[0])


def find_program() -> str:
    """Return the path of the program superres.

    It is the one that the environment variable SUPERRES_PROGRAM names; else the one that was installed with this
    module; else the one on the PATH. Error is raised where there is none.
    """
    named = os.environ.get("SUPERRES_PROGRAM")
    if named:
        path = shutil.which(named)
        if path is None:
            raise Error(f"SUPERRES_PROGRAM={named}: there is no such program; set it to the path of superres", 2)
        return path
    for candidate in _installed():
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    path = shutil.which("superres")
    if path is None:
        raise Error("the program superres is not there; install the module again, or set SUPERRES_PROGRAM to its path",
                    2)
    return path


def _installed() -> Iterator[str]:
    """Yield the paths where the program of this module may be."""
    name = "superres.exe" if sys.platform == "win32" else "superres"
    module = Path(__file__).parent
    yield str(module / name)
    try:
        for file in importlib.metadata.distribution("superres").files or []:
            if file.name == name and len(file.parts) > 1:  # such as ../../../bin/superres
                yield os.fspath(Path(file.locate()))
    except importlib.metadata.PackageNotFoundError:
        pass
    yield os.path.join(sysconfig.get_path("scripts"), name)
    yield str(module.parent / "bin" / name)  # by pip install --target


def run(*arguments: str, folder: str) -> str:
    """Run a command of the program and return its standard output.

    Error is raised where the exit code is not 0, with names of files in folder without it.
    """
    done = subprocess.run([find_program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **WINDOWLESS)
    if done.returncode != 0:
        raise Error(last_words(done.stderr, done.returncode).replace(folder + os.sep, ""), done.returncode)
    return str(done.stdout, "utf-8")


# No window opens where a program without a console, such as an editor of notebooks, starts the program.
WINDOWLESS: dict[str, Any] = {}
if sys.platform == "win32":
    WINDOWLESS["creationflags"] = subprocess.CREATE_NO_WINDOW


def last_words(stderr: bytes, exit_code: int | None) -> str:
    """Return the last message of the program, which is why it ended."""
    lines = stderr.decode(errors="replace").splitlines()
    own = [line[len("superres: "):] for line in lines if line.startswith("superres: ")]
    crash = [line for line in lines if line.startswith(("fatal error: ", "panic: "))]
    for found in (own[-1:], crash[:1], lines[-1:]):
        if found:
            return found[0]
    return f"the program ended without a word (exit code {exit_code})"


def refuse_masked(array: Any) -> None:
    """Raise TypeError for a masked array: the program would take its masked values for true ones."""
    import numpy

    if numpy.ma.isMaskedArray(array):
        raise TypeError("a masked array has values that do not count, and the program would take them for true ones; "
                        "use array.filled(VALUE), or a part without masked values")
