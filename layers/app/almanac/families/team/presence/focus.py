"""The focus map: the files that a team works on, and the actors and tools at each, from heartbeats and claims."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from almanac.families.team.claims.key_syntax import ClaimKey, file_key
from almanac.families.team.claims.keys import Keys
from almanac.families.team.core.records import ClaimRecord, Sighting


class Pair(Struct, frozen=True):
    """An actor with a tool; `tool` is None if unknown. `last_at` is milliseconds since 1970."""

    tool: str | None
    actor: str
    last_at: int


class Focus(Struct, frozen=True):
    """A file, or the glob of a claim. `who` lists the latest activity first; `claims` are the claims that cover the
    file."""

    path: str
    heartbeats: int
    last_at: int
    who: tuple[Pair, ...]
    claims: tuple[ClaimRecord, ...]


def focus_map(sightings: Iterable[Sighting], claims: Sequence[ClaimRecord], keys: Keys | None = None) -> list[Focus]:
    """Return files with their activity: those with the most (tool, actor) pairs first, then by number of heartbeats,
    then the latest.

    Raises LimitExceeded if there are too many globs to compare with the files.
    """
    keys = keys or Keys()
    seen: defaultdict[str, list[Sighting]] = defaultdict(list)
    by_name: dict[str, ClaimKey] = {}
    for sighting in sightings:
        key = file_key(sighting.path, keys.rules)
        by_name[key.name] = key
        seen[key.name].append(sighting)
    of_files = _Claims(claims, keys)
    for key in of_files.keys:
        by_name.setdefault(key.name, key)
    files = [_focus(key, seen[name], of_files.claims_overlapping(key)) for name, key in by_name.items()]
    return sorted(files, key=lambda focus: (-len(focus.who), -focus.heartbeats, -focus.last_at, focus.path))


class _Claims:
    """Claims of paths. Plain claims are looked up by key and by folder. Only globs must be compared with each file."""

    def __init__(self, claims: Sequence[ClaimRecord], keys: Keys) -> None:
        self._keys = keys
        self._all = [(key, claim) for claim in claims if (key := keys.read(claim.key)).is_path]
        self._plain = {key.id: claim for key, claim in self._all if not key.is_glob}
        self._globs = [(key, claim) for key, claim in self._all if key.is_glob]

    @property
    def keys(self) -> list[ClaimKey]:
        return [key for key, _ in self._all]

    def claims_overlapping(self, key: ClaimKey) -> list[ClaimRecord]:
        """Return the claims that overlap with `key`."""
        overlap = self._keys.overlap
        if key.is_glob:
            return [claim for claimed, claim in self._all if overlap(claimed, key)]
        same = [self._plain[one] for one in (*key.above, key.id) if one in self._plain]
        near = (each for each in self._globs if key.id.startswith(each[0].prefix))
        return same + [claim for claimed, claim in near if overlap(claimed, key)]


def _focus(key: ClaimKey, seen: list[Sighting], covering: list[ClaimRecord]) -> Focus:
    latest: dict[tuple[str | None, str], int] = {}
    acts = [((one.tool or None, one.actor), one.last_at) for one in seen]
    acts += [((_tool(claim), claim.actor), claim.updated_at) for claim in covering]
    for pair, at in acts:
        latest[pair] = max(at, latest.get(pair, 0))
    who = sorted((Pair(tool, actor, at) for (tool, actor), at in latest.items()), key=lambda pair: -pair.last_at)
    heartbeats = sum(one.heartbeats for one in seen)
    return Focus(key.name, heartbeats, who[0].last_at, tuple(who), tuple(covering))


def _tool(claim: ClaimRecord) -> str | None:
    """Return the tool of a holder that follows the convention tool@user#session."""
    tool, at, _ = (claim.holder or "").partition("@")
    return tool if at and tool else None
