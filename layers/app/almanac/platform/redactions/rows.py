"""Storage of redactions, and their later review by a person."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding
from almanac.kernel.caller import Scope
from almanac.kernel.errors import NotFound
from almanac.kernel.ids import ulid
from almanac.platform.project import ProjectWork
from almanac.platform.redactions.records import KEPT_MS, REDACTIONS, Redaction, RemovedSecret, Status, Where
from almanac.platform.store.port import Change, Store
from almanac.platform.store.records import replace

MOST_TOLD = 50
_PATH = 200
_ITEM = 500
_TELLING_PREFIX = 3
# These were recognized by their context only, or are common in examples. A person must review them.
_UNSURE = frozenset(
    {"password", "secret", "key", "token", "login", "authorization", "jwt"}
    | {"url_password", "command_password", "netrc_password", "sql_password"}
)


class Writer(Protocol):
    """Protocol of the writer of an item in a project, e.g. a planner or a firing rule."""

    @property
    def store(self) -> Store: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def actor(self) -> str: ...
    @property
    def random_bytes(self) -> Any: ...  # RandomBytes, which type checkers take for a method that is bound


def redaction_changes(
    project: Writer,
    item_id: str,
    where: Where,
    findings: Sequence[SecretFinding],
    at: int,
    *,
    tool: str | None = None,
    session: str | None = None,
) -> list[Change]:
    """Return the change to write with an item from which `findings` were removed. An empty list without findings."""
    if not findings:
        return []
    status, reason = first_status(findings)
    row = Redaction(
        id=ulid(at, project.random_bytes),
        item=item_id[:_ITEM],
        where=where,
        at=at,
        expires_at=at + KEPT_MS,
        actor=project.actor,
        removed=tuple(RemovedSecret(each.kind, each.path[:_PATH], each.prefix) for each in findings[:MOST_TOLD]),
        count=len(findings),
        status=status,
        reason=reason,
        tool=tool,
        session=session,
    )
    return [REDACTIONS.within(project.store, project.scope).insert(row)]


def first_status(findings: Sequence[SecretFinding]) -> tuple[Status, str]:
    """Return the initial status and its reason. It is escalated if the form alone identifies a secret."""
    if all(each.masked for each in findings):
        return "flagged", "It arrived masked, as a hook on the user's machine does: only its kind is known here."
    sure = dict.fromkeys(each.kind for each in findings if _is_sure(each))
    if sure:
        return "escalated", f"Its form alone tells what it is: {', '.join(sure)}. Replace it where it was issued."
    return "flagged", "Only what stands beside it tells of a secret: it may be an example."


def review(project: ProjectWork, row_id: str, status: Literal["dismissed", "confirmed"], reason: str) -> Redaction:
    """Set the status of a redaction and return it. Raises NotFound."""

    def attempt() -> Redaction:
        rows = project.rows(REDACTIONS)
        row = rows.get(row_id)
        if row is None:
            raise NotFound(f"There is no redaction {row_id[:80]!r}.", "Use an id from list_redactions.")
        at = project.now()
        reviewed = altered(row, status=status, reason=reason, reviewer=project.actor, reviewed_at=at)
        project.store.write([replace(rows, reviewed)])
        return altered(reviewed, version=row.version + 1)

    return project.retry_on_conflict(attempt)


def _is_sure(finding: SecretFinding) -> bool:
    if finding.kind in _UNSURE or finding.masked:
        return False
    return not finding.prefix or len(finding.prefix) >= _TELLING_PREFIX
