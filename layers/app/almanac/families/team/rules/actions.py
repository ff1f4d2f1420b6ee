"""The actions of rules: four tools and the arguments of each."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from almanac.families.team.rules.paths import Document
from almanac.families.team.rules.templates import Budget, check_templates, fill_templates
from almanac.kernel.errors import InvalidInput
from almanac.platform.declaration.rule_actions import Perform

MAX_ACTIONS = 10
MAX_BYTES = 16 * 1024


Performers = Mapping[str, Perform]
"""Implementations by tool name. Firings of a rule whose tool has no entry are parked."""


class Arguments(msgspec.Struct, frozen=True):
    required: frozenset[str]
    optional: frozenset[str]


TOOLS: Mapping[str, Arguments] = {
    "set_broadcast": Arguments(frozenset({"key", "value"}), frozenset()),
    "send_message": Arguments(
        frozenset({"to", "subject", "body"}), frozenset({"thread", "ack_required", "priority", "about"})
    ),
    "pin_memory": Arguments(
        frozenset({"content"}), frozenset({"tags", "ttl_ms", "metadata", "tool", "derived_from_turn_ids"})
    ),
    "record_turn": Arguments(
        frozenset({"content"}),
        frozenset(
            {
                "role",
                "session_id",
                "metadata",
                "client_turn_id",
                "tool",
                "requires_claim",
                "holder",
                "claim_policy",
            }
        ),
    ),
}


def check_actions(actions: Sequence[Mapping[str, Any]]) -> None:
    """Check actions of the form `{"tool", "args"}`. Raises InvalidInput whose `path` leads to the error."""
    if not 1 <= len(actions) <= MAX_ACTIONS:
        raise InvalidInput(
            f"A rule has 1 to {MAX_ACTIONS} actions, not {len(actions)}.",
            "Give that many, or spread them over several rules.",
            path="actions",
        )
    for place, action in enumerate(actions):
        path = f"actions[{place}]"
        _check_arguments(action["tool"], action["args"], path)
        check_templates(action["args"], f"{path}.args")
    size = len(msgspec.json.encode(actions))
    if size > MAX_BYTES:
        raise InvalidInput(f"The actions have {size} bytes, over {MAX_BYTES}.", "Shorten the texts.", path="actions")


def _check_arguments(tool: str, args: Mapping[str, Any], path: str) -> None:
    known = TOOLS.get(tool)
    if known is None:
        raise InvalidInput(f'"{tool[:40]}" is not an action.', f"Use one of {', '.join(TOOLS)}.", path=f"{path}.tool")
    takes = ", ".join(sorted(known.required) + sorted(known.optional))
    for name in sorted(known.required - args.keys()):
        raise InvalidInput(f"{path}.args has no {name}.", f"{tool} takes {takes}.", path=f"{path}.args.{name}")
    for name in sorted(args.keys() - known.required - known.optional):
        raise InvalidInput(f'{tool} has no argument "{name[:40]}".', f"It takes {takes}.", path=f"{path}.args")


def fill_actions(actions: Sequence[Mapping[str, Any]], found: Document) -> list[dict[str, Any]]:
    """Fill the templates in the actions from an event. The texts of each action may take up to 7 KB."""
    return [{"tool": action["tool"], "args": fill_templates(action["args"], found, Budget())} for action in actions]
