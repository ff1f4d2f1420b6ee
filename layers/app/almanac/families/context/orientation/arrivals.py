"""Memories added since a key's last visit."""

from collections.abc import Iterator
from heapq import merge
from itertools import islice

from msgspec import Struct

from almanac.content import clean
from almanac.families.context.core.context import Context, LayerMemory, layer_of
from almanac.families.context.core.types import KEPT_KINDS, Layer, type_of
from almanac.families.context.core.views import instant_text
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, MemoryKind, is_remembered
from almanac.families.team.core.quoted_texts import TextQuoter

SHOWN = 10
COUNTED = 200
_CHARACTERS = 300
_PAGE = 50


class RecentMemory(Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    """`created_at` is ISO 8601 text in UTC. `cut`: context_get has all of it. `project_path` is what it is about.
    `notes` tell what in it looks like instructions."""

    id: str
    type: str
    content: str
    created_at: str
    tags: tuple[str, ...]
    layer: Layer
    actor: str
    project_path: str | None = None
    cut: bool = False
    notes: tuple[str, ...] = ()


class Arrivals(Struct, frozen=True):
    """New memories, the newest first, at most 10 of `count`. `more`: there are others that were not counted."""

    memories: tuple[RecentMemory, ...] = ()
    count: int = 0
    more: bool = False


def arrivals(context: Context, since: int) -> Arrivals:
    """Return the memories of layers 2 and 3 stored at `since`, in milliseconds since 1970, or later. Up to 200 are
    counted."""
    lists = (_newest(project, kind, since) for project in context.projects for kind in KEPT_KINDS)
    found = list(islice(merge(*lists, key=lambda held: held.memory.at, reverse=True), COUNTED + 1))
    count = min(len(found), COUNTED)
    return Arrivals(tuple(map(_row, found[:SHOWN])), count, len(found) > COUNTED)


def _newest(project: MemoryProject, kind: MemoryKind, since: int) -> Iterator[LayerMemory]:
    now = project.now()
    for memory in project.rows(MEMORIES).every(kind, since=since, index="gsi1", reverse=True, page=_PAGE):
        if is_remembered(memory, now):
            yield LayerMemory(memory, layer_of(project, memory), project)


def _row(held: LayerMemory) -> RecentMemory:
    memory, quoting = held.memory, TextQuoter()
    content = quoting.text("content", memory.content)
    return RecentMemory(
        id=memory.id,
        type=type_of(memory),
        content=content[:_CHARACTERS],
        created_at=instant_text(memory.at),
        tags=tuple(quoting.json("tags", list(memory.tags))),
        layer=held.layer,
        actor=clean(memory.actor).text,
        project_path=quoting.optional_text("projectPath", memory.place),
        cut=len(content) > _CHARACTERS,
        notes=quoting.notes,
    )
