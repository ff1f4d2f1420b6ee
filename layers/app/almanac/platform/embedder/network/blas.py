"""One thread for each multiplication: OpenBLAS, which numpy brings, otherwise takes every core for any large one."""

import ctypes
from pathlib import Path

import numpy as np

_BESIDE_NUMPY = ("../numpy.libs", ".dylibs")
_LIBRARY = "*openblas*"
_SET_THREADS = ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads")


def use_one_thread() -> bool:
    """For all of this process, from now on. False where numpy came without an OpenBLAS of its own: then the
    environment of the process says how many threads another one takes."""
    beside = Path(np.__file__).parent
    libraries = [file for folder in _BESIDE_NUMPY for file in (beside / folder).glob(_LIBRARY)]
    return any(_set(file) for file in libraries)


def _set(library: Path) -> bool:
    # It is loaded already: this opens the same one again.
    loaded = ctypes.CDLL(str(library))
    for name in _SET_THREADS:
        if (function := getattr(loaded, name, None)) is not None:
            function(ctypes.c_int(1))
            return True
    return False
