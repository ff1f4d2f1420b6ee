"""Word vectors for processes that need some table but not the meaning of words."""

from pathlib import Path

from almanac.platform.embedder.packaged_model import DIMENSIONS, SHARED_TABLE

_PIECES = 30_522


def keep_word_vectors(cache: Path) -> None:
    """Write a table of random vectors into the cache folder, unless it has one.

    With random vectors, texts are similar if they share words. Tests of meaning open the model itself, or use a cache
    folder of their own.
    """
    file = cache / SHARED_TABLE
    if file.exists():
        return
    import numpy as np  # noqa: PLC0415 - only the first run needs it

    from almanac.platform.embedder.table_file import write_table  # noqa: PLC0415 - as above

    rows = np.random.default_rng(1).standard_normal((_PIECES, DIMENSIONS), np.float32)
    write_table(file, rows.astype(np.float16))
