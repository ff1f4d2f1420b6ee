"""The page of the kinds of events that rules may listen to, from what the families declare."""

import json
from collections.abc import Iterator

from almanac.families.team.core.rule_sources import CATALOGUE


def events_section() -> str:
    """A part of the team's page: each kind with the payload of one event as a sample."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "## Kinds of events\n"
    yield (
        "What rules may listen to. Each event has `event.id`, `event.kind`, `event.key`, `event.at` (milliseconds since"
        " 1970) and `event.actor`, and a payload, of which this is a sample; `caused_by` is in it where a rule caused"
        " it.\n"
    )
    for kind in CATALOGUE.values():
        yield f"### {kind.name}\n"
        yield f"{kind.description}\n"
        yield f"```json\n{json.dumps(dict(kind.sample), indent=2)}\n```\n"
