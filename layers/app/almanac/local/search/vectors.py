"""Line of `almanac search status` about the table of word vectors."""

from collections.abc import Sequence
from pathlib import Path

from almanac.platform.embedder.packaged_model import DIMENSIONS, VOCABULARY, packaged_model

_LACKING = "the model is not installed, so search answers from words alone. `almanac embedder install` adds it."


def model_notes(cache: Path | None) -> list[str]:
    """Return a line for the announcement of a server if the model is not installed, else no lines."""
    return [] if packaged_model(cache) is not None else [f"Search: {_LACKING}"]


def vectors_line(files: Sequence[Path], cache: Path | None = None) -> str:
    """Return a line that says where the table of word vectors is, and how much of it is made. `files` are the possible
    places, the preferred one first; `cache` is where the model may be installed."""
    from almanac.platform.embedder.shared_table import pieces_made  # noqa: PLC0415 - brings numpy
    from almanac.platform.embedder.word_pieces import vocabulary  # noqa: PLC0415 - only here

    model = packaged_model(cache)
    if model is None:
        return f"Word vectors: {_LACKING}"
    pieces = len(vocabulary(model / VOCABULARY))
    counts = {file: pieces_made(file, (pieces, DIMENSIONS)) for file in files}
    # If two tables are equally complete, max returns the first.
    file = max(counts, key=lambda each: counts[each])
    if not counts[file]:
        return f"Word vectors: none of {pieces} kept yet; they are made when search first needs them, in {files[0]}"
    return f"Word vectors: {counts[file]} of {pieces} in {file}"
