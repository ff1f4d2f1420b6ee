"""Zones outside the database, with rules that calendars bring along. The name of such a zone encodes its rules, so that
any reader can rebuild it.

    vtimezone:<base>;<instant>=<offset>,...;<rule>;<label>

Clocks start `base` seconds ahead of UTC. From each instant (seconds since 1970) on they have its offset. After the last
instant they follow `rule`, written like POSIX's TZ; an empty rule means that nothing changes any more. `label` is for
people.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from struct import pack
from zoneinfo import ZoneInfo

PREFIX = "vtimezone:"
LONGEST_OWN_NAME = 2_000
FARTHEST_OFFSET = 16 * 3600
CLOSEST_CHANGES = 7 * 86_400
"""Shortest time between two clock changes, in seconds. Code that searches for changes relies on it."""
_LABEL = 64
_FARTHEST = 2**40
_CHANGES = re.compile(r"(-?\d{1,12}=-?\d{1,5}(,-?\d{1,12}=-?\d{1,5})*)?")
_HEADER = ">4sc15xllllll"

Transition = tuple[int, int]
"""An instant in seconds since 1970, and the offset in seconds ahead of UTC from then on."""


def own_zone_name(base: int, transitions: Sequence[Transition], rule: str, label: str) -> str:
    """Return the name of the zone with these rules."""
    changes = ",".join(f"{instant}={offset}" for instant, offset in transitions)
    return f"{PREFIX}{base};{changes};{rule};{_clean_label(label)}"


def zone_label(name: str) -> str:
    """Return the label of a zone, for people."""
    return name.split(";", 3)[-1] if name.startswith(PREFIX) else name


def own_rules(name: str) -> tuple[int, list[Transition], str]:
    """Return base, transitions and rule from a zone's name. Raises ValueError for any other name."""
    base, changes, rule, _ = name.removeprefix(PREFIX).split(";", 3)
    if not re.fullmatch(r"-?\d{1,5}", base) or not _CHANGES.fullmatch(changes):
        raise ValueError(name)
    pairs = [each.split("=") for each in changes.split(",") if each]
    return int(base), [(int(instant), int(offset)) for instant, offset in pairs], rule


class OwnZone(ZoneInfo):
    """Zone outside the database, with its label as the key. `name` holds its rules."""

    name: str


@lru_cache(maxsize=256)
def labelled_zone(name: str) -> OwnZone | None:
    """Return the zone as `own_zone` does, but under its label, for people and for texts that carry its rules."""
    data = _data(name)
    if data is None:
        return None
    zone = OwnZone.from_file(BytesIO(data), key=zone_label(name))
    zone.name = name
    return zone


@lru_cache(maxsize=256)
def own_zone(name: str) -> ZoneInfo | None:
    """Return the zone whose rules a name holds; None if it holds none."""
    data = _data(name)
    return ZoneInfo.from_file(BytesIO(data), key=name) if data is not None else None


def _data(name: str) -> bytes | None:
    if not name.startswith(PREFIX) or len(name) > LONGEST_OWN_NAME:
        return None
    try:
        base, transitions, rule = own_rules(name)
    except ValueError:
        return None
    offsets = [base, *(offset for _, offset in transitions)]
    instants = [instant for instant, _ in transitions]
    apart = all(other - one >= CLOSEST_CHANGES for one, other in pairwise(instants))
    if not apart or max(map(abs, offsets)) > FARTHEST_OFFSET or any(abs(each) > _FARTHEST for each in instants):
        return None
    try:
        data = _tzif(instants, offsets, rule)
        ZoneInfo.from_file(BytesIO(data))
    except (ValueError, UnicodeEncodeError):
        return None
    return data


def _clean_label(label: str) -> str:
    cleaned = " ".join("".join(sign if sign.isprintable() and sign != '"' else " " for sign in label).split())
    return cleaned[:_LABEL].strip() or "Zone of its own"


def _tzif(instants: Sequence[int], offsets: Sequence[int], rule: str) -> bytes:
    """Encode the zone as RFC 8536 describes: an empty 32-bit block, then the real one."""
    kinds = list(dict.fromkeys(offsets))
    empty = pack(_HEADER, b"TZif", b"2", 0, 0, 0, 0, 1, 4) + pack(">lbb", 0, 0, 0) + b"UTC\0"
    head = pack(_HEADER, b"TZif", b"2", 0, 0, 0, len(instants), len(kinds), 4)
    body = pack(f">{len(instants)}q", *instants)
    body += bytes(kinds.index(offset) for offset in offsets[1:])
    body += b"".join(pack(">lbb", offset, 0, 0) for offset in kinds) + b"-00\0"
    # Without a rule the last offset stays. The footer says so, because nothing else covers a zone that never changes.
    footer = rule or posix_fixed(offsets[-1])
    return empty + head + body + f"\n{footer}\n".encode("ascii")


def posix_fixed(offset: int) -> str:
    """Return an offset in POSIX's TZ notation, which counts west of Greenwich."""
    return f"<Own>{posix_time(-offset)}"


def posix_time(seconds: int) -> str:
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
