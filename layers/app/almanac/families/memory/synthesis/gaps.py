"""Gaps of memory on a question, in plain sentences."""

from collections.abc import Iterable, Iterator

from almanac.families.memory.synthesis.passages import NAME_CHARACTERS, Passage, quotable
from almanac.platform.search.analysis.words import terms_in
from almanac.platform.search.coverage import Coverage

NOT_COVERED = "Nothing in memory answers this."


def gaps_of(coverage: Coverage | None, passages: Iterable[Passage] = (), *, empty: str = "") -> Iterator[str]:
    """`passages` are what was found, `empty` says why there is nothing at all."""
    if empty or coverage is None:
        yield from [empty] if empty else ()
        return
    if coverage.verdict == "not_covered":
        yield "Memory does not cover this: what comes nearest is about something else. search_memory shows it."
    elif coverage.verdict == "thin":
        yield "Memory covers this thinly: what was found is near, and may not be the answer."
    found = frozenset(term for passage in passages for term in terms_in(passage.text)) if coverage.missing else ()
    missing = [f'"{quotable(word)}"' for word in coverage.missing if terms_in(word).isdisjoint(found)]
    if missing:
        yield f"Nothing of what was found mentions {', '.join(missing)}."
    if coverage.said_by and coverage.verdict != "not_covered":
        said_by, not_by = (quotable(name)[:NAME_CHARACTERS] for name in (coverage.said_by, coverage.not_by))
        yield f'What was found is said by "{said_by}", not by "{not_by}".'
