"""Questions of MCP that no tool of Almanac asks."""

from typing import Any

from almanac.protocol.elicitation import Question


def ask_person(message: str, schema: dict[str, Any]) -> Question:
    """A form: `schema` is a flat JSON Schema object of what is to be filled in."""
    return Question("elicitation/create", {"mode": "form", "message": message, "requestedSchema": schema})


def ask_roots() -> Question:
    """The folders that the client works in."""
    return Question("roots/list", {})
