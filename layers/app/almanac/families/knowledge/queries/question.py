"""Translation of the arguments of query_facts into a query."""

from msgspec import Struct

from almanac.content import clean
from almanac.families.knowledge.core.knowledge import SubjectAliases
from almanac.families.knowledge.core.names import name_key, tidy_name
from almanac.families.knowledge.queries.fact_query import FactQuery
from almanac.kernel.errors import InvalidInput

MAX_FOLLOWED = 50
"""Names of a subject that a query includes, its own among them."""


class Question(Struct, frozen=True, kw_only=True):
    """The arguments of query_facts, with instants in milliseconds since 1970."""

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    text: str | None = None
    point_in_time: int | None = None
    known_at: int | None = None
    active_only: bool = True
    history: bool = False
    same_as: bool = False
    cursor: str | None = None


def subject_names(question: Question, aliases: SubjectAliases) -> tuple[str, ...]:
    """Return the names of the subject to search for, its own first. Raises InvalidInput for arguments that exclude each
    other."""
    _check(question)
    if question.subject is None:
        return ()
    own = stored_name(question.subject)
    others = aliases.of(own) if question.same_as else ()
    return tuple(dict.fromkeys([own, *map(tidy_name, others)]))[:MAX_FOLLOWED]


def query_of(question: Question, names: tuple[str, ...]) -> FactQuery:
    return FactQuery(
        subjects=tuple(map(name_key, names)),
        predicate=_key(question.predicate),
        object=_key(question.object),
        point_in_time=question.point_in_time,
        known_at=question.known_at,
        active_only=question.active_only,
    )


def stored_name(text: str) -> str:
    """Return a name as it is stored in facts."""
    return tidy_name(clean(text).text)


def _key(text: str | None) -> str | None:
    return None if text is None else name_key(stored_name(text))


def _check(question: Question) -> None:
    for name in ("subject", "predicate", "object", "text"):
        value = getattr(question, name)
        if value is not None and not stored_name(value):
            raise InvalidInput(f"{name} is blank.", "Leave it out, or give it a value.", path=name)
    if question.subject is None and (question.history or question.same_as):
        name = "history" if question.history else "same_as"
        raise InvalidInput(f"{name} is about a subject.", "Name the subject too.", path=name)
    if question.history and (question.point_in_time is not None or question.text is not None):
        name = "text" if question.text is not None else "point_in_time"
        raise InvalidInput(f"history does not go with {name}.", "Leave one of them out.", path=name)
    if question.text is not None and question.cursor is not None:
        raise InvalidInput("A search by text has one page.", "Leave cursor out, and narrow the search.", path="cursor")
