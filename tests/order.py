"""Another order of the tests, to find those that lean on what ran before them."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar


class HasPath(Protocol):
    @property
    def path(self) -> Path | str: ...


Item = TypeVar("Item", bound=HasPath)


def shuffled(items: Sequence[Item], seed: int) -> list[Item]:
    """Files in an order of that seed, and the tests of each: a file's servers are started once."""
    chance = random.Random(seed)
    files = {item.path: chance.random() for item in items}
    return sorted(items, key=lambda item: (files[item.path], chance.random()))
