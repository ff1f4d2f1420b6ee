"""Kinds of events as their families declare them, with a sample payload for listeners."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class EventKind:
    """`sample` is the payload of one event of this kind; fields that may be missing are in it too."""

    name: str
    description: str
    sample: Mapping[str, Any]
