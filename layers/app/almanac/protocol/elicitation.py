"""Questions that a call asks the client before it can finish.

Since 2026-07-28 a server never calls its client. A call that needs input from a person returns questions instead of a
result. The client repeats the call with the answers and with the sealed state from the first reply, so the server
stores nothing between the rounds.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

Json = dict[str, Any]

_CAPABILITY: Final = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


class Question(msgspec.Struct, frozen=True):
    """Request to the client: MCP's method and its parameters."""

    method: str
    params: Json

    @property
    def capability(self) -> str:
        """Capability that a client must declare before a call may ask it this question."""
        return _CAPABILITY[self.method]

    def to_wire(self) -> Json:
        return {"method": self.method, "params": self.params}


def ask_model(prompt: str, max_tokens: int, system: str = "") -> Question:
    """Ask for a completion by the client's own model."""
    messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    system_prompt = {"systemPrompt": system} if system else {}
    return Question("sampling/createMessage", {"messages": messages, "maxTokens": max_tokens, **system_prompt})


class Elicitation(msgspec.Struct, frozen=True):
    """Capabilities of the client, and its answers so far.

    `capabilities` is None when the client's revision has no elicitation; the tool must then do without. `state` is the
    value that the tool gave to its last `InputRequired`; the seal proves that it is genuine.
    """

    capabilities: Json | None = None
    answers: Mapping[str, Json] = msgspec.field(default_factory=dict[str, Json])
    state: Any = None

    def can(self, capability: str) -> bool:
        """Return whether the client declared `capability`: "elicitation", "sampling" or "roots"."""
        return self.capabilities is not None and capability in self.capabilities

    def accepted_form(self, key: str) -> Json | None:
        """Return the completed form; None if it is unanswered, declined or closed."""
        answer = self.answers.get(key, {})
        content: Any = answer.get("content")
        return cast("Json", content) if answer.get("action") == "accept" and isinstance(content, dict) else None


class InputRequired(Exception):
    """Raised by a tool that needs answers to `questions` before it can go on.

    The repeated call finds `state` in `Elicitation.state`.
    """

    def __init__(self, questions: Mapping[str, Question], state: Any = None) -> None:
        super().__init__(", ".join(questions))
        self.questions = questions
        self.state = state
