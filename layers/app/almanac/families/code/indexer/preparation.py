"""A file prepared for storage, and the port that prepares it. The module is light, since every process imports it."""

from collections.abc import Generator, Sequence
from typing import Protocol

from msgspec import Struct

from almanac.content.redaction import SecretFinding


class PreparedFile(Struct, frozen=True, array_like=True):
    """A file prepared for storage. `content`, `parts`, `summary` and `names` are in their stored forms. `findings` are
    the removed secrets. `reason` says in words why the file is not parsed. `seconds` is CPU time that another process
    took."""

    language: str
    parsed: bool
    symbols: int
    content: bytes
    parts: bytes
    summary: bytes
    names: bytes
    findings: tuple[SecretFinding, ...] = ()
    reason: str | None = None
    seconds: float = 0.0


class Preparation(Protocol):
    """Prepares files, given as path and text, in order and on demand. Closing the generator skips the rest."""

    def __call__(self, files: Sequence[tuple[str, str]]) -> Generator[PreparedFile]: ...
