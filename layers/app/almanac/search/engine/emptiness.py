"""Explanations for models why a search found nothing, and what to do about it."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from almanac.search.port import Filters
from almanac.search.questions.port import Emptiness, SearchRequest

FILTERS = (
    "kinds",
    "sessions",
    "roles",
    "speakers",
    "tags",
    "any_tags",
    "since",
    "until",
    "fields",
    "among",
    "except_ids",
    "except_fields",
)


class NoResults(Struct, frozen=True):
    """A search without hits.

    `best` is the similarity of the best hit below the threshold. `unreached` is the number of documents that could not
    be searched. `stored` counts all documents, and `finds` returns whether there are hits under other filters.
    """

    best: float | None
    unreached: int
    stored: Callable[[], int]
    finds: Callable[[Filters], bool]


def explain_emptiness(nothing: NoResults, request: SearchRequest) -> Emptiness:
    if nothing.best is not None:
        return _below_threshold(nothing.best, request)
    if nothing.unreached:
        more = f"{nothing.unreached} documents that were just written could not be searched yet."
        return Emptiness(reason="behind", text=f"{more} Repeat the call in a few seconds.")
    if not nothing.stored():
        return Emptiness(reason="nothing_stored", text="Nothing is stored in this project yet. Write something first.")
    if request.filters != Filters() and nothing.finds(Filters()):
        return _hidden_by_filters(nothing, request.filters)
    text = "Nothing stored here is alike. Ask in other words, or in fewer; for an identifier, give it as it is written."
    return Emptiness(reason="nothing_alike", text=text)


def _below_threshold(best: float, request: SearchRequest) -> Emptiness:
    least = f"The most alike has a similarity of {best:.2f}, below the threshold of {request.threshold}."
    return Emptiness(
        reason="threshold", text=f"{least} Repeat the call with a threshold up to {_round_down(best)}.", best=best
    )


def _hidden_by_filters(nothing: NoResults, filters: Filters) -> Emptiness:
    blamed = tuple(one for one in active_filters(filters) if nothing.finds(without(filters, one)))
    names = " or ".join(blamed) or "filters"
    together = "" if blamed else " together"
    text = f"The filters{together} leave nothing; other documents match. Repeat the call without {names}."
    return Emptiness(reason="filters", text=text, filters=blamed)


def active_filters(filters: Filters) -> Iterator[str]:
    """Yield the names of the filters that are set. For `fields` and `among`, these are the names of the fields."""
    for name in FILTERS:
        value: Any = getattr(filters, name)
        if name in ("fields", "among"):
            yield from value
        elif value not in ((), None, frozenset(), {}):
            yield name


def without(filters: Filters, name: str) -> Filters:
    """Return the filters without the one of this name."""
    if name in filters.fields or name in filters.among:
        fields = {each: value for each, value in filters.fields.items() if each != name}
        among = {each: values for each, values in filters.among.items() if each != name}
        return replace(filters, fields=fields, among=among)
    return replace(filters, **{name: getattr(Filters(), name)})


def _round_down(similarity: float) -> float:
    """Round a similarity down to two digits, so that it never exceeds the true one."""
    return int(similarity * 100) / 100
