"""The tool that returns the snapshot an agent reads first."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.times import Moment, optional_instant
from almanac.families.memory.snapshot.changes import Since, changes_since, mark
from almanac.families.memory.snapshot.due import Today, today
from almanac.families.memory.snapshot.rows import Snapshot
from almanac.families.memory.snapshot.snapshot import SnapshotRequest, build_snapshot
from almanac.families.time.core.zones import find_zone
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.owners import left_out_by_key, may_see
from almanac.platform.declaration.known_facts import KnownFacts
from almanac.platform.services import Services
from almanac.protocol.tool import Effect, tool


@tool(title="Recall where we left off", effect=Effect.READS)
def get_snapshot(
    max_tokens: Annotated[int, Meta(description="Limit for the whole answer.", ge=200, le=100_000)] = 4000,
    session_id: Annotated[
        str, Meta(description="Turns of this session come before others.", min_length=1, max_length=200)
    ]
    | None = None,
    as_of: Annotated[Moment, Meta(description="Only what was recorded by then.")] | None = None,
    since: Annotated[Moment, Meta(description="Changes since then; default: your last snapshot.")] | None = None,
    timezone: Annotated[str, Meta(description="IANA zone of today; default: the key's.", min_length=1, max_length=100)]
    | None = None,
    *,
    project: MemoryProject,
    caller: Caller,
    clock: Clock,
    services: Services,
) -> Snapshot:
    """Catch up when you start or resume a conversation: continue where we left off, with pinned memories, what was
    decided and is open, announcements, the last messages (turns), what is due and what changed, within a number of
    tokens. For one topic use search_memory.
    """
    zone = find_zone(timezone).key if timezone is not None else None
    zoned_project = project if zone is None else replace(project, zone=zone)
    instant = optional_instant(zoned_project, as_of, "as_of", ends=True)
    notes = left_out_by_key(caller.families, ("facts", "events", "cards", "teamwork"))
    request = SnapshotRequest(max_tokens, session_id, instant, may_see(caller.families, "teamwork"), notes)
    if instant is not None:
        if since is not None:
            raise InvalidInput("since does not go with as_of.", "Leave one of them out.", path="since")
        return build_snapshot(zoned_project, request, Today(), Since())
    now = project.now()
    facts = services.find(KnownFacts) if may_see(caller.families, "facts") else None
    changes = changes_since(zoned_project, facts, optional_instant(zoned_project, since, "since"))
    answer = build_snapshot(zoned_project, request, today(services, caller, clock, zone), changes)
    mark(project, now)
    return answer
