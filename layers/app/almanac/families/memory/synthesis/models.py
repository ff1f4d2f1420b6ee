"""Language models that may write for a tool: the installation's model, or else the client's own."""

from collections.abc import Iterator
from typing import Any, cast

from msgspec import Struct

from almanac.families.memory.synthesis.passages import quotable
from almanac.platform.language_model.port import LanguageModel
from almanac.protocol.elicitation import Elicitation, InputRequired, ask_model

_ANSWER = "answer"
_NAME_CHARACTERS = 100


class Models(Struct, frozen=True):
    """The models that may write an answer. `installed` comes first; it is None if the installation has no model."""

    installed: LanguageModel | None
    client: Elicitation


def sample_client(client: Elicitation, system: str, prompt: str, max_tokens: int) -> tuple[str, str]:
    """Return the text that the client's model wrote, and the model's name.

    The first call raises InputRequired, which asks the client to run its model. Nothing is stored until it answers."""
    if _ANSWER not in client.answers:
        raise InputRequired({_ANSWER: ask_model(prompt, max_tokens, system)})
    answer = client.answers[_ANSWER]
    name = answer.get("model")
    clean_name = quotable(name)[:_NAME_CHARACTERS].strip() if isinstance(name, str) else ""
    return "\n".join(_texts(answer.get("content"))), clean_name or "unnamed"


def _texts(content: Any) -> Iterator[str]:
    """Yield the texts of one content block, or of a list of them."""
    blocks = cast("list[Any]", content) if isinstance(content, list) else [content]
    for block in blocks:
        text = cast("dict[str, Any]", block).get("text") if isinstance(block, dict) else None
        if isinstance(text, str):
            yield text
