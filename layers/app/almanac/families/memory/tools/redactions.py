"""The tool that lists secrets removed before storage."""

from typing import Annotated, get_args

from msgspec import Meta, Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.redactions.pages import data_of, read_redactions
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.kernel.owners import left_out_by_key
from almanac.platform.redactions.records import Redaction, Status, Where
from almanac.protocol.tool import Effect, tool

_FIELDS = 10


class RedactionRow(Struct, frozen=True, omit_defaults=True):
    """One write that lost secrets. `item_id` is the id of the turn, memory, note, journal entry, card, event or review
    in `where`, the key of a claim or broadcast, the name of a rule. `kinds` are those of its `count` secrets, `fields`
    the first 10 places where they stood, `prefixes` what all tokens of their providers begin with. `at`, when it was
    written, and `reviewed_at` are milliseconds since 1970. `shared`: in a memory of all projects of the tenant. `notes`
    name the parts of its texts that look like instructions."""

    id: str
    item_id: str
    where: Where
    status: Status
    reason: str
    at: int
    actor: str
    kinds: tuple[str, ...]
    count: int
    fields: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    tool: str | None = None
    session_id: str | None = None
    reviewer: str | None = None
    reviewed_at: int | None = None
    shared: bool = False
    notes: tuple[str, ...] = ()


class RedactionList(Struct, frozen=True, omit_defaults=True):
    """Newest first, the project's before those of shared memories. If `truncated`, continue with `next_cursor`.
    `untrusted`: others wrote ids, fields and reasons. `notes`: what this result leaves out.
    """

    redactions: tuple[RedactionRow, ...]
    truncated: bool
    next_cursor: str | None
    untrusted: bool = False
    notes: tuple[str, ...] = ()


@tool(title="List redacted secrets", effect=Effect.READS, aliases=["list_flagged_turns"])
def list_redactions(
    status: Annotated[
        Status | None,
        Meta(description="escalated: looks real. flagged: perhaps an example."),
    ] = None,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=200)] = 50,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=4000)] | None = None,
    *,
    project: MemoryProject,
) -> RedactionList:
    """List leaked secrets that were redacted from what was recorded: which passwords, credentials, API keys and tokens
    had somebody written into a conversation or note lately, who, and are they real? For the text around one use
    search_memory.
    """
    page = read_redactions(project, status, limit, cursor)
    rows = (*(_row(each) for each in page.own), *(_row(each, shared=True) for each in page.shared))
    notes = left_out_by_key(project.families, [data_of(where) for where in get_args(Where)])
    return RedactionList(rows, page.cursor is not None, page.cursor, untrusted=bool(rows), notes=notes)


def _row(redaction: Redaction, *, shared: bool = False) -> RedactionRow:
    quoting, removed = TextQuoter(), redaction.removed
    fields = dict.fromkeys(each.path for each in removed if each.path)
    return RedactionRow(
        id=redaction.id,
        item_id=quoting.text("item_id", redaction.item),
        where=redaction.where,
        status=redaction.status,
        reason=quoting.text("reason", redaction.reason),
        at=redaction.at,
        actor=redaction.actor,
        kinds=tuple(dict.fromkeys(each.kind for each in removed)),
        count=redaction.count,
        fields=tuple(quoting.json("fields", list(fields)[:_FIELDS])),
        prefixes=tuple(dict.fromkeys(each.prefix for each in removed if each.prefix)),
        tool=quoting.optional_text("tool", redaction.tool),
        session_id=quoting.optional_text("session_id", redaction.session),
        reviewer=redaction.reviewer,
        reviewed_at=redaction.reviewed_at,
        shared=shared,
        notes=quoting.notes,
    )
