"""Filters of SciPy that clips need, without the two CPU seconds that importing `scipy.signal` takes.

A decoding process would spend as long on that import as on a hundred clips. So three of SciPy's compiled modules are
loaded alone, and what its Python code does around them is done here: in the same order, so that every bit is the same.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

Array = npt.NDArray[np.float64]


def _compiled(package: str, module: str) -> Any:
    """Return a module of a package without importing the package, which finds it loaded if it is imported later."""
    name = f"scipy.{package}.{module}"
    if name not in sys.modules:
        spec = PathFinder.find_spec(name, [str(Path(scipy.__file__).parent / package)])
        if spec is None or spec.loader is None:
            raise ImportError(f"SciPy {scipy.__version__} has no {name}.")
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_upfirdn = _compiled("signal", "_upfirdn_apply")
_sigtools = _compiled("signal", "_sigtools")
_special = _compiled("special", "_special_ufuncs")
# Beyond its ends, a recording is silent.
_SILENT = _upfirdn.mode_enum("constant")


def lfilter(b: Array, a: Array, samples: Array) -> Array:
    """Return `samples` (one channel) filtered by b/a, as `scipy.signal.lfilter`."""
    return np.asarray(_sigtools._linear_filter(b, a, samples, -1), dtype=np.float64)


def low_pass(taps: int, cutoff: float, beta: float) -> Array:
    """Return a linear-phase low-pass at a share of rate / 2, as `scipy.signal.firwin` with a Kaiser window."""
    middle = (taps - 1) / 2
    places = np.arange(taps) - middle
    window = _special.i0(beta * np.sqrt(1 - (places / middle) ** 2.0)) / _special.i0(np.float64(beta))
    filtered = cutoff * np.sinc(cutoff * places) * window
    return np.asarray(filtered / filtered.sum(), dtype=np.float64)


class Resampler:
    """A conversion to up / down times the rate, as `scipy.signal.resample_poly` with a filter of an odd length.

    `up` and `down` have no common divisor; the filter is at least ten times as long as both.
    """

    def __init__(self, up: int, down: int, taps: Array) -> None:
        self.up, self.down = up, down
        half = (len(taps) - 1) // 2
        before = down - half % down
        self.skipped = (half + before) // down
        padded = np.concatenate([np.zeros(before), taps * up])
        self.length = len(padded)
        self.phases = np.append(padded, np.zeros(-len(padded) % up)).reshape(-1, up).T[:, ::-1].ravel()

    def __call__(self, samples: Array) -> Array:
        """Return (frames, channels) at the new rate: ceil(frames × up / down) frames."""
        length = _upfirdn._output_len(self.length, len(samples), self.up, self.down)
        sound = np.zeros((length, samples.shape[1]))
        _upfirdn._apply(samples, self.phases, sound, self.up, self.down, 0, _SILENT, 0.0)
        return sound[self.skipped : self.skipped - (-len(samples) * self.up // self.down)]
