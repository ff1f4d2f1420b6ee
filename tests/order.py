"""A shuffled order of the tests, to find tests that depend on earlier ones."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar


class HasPath(Protocol):
    @property
    def path(self) -> Path | str: ...


Item = TypeVar("Item", bound=HasPath)


def shuffle(items: Sequence[Item], seed: int) -> list[Item]:
    """Shuffle the files, and the tests within each file. A file stays together, so its servers start only once."""
    chance = random.Random(seed)
    files = {item.path: chance.random() for item in items}
    return sorted(items, key=lambda item: (files[item.path], chance.random()))
