"""The parsed arguments of a recall, and the search request made from them."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from almanac.content import clean
from almanac.families.context.core.context import CLOSED_OFF, Context
from almanac.families.context.core.places import MAX_CHARACTERS, place_of
from almanac.families.context.core.types import KEPT_KINDS, PROJECT, SHARED, WORKING, Layer, ReadType
from almanac.families.memory.core.documents import TYPE_FIELD, place_tags
from almanac.families.memory.memories.new_memory import MAX_TAGS, Tag
from almanac.kernel.errors import InvalidInput
from almanac.search.port import LEGS, Filters, Leg

Mode = Literal["hybrid", "semantic", "keyword"]
LEGS_OF: Mapping[Mode, tuple[Leg, ...]] = {"hybrid": LEGS, "semantic": ("meaning",), "keyword": ("words",)}
SEARCHED_CHARACTERS = 4000
"""Characters of a query that are searched for. The rest is ignored, which bounds the time."""
_EVERY_LAYER: tuple[Layer, ...] = (WORKING, PROJECT, SHARED)


class RecallFilter(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """All must match."""

    types: Annotated[list[ReadType], Meta(description="Any of these types.", max_length=13)] = []
    layers: Annotated[list[Layer], Meta(description="1 working, 2 project, 3 all projects.", max_length=3)] = []
    tags: Annotated[list[Tag], Meta(description="With any of these tags.", max_length=MAX_TAGS)] = []
    project_path: (
        Annotated[str, Meta(description="About this folder, or one below it.", max_length=MAX_CHARACTERS)] | None
    ) = None


class RecallQuery(Struct, frozen=True, kw_only=True):
    """The arguments of a recall. `text` is not blank. `layers` are those that the caller may read; `names_layers`: the
    caller named some. With a `session`, working memories of other sessions are left out. `place` is in normal form."""

    text: str
    mode: Mode
    limit: int
    threshold: float
    session: str | None
    layers: tuple[Layer, ...]
    names_layers: bool
    types: frozenset[str]
    tags: tuple[str, ...]
    place: str | None
    notes: tuple[str, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of memories to search in the project's own layers; none if only layer 3 is searched."""
        working = ("working",) if WORKING in self.layers else ()
        return (*working, *(KEPT_KINDS if PROJECT in self.layers else ()))

    def filters(self, kinds: tuple[str, ...]) -> Filters:
        """Return the search filters. Memories of other tools have no type and count as observations."""
        types = self.types | {""} if "observation" in self.types else self.types
        return Filters(
            kinds=kinds,
            any_tags=self.tags,
            tags=place_tags(self.place)[-1:],
            among={TYPE_FIELD: types} if types else {},
        )


def read_recall_query(
    context: Context,
    query: str,
    *,
    mode: Mode,
    limit: int,
    threshold: float,
    session: str | None,
    narrowed: RecallFilter,
) -> RecallQuery:
    """Parse the arguments. Raises InvalidInput for a blank query or a path that leads out of itself, and Forbidden if
    only layer 3 is requested and the project does not take part in it."""
    text = clean(query).text.strip()
    if not text:
        raise InvalidInput("query is blank.", "Write the words or the question to search for.", path="query")
    notes: list[str] = []
    if len(text) > SEARCHED_CHARACTERS:
        notes.append(f"Only the first {SEARCHED_CHARACTERS:,} characters of query were searched for.")
    layers = tuple(dict.fromkeys(narrowed.layers)) or _EVERY_LAYER
    if SHARED in layers and context.memory.shared is None:
        if layers == (SHARED,):
            context.project_of(SHARED)
        if narrowed.layers:
            notes.append(f"{CLOSED_OFF} Layer 3 was not searched.")
        layers = tuple[Layer, ...](layer for layer in layers if layer != SHARED)
    tags = (clean(tag).text.strip() for tag in narrowed.tags)
    return RecallQuery(
        text=text[:SEARCHED_CHARACTERS],
        mode=mode,
        limit=limit,
        threshold=threshold,
        session=session,
        layers=layers,
        names_layers=bool(narrowed.layers),
        types=frozenset(narrowed.types),
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        place=place_of(narrowed.project_path, "filter.projectPath"),
        notes=tuple(notes),
    )
