"""Port of a language model."""

from typing import Protocol

from msgspec import Struct


class LanguageModel(Protocol):
    name: str
    """Provider and id of the model: `bedrock:<id>`."""

    def complete(self, system: str, prompt: str, max_tokens: int) -> str:
        """Return what the model writes, of at most so many tokens. Raises Unavailable if it does not answer within 20
        seconds."""
        ...


class ChosenModel(Struct, frozen=True):
    """The model of an installation; None where none is set."""

    model: LanguageModel | None = None
