"""The writer of changes in a test."""

from dataclasses import dataclass

from almanac.kernel.caller import Scope
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.port import Store


@dataclass(frozen=True)
class SomeWriter:
    store: Store
    scope: Scope
    random_bytes: RandomBytes
    actor: str = "test"
