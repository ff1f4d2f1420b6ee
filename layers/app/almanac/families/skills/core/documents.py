"""Search documents of skills. Each skill has one, made of its name, description, tags and body."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from almanac.families.skills.core.records import SKILLS, VERSIONS, Skill, SkillVersion
from almanac.families.skills.format.fences import split_leniently, with_plain_newlines
from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.port import Document
from almanac.search.source import Source

KIND = "skill"
MAX_SEARCHED = 20_000
"""Characters of a body that are indexed, since its first part tells the purpose of the skill."""
_AT_ONCE = 20
_PREFIX = "skill."


def skill_document(skill: Skill, version: SkillVersion) -> Document:
    """Return the search document of a skill. Name and description become the title, and the body becomes the text."""
    parted = split_leniently(with_plain_newlines(version.skill_md))
    body = parted.body if parted is not None else version.skill_md
    return replace(
        document_without_texts(skill),
        title=f"{skill.name.replace('-', ' ')}: {skill.description}",
        text=body[:MAX_SEARCHED],
        at=skill.installed_at,
        tags=skill.tags,
        fields={"actor": skill.installed_by},
        known_as=skill.name,
    )


def document_without_texts(skill: Skill) -> Document:
    """Return the document without its texts, which is enough to remove it from the index."""
    return Document(id=_PREFIX + skill.name, kind=KIND, profile="documents", version=skill.changed_at)


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    store = services.get(Store)
    skills = SKILLS.within(store, scope).by_id(each.removeprefix(_PREFIX) for each in ids)
    return list(_documents(store, scope, list(skills.values())))


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    store = services.get(Store)
    skills = SKILLS.within(store, scope).every(since=after.removeprefix(_PREFIX) or None, page=_AT_ONCE)
    while some := list(islice(skills, _AT_ONCE)):
        yield from (document for document in _documents(store, scope, some) if document.id > after)


def _documents(store: Store, scope: Scope, skills: Sequence[Skill]) -> Iterator[Document]:
    there = [skill for skill in skills if skill.removed_at is None]
    versions = VERSIONS.within(store, scope).get_many([(skill.name, skill.number) for skill in there])
    for skill, version in zip(there, versions, strict=True):
        if version is not None:
            yield skill_document(skill, version)


SOURCES = (Source(kind=KIND, profile="documents", read=_read, every=_every),)
