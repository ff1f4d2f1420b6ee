"""Current activity on files: turns of the last hours that name them, and claims that cover them."""

from collections.abc import Iterable, Sequence

from almanac.families.code.core.code import CodeProject
from almanac.families.memory.entities.records import ENTITIES, NORMAL_BYTES, within_bytes
from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.key_syntax import file_key
from almanac.families.team.core.project import project_of as team_of
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import ClaimRecord
from almanac.kernel.caller import Caller
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.owners import may_see

RECENT_MS = 6 * 3_600_000
MOST_CLAIMS = 100
_MINUTE = 60_000


def activity(project: CodeProject, paths: Sequence[str], caller: Caller) -> dict[str, tuple[str, ...]]:
    """Return descriptions of current activity by path, from the families that the caller may use. Paths without
    activity are left out."""
    named = _mentions(project, paths) if may_see(caller.families, "turns") else {}
    claimed = _claims(project, paths) if may_see(caller.families, "teamwork") else {}
    return {path: (*named.get(path, ()), *claimed.get(path, ())) for path in {*named, *claimed}}


def spellings_of(path: str) -> tuple[str, ...]:
    """Return the spellings by which turns may name a file: its whole path, or its last folders and name."""
    parts = path.casefold().split("/")
    ends = ("/".join(parts[at:]) for at in range(max(1, len(parts) - 1)))
    return tuple(within_bytes(each, NORMAL_BYTES) for each in ends)


def _mentions(project: CodeProject, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
    forms = [(path, form) for path in paths for form in spellings_of(path)]
    records = project.rows(ENTITIES).get_many([("file", form) for _, form in forms])
    now, latest = project.now(), dict[str, int]()
    for (path, _), record in zip(forms, records, strict=True):
        if record is not None and record.last_at > now - RECENT_MS:
            latest[path] = max(record.last_at, latest.get(path, 0))
    return {path: (f"named in a turn {_ago(now - at)}",) for path, at in latest.items()}


def _claims(project: CodeProject, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    claims = Claims(team_of(project))
    held = claims.list_held(limit=MOST_CLAIMS).claims
    if not held:
        return {}
    keys, found = claims.keys(), dict[str, tuple[str, ...]]()
    try:
        for path in paths:
            key = file_key(path, keys.rules)
            holder = next((each for each in held if keys.overlap(keys.read(each.key), key)), None)
            if holder is not None:
                found[path] = (_describe_claim(holder),)
    except LimitExceeded:
        pass  # globs that take too long to compare help nobody to find anything
    return found


def _describe_claim(claim: ClaimRecord) -> str:
    return f"claimed by {TextQuoter().text('holder', claim.holder or claim.actor)[:80]}"


def _ago(milliseconds: int) -> str:
    minutes = max(0, milliseconds) // _MINUTE
    return f"{minutes // 60} h ago" if minutes >= 60 else f"{minutes} min ago"
