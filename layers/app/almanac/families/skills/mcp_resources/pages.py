"""Pages of skills/list, bounded by number, by size, and by the text read for one page."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from almanac.families.skills.core.records import SKILLS, VERSIONS, Skill, SkillVersion
from almanac.families.skills.core.skills import SkillProject
from almanac.kernel.errors import Unavailable
from almanac.platform.store.port import Span
from almanac.platform.store.queries import every_item
from almanac.platform.store.records import readable
from almanac.protocol.skills import META, SkillEntry, SkillPage

MAX_SKILLS = 50
MAX_PAGE_BYTES = 1024 * 1024
"""Limit for the entries of a page. The page ends after the entry that exceeds it; one entry has at most 0.9 MB."""
MAX_TEXTS = 4 * 1024 * 1024
"""Characters of SKILL.md that are read for a page."""
MAX_READ = 500
"""Skills that are read for a page, removed ones included."""

DAMAGED = "damaged"
UNAVAILABLE = "unavailable"
NOT_SERVED = "notServed"
"""Keys in the notes of a page for the reasons why a skill has no entry."""

_QUERY = ("served_skills",)
_AT_ONCE = 10

Entry = Callable[[SkillVersion], SkillEntry | None]


class _SkillOutcome(Struct, frozen=True):
    """The outcome for a skill: an entry, or the reason why it has none. A removed skill has neither. `text` is the
    number of characters of its SKILL.md."""

    place: str
    name: str
    entry: SkillEntry | None = None
    why: str = ""
    text: int = 0


def page_of(project: SkillProject, cursor: str | None, entry: Entry) -> SkillPage:
    """Return a page of skills by name. Raises InvalidInput for a cursor of another list or project."""
    cursors = project.cursors
    after = cursors.start_of(_QUERY, cursor, first="")
    entries: list[SkillEntry] = []
    notes: dict[str, list[str]] = {}
    size = texts = 0
    for at, read in enumerate(_every(project, after, entry)):
        if len(entries) == MAX_SKILLS or size > MAX_PAGE_BYTES or texts > MAX_TEXTS or at == MAX_READ:
            return SkillPage(entries, cursors.seal(_QUERY, after), _meta(notes))
        after = read.place
        texts += read.text
        if read.entry is not None:
            entries.append(read.entry)
            size += len(msgspec.json.encode(read.entry))
        elif read.why:
            notes.setdefault(read.why, []).append(read.name)
    return SkillPage(entries, None, _meta(notes))


def _meta(notes: dict[str, list[str]]) -> dict[str, Any]:
    return {META + why: names for why, names in notes.items()}


def _every(project: SkillProject, after: str, entry: Entry) -> Iterator[_SkillOutcome]:
    """Yield every skill after the key `after`, removed ones included, in small batches."""
    partition = SKILLS.partition(project.scope, SKILLS.own, ())
    rows = every_item(project.store, partition, page=_AT_ONCE, span=Span(after or None))
    items = (item for item in rows if item.key.sort != after)
    while some := list(islice(items, _AT_ONCE)):
        skills = {item.key.sort: readable(item, SKILLS.read) for item in some}
        there = [skill for skill in skills.values() if skill is not None and skill.removed_at is None]
        versions = dict(zip((skill.name for skill in there), _versions(project, there), strict=True))
        for item in some:
            place, skill = item.key.sort, skills[item.key.sort]
            if skill is None:
                yield _SkillOutcome(place, str(item.attributes.get("name", place)), why=DAMAGED)
            elif skill.name not in versions:
                yield _SkillOutcome(place, skill.name)
            else:
                yield _read(place, skill, versions[skill.name], entry)


def _versions(project: SkillProject, skills: Sequence[Skill]) -> Sequence[SkillVersion | str]:
    """Return the version of each skill, or the reason why it cannot be read."""
    rows = project.rows(VERSIONS)
    keys = [(skill.name, skill.number) for skill in skills]
    try:
        return [version or DAMAGED for version in rows.get_many(keys)]
    except (ValueError, Unavailable):
        return [_version(project, key) for key in keys]


def _version(project: SkillProject, key: tuple[str, int]) -> SkillVersion | str:
    try:
        return project.rows(VERSIONS).get(*key) or DAMAGED
    except ValueError:
        return DAMAGED
    except Unavailable:
        # A large SKILL.md lies outside the store, and may be the only part that is unavailable.
        return UNAVAILABLE


def _read(place: str, skill: Skill, version: SkillVersion | str, entry: Entry) -> _SkillOutcome:
    if isinstance(version, str):
        return _SkillOutcome(place, skill.name, why=version)
    if version.name != skill.name or not version.is_whole:
        return _SkillOutcome(place, skill.name, why=DAMAGED)
    try:
        served = entry(version)
    except ValueError:
        return _SkillOutcome(place, skill.name, why=DAMAGED)
    return _SkillOutcome(place, skill.name, served, "" if served is not None else NOT_SERVED, len(version.skill_md))
