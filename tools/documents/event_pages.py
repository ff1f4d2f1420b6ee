"""Writer of the sections about a family's event kinds, from the family's declarations."""

import json
from collections.abc import Iterator, Sequence

from almanac.kernel.events import EventKind


def events_section(kinds: Sequence[EventKind]) -> str:
    """Return the section of the family's page with each event kind and a sample payload."""
    return "\n".join(_lines(kinds))


def _lines(kinds: Sequence[EventKind]) -> Iterator[str]:
    yield "## Kinds of events\n"
    yield (
        "What this family tells of; rules may listen to it. Each event has `event.id`, `event.kind`, `event.key`,"
        " `event.at` (milliseconds since 1970) and `event.actor`, and a payload, of which this is a sample;"
        " `caused_by` is in it where a rule caused it.\n"
    )
    for kind in kinds:
        yield f"### {kind.name}\n"
        yield f"{kind.description}\n"
        yield f"```json\n{json.dumps(dict(kind.sample), indent=2)}\n```\n"
