"""Bytes of files in the store under their SHA-256. Each content is stored once, however many skills have it."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice

from almanac.families.skills.core.records import CONTENTS, SkillContent
from almanac.families.skills.core.skills import SkillProject
from almanac.platform.store.port import Change

_READ_AT_ONCE = 16
CHANGES_AT_ONCE = 25
BYTES_AT_ONCE = 2_000_000


def keep_contents(project: SkillProject, contents: Mapping[str, bytes]) -> None:
    """Store every content under its SHA-256, unless it is there and undamaged."""
    rows = project.rows(CONTENTS)
    lacking = (SkillContent(sha256=one, data=contents[one]) for one in _missing_contents(project, contents))
    write_in_steps(project, ((rows.put(each), len(each.data)) for each in lacking))


def write_in_steps(project: SkillProject, changes: Iterable[tuple[Change, int]]) -> None:
    """Write independent changes, each with its size in bytes, in as few writes as the limits allow."""
    some: list[Change] = []
    size = 0
    for change, weight in changes:
        if some and (len(some) == CHANGES_AT_ONCE or size + weight > BYTES_AT_ONCE):
            _write(project, some)
            some, size = [], 0
        some.append(change)
        size += weight
    if some:
        _write(project, some)


def _missing_contents(project: SkillProject, contents: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the digests of contents that are missing or damaged."""
    names = iter(contents)
    while some := list(islice(names, _READ_AT_ONCE)):
        there = project.rows(CONTENTS).by_id(some)
        yield from (one for one in some if one not in there or sha256(there[one].data).hexdigest() != one)


def _write(project: SkillProject, changes: list[Change]) -> None:
    # Another caller may write the same bytes at the same moment.
    project.retry_on_conflict(lambda: project.store.write(changes))
