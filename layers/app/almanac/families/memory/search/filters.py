"""Filters of a memory search, as callers write them, and their translation for the search engine."""

from collections.abc import Mapping
from typing import Any, cast, get_args

from msgspec import Struct

from almanac.families.memory.core.documents import FIELD_CHARACTERS, PROFILES, metadata_field, metadata_text
from almanac.families.memory.core.records import Role
from almanac.kernel.errors import InvalidInput
from almanac.platform.declaration.known_facts import When
from almanac.search.port import Filters

_ROLES: tuple[str, ...] = get_args(Role)
_METADATA = "metadata."
_WHAT_WORKS = (
    "Filters are equalities: name a key of the metadata and its text, number or boolean, such as "
    '{"team": "platform"}. kind, tags, role and speaker are those of the memory itself; "metadata.kind" is the key of '
    "that name."
)


class HitFilters(Struct, frozen=True, kw_only=True):
    """Restrictions that a caller sets on hits. Instants are in milliseconds since 1970, and `until` is exclusive."""

    session: str | None = None
    actor: str | None = None
    tool: str | None = None
    role: Role | None = None
    since: int | None = None
    until: int | None = None
    as_of: int | None = None
    filters: Mapping[str, Any] = {}

    @property
    def is_of_turns(self) -> bool:
        """Return whether the filters restrict a field that only turns have: role or speaker."""
        parsed = read_filters(self.filters)
        return bool(self.role or parsed.roles or parsed.speakers)


def holding_span(narrowing: HitFilters, now: int) -> When:
    """Return the span in which facts must hold: from `since` to `until` if either is set, else at `as_of`, else now."""
    at = now if narrowing.as_of is None else narrowing.as_of
    if narrowing.since is None and narrowing.until is None:
        return When(at, at + 1, narrowing.as_of)
    return When(narrowing.since, at + 1 if narrowing.until is None else narrowing.until, narrowing.as_of)


def filters_of(narrowing: HitFilters) -> Filters:
    """Return the filters for the search engine. Raises InvalidInput if they are contradictory or not supported."""
    parsed = read_filters(narrowing.filters)
    if narrowing.role is not None and parsed.roles not in ((), (narrowing.role,)):
        raise InvalidInput("role and filters.role differ.", "Give one of them.", path="filters.role")
    if narrowing.since is not None and narrowing.until is not None and narrowing.since >= narrowing.until:
        raise InvalidInput("since is not before until.", "Exchange them, or leave one out.", path="since")
    named_fields = {"in_session": narrowing.session, "actor": narrowing.actor, "tool": narrowing.tool}
    return Filters(
        kinds=parsed.kinds,
        roles=(narrowing.role,) if narrowing.role is not None else parsed.roles,
        speakers=parsed.speakers,
        tags=parsed.tags,
        since=narrowing.since,
        until=narrowing.until,
        fields={**parsed.fields, **{name: value for name, value in named_fields.items() if value}},
    )


def read_filters(filters: Mapping[str, Any]) -> Filters:
    """Translate the free-form `filters` argument alone. Raises InvalidInput for filters other than equalities."""
    kinds: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    fields: dict[str, str] = {}
    for name, value in filters.items():
        if name == "tags":
            tags = _texts(name, value)
        elif name == "speaker":
            speakers = _texts(name, value)
        elif name == "kind" and _all_in(value, PROFILES):
            kinds = _texts(name, value)
        elif name == "role" and _all_in(value, _ROLES):
            roles = _texts(name, value)
        else:
            fields[metadata_field(name.removeprefix(_METADATA))] = _field(name, value)
    return Filters(kinds=kinds, roles=roles, speakers=speakers, tags=tags, fields=fields)


def argument_of(name: str) -> str:
    """Return the tool argument that sets a filter of the search engine."""
    own = metadata_field("")
    if name.startswith(own):
        return f"filters.{name.removeprefix(own)}"
    return {
        "in_session": "session_id",
        "roles": "role",
        "speakers": "filters.speaker",
        "tags": "filters.tags",
        "kinds": "filters.kind",
    }.get(name, name)


def _all_in(value: Any, allowed: Any) -> bool:
    """Return whether all values belong to the closed set of a reserved name.

    With other values, the name means the metadata key of the same name."""
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    return bool(values) and all(isinstance(each, str) and each in allowed for each in values)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    texts = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not texts or not all(isinstance(each, str) and each.strip() for each in texts):
        raise InvalidInput(f"filters.{name} must be a text or a list of texts.", _WHAT_WORKS, path=f"filters.{name}")
    return tuple(texts)


def _field(name: str, value: Any) -> str:
    path = f"filters.{name}"[:80]
    if name.startswith("$") or isinstance(value, dict | list) or value is None:
        raise InvalidInput(f"{path}: operators, lists and objects are not supported.", _WHAT_WORKS, path=path)
    text = metadata_text(value)
    if text is None:
        raise InvalidInput(
            f"{path}: a filter value has at most {FIELD_CHARACTERS} characters.",
            "Filter by a shorter value, or put its words into the query.",
            path=path,
        )
    return text
