"""What plain pip installs: all that packages declare, which overrides of uv do not reach."""

import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PROJECT: dict[str, Any] = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
_EXTRAS: dict[str, list[str]] = _PROJECT["optional-dependencies"]
_HEAVY = {"grpcio", "opensearch-protobufs", "sentence-transformers", "torch", "transformers"}


def test_a_laptop_needs_neither_torch_nor_grpc():
    assert _reached([*_PROJECT["dependencies"], *_EXTRAS["local"]]) & _HEAVY == set()


def test_what_declares_them_is_in_extras_of_its_own():
    assert "opensearch-protobufs" in _reached(_EXTRAS["aws"])
    assert "sentence-transformers" in _reached(_EXTRAS["model"])


def _reached(declared: list[str]) -> set[str]:
    """Every package that these requirements bring, as far as the packages are installed here."""
    found: set[str] = set()
    waiting = [(Requirement(each), "") for each in declared]
    while waiting:
        asked, extra = waiting.pop()
        if asked.marker is not None and not asked.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(asked.name)
        if name in found and not asked.extras:
            continue
        found.add(name)
        try:
            further = requires(name) or []
        except PackageNotFoundError:
            continue
        waiting += [(Requirement(each), one) for each in further for one in ("", *asked.extras)]
    return found
