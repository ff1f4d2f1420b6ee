"""A file that is ready to be stored, and the port that prepares it. The module is light, since every process imports
it."""

from collections.abc import Generator, Sequence
from typing import Protocol

from msgspec import Struct

from almanac.content.redaction import SecretFinding


class PreparedFile(Struct, frozen=True, array_like=True):
    """`content`, `parts`, `summary` and `names` as they are stored. `findings` are the secrets that were taken out.
    `reason`: why it is not parsed, in words. `seconds` of CPU were taken by another process."""

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
    """Prepares files, of which it is given path and text, in their order; what nobody asks for any more is not done."""

    def __call__(self, files: Sequence[tuple[str, str]]) -> Generator[PreparedFile]: ...
