"""The focus map: which files a team is at, and who with which tool, from heartbeats and claims."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from almanac.families.team.claim_keys import ClaimKey, file_key, read_key
from almanac.families.team.records import ClaimRecord, Sighting


class Pair(Struct, frozen=True):
    """Somebody with a tool; `tool` None where it was not said. `last_at` is milliseconds since 1970."""

    tool: str | None
    actor: str
    last_at: int


class Focus(Struct, frozen=True):
    """A file, or the glob of a claim. `who` by last activity, the latest first; `claims` are those that cover it."""

    path: str
    heartbeats: int
    last_at: int
    who: tuple[Pair, ...]
    claims: tuple[ClaimRecord, ...]


def focus_map(sightings: Iterable[Sighting], claims: Sequence[ClaimRecord]) -> list[Focus]:
    """The files that most (tool, actor) pairs are at first; among equals the latest first."""
    seen: defaultdict[str, list[Sighting]] = defaultdict(list)
    keys: dict[str, ClaimKey] = {}
    for sighting in sightings:
        key = file_key(sighting.path)
        keys[key.name] = key
        seen[key.name].append(sighting)
    of_files = [(key, claim) for claim in claims if (key := read_key(claim.key)).path is not None]
    for key, _ in of_files:
        keys.setdefault(key.name, key)
    found = [_focus(key, seen[name], of_files) for name, key in keys.items()]
    return sorted(found, key=lambda focus: (-len(focus.who), -focus.last_at, focus.path))


def _focus(key: ClaimKey, seen: list[Sighting], claims: list[tuple[ClaimKey, ClaimRecord]]) -> Focus:
    covering = [claim for claimed, claim in claims if claimed.overlaps(key)]
    latest: dict[tuple[str | None, str], int] = {}
    acts = [((one.tool or None, one.actor), one.last_at) for one in seen]
    acts += [((_tool(claim), claim.actor), claim.updated_at) for claim in covering]
    for pair, at in acts:
        latest[pair] = max(at, latest.get(pair, 0))
    who = sorted((Pair(tool, actor, at) for (tool, actor), at in latest.items()), key=lambda pair: -pair.last_at)
    heartbeats = sum(one.heartbeats for one in seen)
    return Focus(key.name, heartbeats, who[0].last_at, tuple(who), tuple(covering))


def _tool(claim: ClaimRecord) -> str | None:
    """By the convention of holders: tool@user#session."""
    tool, at, _ = (claim.holder or "").partition("@")
    return tool if at and tool else None
