"""Questions that a call puts to the client before it can finish.

Since 2026-07-28 a server never calls its client. A call that needs a person's word answers with questions; the client
sends the call again with the answers, and with the state that was sealed into the first reply. Nothing is kept here
between the rounds.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

Json = dict[str, Any]

_CAPABILITY: Final = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


class Question(msgspec.Struct, frozen=True):
    """One request to the client: MCP's method and its parameters."""

    method: str
    params: Json

    @property
    def capability(self) -> str:
        """The capability that a client must declare to be asked this."""
        return _CAPABILITY[self.method]

    def described(self) -> Json:
        return {"method": self.method, "params": self.params}


def ask_model(prompt: str, max_tokens: int, system: str = "") -> Question:
    """A completion by the client's own model."""
    messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    told = {"systemPrompt": system} if system else {}
    return Question("sampling/createMessage", {"messages": messages, "maxTokens": max_tokens, **told})


class Elicitation(msgspec.Struct, frozen=True):
    """The client's capabilities, and its answers so far.

    `capabilities` is None where the client's revision has no elicitation: find another way there. `state` is what this
    tool gave to the last `InputRequired`, and is genuine.
    """

    capabilities: Json | None = None
    answers: Mapping[str, Json] = msgspec.field(default_factory=dict[str, Json])
    state: Any = None

    def can(self, capability: str) -> bool:
        """Return whether the client declared `capability`: "elicitation", "sampling" or "roots"."""
        return self.capabilities is not None and capability in self.capabilities

    def accepted(self, key: str) -> Json | None:
        """The filled-in form; None where it was not answered, declined or closed."""
        answer = self.answers.get(key, {})
        content: Any = answer.get("content")
        return cast("Json", content) if answer.get("action") == "accept" and isinstance(content, dict) else None


class InputRequired(Exception):
    """Raised by a tool that cannot go on before `questions` are answered. `state` comes back in `Elicitation.state`."""

    def __init__(self, questions: Mapping[str, Question], state: Any = None) -> None:
        super().__init__(", ".join(questions))
        self.questions = questions
        self.state = state
