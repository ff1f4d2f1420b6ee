"""Rule action that pins a memory, as the tool pin_memory does."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from almanac.families.memory.core.memory import memory_of_rule
from almanac.families.memory.memories.new_memory import SourceIds, Surface, Tags, TtlMs, new_memory
from almanac.families.memory.memories.write_plan import plan_memory
from almanac.kernel.errors import InvalidInput
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.store.port import Change


class PinArguments(Struct, frozen=True, kw_only=True):
    """Arguments of the tool pin_memory. A template that is only a number or a flag fills `content` with that value."""

    content: str | int | float | bool
    tags: Tags | None = None
    ttl_ms: TtlMs | None = None
    metadata: dict[str, Any] | None = None
    tool: Surface | None = None
    derived_from_turn_ids: SourceIds | None = None


def pin_memory(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
    """Return the changes that pin a memory. Sources that do not exist are left out. Raises InvalidInput for arguments
    that the tool would refuse."""
    arguments = _parse_arguments(args)
    content = (
        arguments.content if isinstance(arguments.content, str) else msgspec.json.encode(arguments.content).decode()
    )
    pinned = new_memory(
        "pinned",
        content,
        tags=arguments.tags,
        metadata=arguments.metadata,
        tool=arguments.tool,
        derived_from=arguments.derived_from_turn_ids,
        ttl_ms=arguments.ttl_ms,
    )
    return plan_memory(memory_of_rule(firing), pinned, {"caused_by": msgspec.to_builtins(firing.cause)}).changes


def _parse_arguments(args: Mapping[str, Any]) -> PinArguments:
    try:
        return msgspec.convert(dict(args), PinArguments)
    except msgspec.ValidationError as error:
        raise InvalidInput(
            f"pin_memory cannot take the arguments: {error}.", "Check what its templates are filled with."
        ) from None
