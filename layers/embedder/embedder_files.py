"""Write the embedder's files for the functions' layer: `embedder_files.py FOLDER`.

They are the packaged vocabulary, the weights in eight bits, and the static table made from them. An existing complete
table is kept, because making one takes 20 seconds of CPU.
"""

import os
import shutil
import sys
from itertools import chain
from pathlib import Path

import numpy as np

from almanac.platform.embedder.eight_bits import in_eight_bits
from almanac.platform.embedder.factory import open_minilm, open_row_maker
from almanac.platform.embedder.lazy_rows import LazyRows
from almanac.platform.embedder.packaged_model import TABLE, VOCABULARY, WEIGHTS, packaged_model
from almanac.platform.embedder.safetensors import read_tensors, write_tensors
from almanac.platform.embedder.shared_table import keep_table

_UNUSED = "pooler."
"""Prefix of layers that the model's authors do not use either."""


def main() -> None:
    folder, model = Path(sys.argv[1]), packaged_model()
    if model is None:
        sys.exit("The model is not installed: make setup")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(model / VOCABULARY, folder / VOCABULARY)
    tensors = {name: each for name, each in read_tensors(model / WEIGHTS).items() if not name.startswith(_UNUSED)}
    kept = (in_eight_bits(name, each.astype(np.float32)) for name, each in tensors.items())
    with (folder / WEIGHTS).open("wb") as file:
        write_tensors(file, dict(chain.from_iterable(each.items() for each in kept)))
    rows = LazyRows(open_row_maker(open_minilm(model)))
    keep_table(rows, folder / TABLE, _tell, lambda: False, os.cpu_count() or 1)


def _tell(share: float) -> None:
    sys.stderr.write(f"\rThe static table of the embedder: {share:.0%}" + ("\n" if share == 1 else ""))
    sys.stderr.flush()


if __name__ == "__main__":
    main()
