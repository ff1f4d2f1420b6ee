"""Port of a language model."""

from typing import Protocol

from msgspec import Struct


class LanguageModel(Protocol):
    name: str
    """Provider and id of the model: `bedrock:<id>`."""

    def complete(self, system: str, prompt: str, max_tokens: int) -> str:
        """Return the model's answer, of at most `max_tokens`. Raises Unavailable if it takes over 20 seconds."""
        ...


class ChosenModel(Struct, frozen=True):
    """The language model of an installation. None if none is configured."""

    model: LanguageModel | None = None
