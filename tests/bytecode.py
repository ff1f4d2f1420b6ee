"""A bytecode cache for the test run, even where the environment disables it.

Without a cache, each process that a test starts compiles every module again.
"""

import os
import sys
from pathlib import Path


def keep_bytecode(folder: Path) -> None:
    """Write bytecode of this process and its children to `folder`, unless it is already written beside the sources."""
    if not sys.dont_write_bytecode:
        return
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(folder)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
