"""The action set_broadcast: sets a broadcast for a rule, like the tool of the same name."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from almanac.families.team.messages.broadcasts import plan_broadcast
from almanac.kernel.errors import InvalidInput
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.store.port import Change


def set_broadcast(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
    """Plan a rule's broadcast. Raises InvalidInput for an empty key, such as from an unfilled template, and for too
    large a value."""
    key = args["key"]
    if isinstance(key, int | float):
        key = msgspec.json.encode(key).decode()  # as it reads within other text
    if not isinstance(key, str) or not key:
        raise InvalidInput(
            "The key of the broadcast is empty.", "Check that the paths in its template have values.", path="key"
        )
    more = {"caused_by": msgspec.to_builtins(firing.cause)}
    return plan_broadcast(firing, key, args["value"], at=firing.at, more=more).changes
