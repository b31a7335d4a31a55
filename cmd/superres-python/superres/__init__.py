"""Enlarge pictures sharply, and learn dictionaries, by the program superres, which comes with this module.

    >>> import numpy, superres
    >>> small = numpy.zeros((64, 64, 3), numpy.uint8)
    >>> superres.upscale(small, scale=2).shape
    (128, 128, 3)

upscale       enlarges a NumPy array or a PIL image
Upscaler      does so by a process of its own, with limits of its own
learn, code   learn a dictionary from signals; code signals over a dictionary
DictionaryLearner   the same as an estimator of scikit-learn
Error         is raised with the words of the program and its exit code
find_program  tells which program is used

python -m superres.train trains networks with PyTorch.

NumPy is needed for arrays, Pillow for its images and scikit-learn for the estimator; importing superres needs none.
"""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING

from ._learn import Learned, code, learn
from ._program import Error, find_program
from ._upscale import Upscaler, close, upscale

if TYPE_CHECKING:
    from ._sklearn import DictionaryLearner

__all__ = ["DictionaryLearner", "Error", "Learned", "Upscaler", "close", "code", "find_program", "learn", "upscale"]

try:
    __version__ = importlib.metadata.version("superres")
except importlib.metadata.PackageNotFoundError:  # the folder of the sources is on the path
    __version__ = "0+unknown"


def __getattr__(name: str) -> object:
    if name == "DictionaryLearner":  # only this needs scikit-learn
        from ._sklearn import DictionaryLearner

        return DictionaryLearner
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
