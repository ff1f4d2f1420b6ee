"""Opening of both embedders from the files of a package, a layer or a laptop's data folder."""

import ctypes
from pathlib import Path

import numpy as np

from almanac.platform.embedder.lazy_rows import LazyRows
from almanac.platform.embedder.minilm import MiniLm
from almanac.platform.embedder.packaged_model import NAME, VOCABULARY, WEIGHTS
from almanac.platform.embedder.safetensors import read_tensors
from almanac.platform.embedder.static_table import StaticTable
from almanac.platform.embedder.table_file import BrokenTable, open_table
from almanac.platform.embedder.table_rows import RowMaker, read_basis
from almanac.platform.embedder.word_pieces import WordPieces, vocabulary


def open_minilm(model: Path) -> MiniLm:
    """Open the context embedder from the folder with its vocabulary and weights.

    From then on, numpy uses one thread in this process. To use more cores, run more processes.
    """
    use_one_thread()
    return MiniLm(read_tensors(model / WEIGHTS), _word_pieces(model))


def open_static(model: Path, table: Path, *, checked: bool = True) -> StaticTable:
    """Open the static embedder from the folder with the vocabulary and the table's file.

    Raises the same errors as `open_table`.
    """
    rows = open_table(table, checked=checked)
    word_pieces = _word_pieces(model)
    if len(rows) != len(word_pieces.words):
        raise BrokenTable(f"{table} has {len(rows)} rows, not {len(word_pieces.words)}.")
    use_one_thread()
    return StaticTable(NAME, rows, word_pieces)


def open_row_maker(minilm: MiniLm) -> RowMaker:
    """Open the maker of single rows of the static table."""
    return RowMaker(minilm, read_basis())


def static_over(model: Path, rows: LazyRows) -> StaticTable:
    """Open the static embedder over rows that are made when needed."""
    return StaticTable(NAME, rows, _word_pieces(model))


def _word_pieces(model: Path) -> WordPieces:
    return WordPieces(vocabulary(model / VOCABULARY))


_BESIDE_NUMPY = ("../numpy.libs", ".dylibs")
_LIBRARY = "*openblas*"
_SET_THREADS = ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads")


def use_one_thread() -> bool:
    """Limit numpy's OpenBLAS to one thread in this process, from now on.

    Returns False if numpy has no OpenBLAS of its own. Then environment variables decide how many threads it uses.
    """
    beside = Path(np.__file__).parent
    libraries = [file for folder in _BESIDE_NUMPY for file in (beside / folder).glob(_LIBRARY)]
    return any(_set(file) for file in libraries)


def _set(library: Path) -> bool:
    # The library is already loaded, and this opens the same one again.
    loaded = ctypes.CDLL(str(library))
    for name in _SET_THREADS:
        if (function := getattr(loaded, name, None)) is not None:
            function(ctypes.c_int(1))
            return True
    return False
