"""The memory function over an embedder's layer that is not below /opt but in the folder EMBEDDER_LAYER."""

import os
from importlib import import_module
from pathlib import Path

from almanac.platform.embedder import packaged_model

packaged_model.LAYER = Path(os.environ["EMBEDDER_LAYER"])
handler = import_module("handle_http").handler
