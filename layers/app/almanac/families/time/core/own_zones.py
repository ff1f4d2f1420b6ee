"""Zones outside the database, with rules that calendars bring along. The name of such a zone encodes its rules, so that
it can be read anywhere.

    vtimezone:<base>;<instant>=<offset>,...;<rule>;<label>

Clocks are `base` seconds ahead of UTC at first, from each instant (seconds since 1970) on by its offset, and after the
last one as `rule` says, in the form of POSIX's TZ; an empty rule changes nothing any more. `label` is for people.
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
"""Code that looks for clock changes relies on them being no closer than that."""
_LABEL = 64
_FARTHEST = 2**40
_CHANGES = re.compile(r"(-?\d{1,12}=-?\d{1,5}(,-?\d{1,12}=-?\d{1,5})*)?")
_HEADER = ">4sc15xllllll"

Transition = tuple[int, int]
"""An instant in seconds since 1970, and how many seconds clocks are ahead of UTC from then on."""


def own_zone_name(base: int, transitions: Sequence[Transition], rule: str, label: str) -> str:
    """The name of the zone with these rules."""
    changes = ",".join(f"{instant}={offset}" for instant, offset in transitions)
    return f"{PREFIX}{base};{changes};{rule};{_clean_label(label)}"


def zone_label(name: str) -> str:
    """The label of a zone, for people."""
    return name.split(";", 3)[-1] if name.startswith(PREFIX) else name


def own_rules(name: str) -> tuple[int, list[Transition], str]:
    """Base, transitions and rule of a zone's name. Raises ValueError for another name."""
    base, changes, rule, _ = name.removeprefix(PREFIX).split(";", 3)
    if not re.fullmatch(r"-?\d{1,5}", base) or not _CHANGES.fullmatch(changes):
        raise ValueError(name)
    pairs = [each.split("=") for each in changes.split(",") if each]
    return int(base), [(int(instant), int(offset)) for instant, offset in pairs], rule


class OwnZone(ZoneInfo):
    """Such a zone under the key of its label; `name` holds its rules."""

    name: str


@lru_cache(maxsize=256)
def labelled_zone(name: str) -> OwnZone | None:
    """`own_zone` under its label, for people and for texts that carry its rules."""
    data = _data(name)
    if data is None:
        return None
    zone = OwnZone.from_file(BytesIO(data), key=zone_label(name))
    zone.name = name
    return zone


@lru_cache(maxsize=256)
def own_zone(name: str) -> ZoneInfo | None:
    """The zone that a name holds; None for a name that holds none."""
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
    """As RFC 8536 has it: an empty block of 32 bits, then the real one."""
    kinds = list(dict.fromkeys(offsets))
    empty = pack(_HEADER, b"TZif", b"2", 0, 0, 0, 0, 1, 4) + pack(">lbb", 0, 0, 0) + b"UTC\0"
    head = pack(_HEADER, b"TZif", b"2", 0, 0, 0, len(instants), len(kinds), 4)
    body = pack(f">{len(instants)}q", *instants)
    body += bytes(kinds.index(offset) for offset in offsets[1:])
    body += b"".join(pack(">lbb", offset, 0, 0) for offset in kinds) + b"-00\0"
    # Without a rule the last offset goes on: said as a rule, since nothing else covers a zone that never changes.
    footer = rule or posix_fixed(offsets[-1])
    return empty + head + body + f"\n{footer}\n".encode("ascii")


def posix_fixed(offset: int) -> str:
    """An offset as POSIX's TZ names it, which counts west of Greenwich."""
    return f"<Own>{posix_time(-offset)}"


def posix_time(seconds: int) -> str:
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"
