"""Write static.basis, from which rows of the static table are made: `basis_file.py`, once for each `NAME` of the table.

It depends on the weights alone and takes half a minute of CPU.
"""

import sys

import numpy as np

from almanac.platform.embedder.factory import open_minilm
from almanac.platform.embedder.packaged_model import packaged_model
from almanac.platform.embedder.table_rows import PACKAGED_BASIS, basis_of, vectors_of_pieces, write_basis


def main() -> None:
    model = packaged_model()
    if model is None:
        sys.exit("The model is not installed: make setup")
    minilm = open_minilm(model)
    write_basis(PACKAGED_BASIS, basis_of(np.concatenate(list(vectors_of_pieces(minilm, len(minilm.words))))))


if __name__ == "__main__":
    main()
