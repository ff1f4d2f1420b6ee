"""Both embedders from the files that a package, a layer or the data folder of a laptop brings."""

from pathlib import Path

from almanac.platform.embedder.growing_rows import GrowingRows
from almanac.platform.embedder.minilm import MiniLm
from almanac.platform.embedder.network.blas import use_one_thread
from almanac.platform.embedder.network.safetensors import read_tensors
from almanac.platform.embedder.packaged_model import NAME, VOCABULARY, WEIGHTS
from almanac.platform.embedder.static_table import StaticTable
from almanac.platform.embedder.table_file import BrokenTable, open_table
from almanac.platform.embedder.table_rows import RowMaker, read_basis
from almanac.platform.embedder.word_pieces import WordPieces, vocabulary


def open_minilm(model: Path) -> MiniLm:
    """The context embedder, from the folder with its vocabulary and weights. All of numpy takes one thread from then
    on: who needs more cores at once runs more processes."""
    use_one_thread()
    return MiniLm(read_tensors(model / WEIGHTS), _word_pieces(model))


def open_static(model: Path, table: Path, *, checked: bool = True) -> StaticTable:
    """The static embedder, from the folder with the vocabulary and the file of the table. Raises as `open_table`."""
    rows = open_table(table, checked=checked)
    word_pieces = _word_pieces(model)
    if len(rows) != len(word_pieces.words):
        raise BrokenTable(f"{table} has {len(rows)} rows, not {len(word_pieces.words)}.")
    use_one_thread()
    return StaticTable(NAME, rows, word_pieces)


def open_row_maker(minilm: MiniLm) -> RowMaker:
    """Open the maker of single rows of the static table."""
    return RowMaker(minilm, read_basis())


def static_over(model: Path, rows: GrowingRows) -> StaticTable:
    """The static embedder over rows that are made as they are needed."""
    return StaticTable(NAME, rows, _word_pieces(model))


def _word_pieces(model: Path) -> WordPieces:
    return WordPieces(vocabulary(model / VOCABULARY))
