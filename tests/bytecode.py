"""Compiled modules: kept also where the environment asks for none, or each process that a test starts compiles anew."""

import os
import sys
from pathlib import Path


def keep_bytecode(folder: Path) -> None:
    """For this process and those that it starts: in `folder`, unless it is kept beside the sources."""
    if not sys.dont_write_bytecode:
        return
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(folder)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
