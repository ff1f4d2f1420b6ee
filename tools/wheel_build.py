"""Wheel build by hatchling, with the tool lists of the families included, as in the functions' layer.

A server that reads these lists imports a family at its first call, which halves the CPU of a first start. The package
itself makes the lists, so building a wheel needs a few of its dependencies. An editable install does without the lists.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling import build
from hatchling.build import *  # noqa: F403 - the other functions of a build backend
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_IMPORTED = ("msgspec", "pystemmer", "python-dateutil", "pyyaml", "tree-sitter", "tzdata")
"""The packages that making the tool lists imports. Their version ranges are those of the dependencies."""


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    declared = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    needed = [each for each in declared if re.split("[<>=]", each)[0] in _IMPORTED]
    return [*build.get_requires_for_build_wheel(config_settings), *needed]


class PreparedLists(BuildHookInterface):
    """Puts `almanac/prepared` into the wheel, and nothing into the working tree."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard":
            return
        root = Path(self.root)
        self._made = TemporaryDirectory()
        paths = os.pathsep.join(str(root / "layers" / each) for each in ("app", "grammars"))
        environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "almanac.composition.prepared", self._made.name]
        subprocess.run(command, check=True, env=environment)  # noqa: S603 - this Python, on this checkout
        build_data["force_include"][self._made.name] = "almanac/prepared"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's signature
        if version == "standard":
            self._made.cleanup()
