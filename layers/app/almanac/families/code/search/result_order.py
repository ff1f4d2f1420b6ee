"""The order of results: exact definitions of the name, then parts that set or mention it, then the rest."""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum

from msgspec import Struct

from almanac.families.code.core.codec import VALUES
from almanac.families.code.core.contents import FoundPart
from almanac.families.code.core.names import fold_parts, is_name_of, parts_of_name
from almanac.search.questions.port import Hit

BOOST = 0.04
"""Weight of activity as a share of the best score. It reorders only near equals."""


class Rank(IntEnum):
    """Ranks of results; lower ones come first."""

    DEFINES = 0
    SETS = 1
    DEFINES_FOLDED = 2
    SETS_FOLDED = 3
    MENTIONS = 4
    MENTIONS_FOLDED = 5
    ALIKE = 6


_WHY = {
    Rank.DEFINES: "defines this name",
    Rank.SETS: "sets this name",
    Rank.DEFINES_FOLDED: "defines this name in other case",
    Rank.SETS_FOLDED: "sets this name in other case",
    Rank.MENTIONS: "mentions this name",
    Rank.MENTIONS_FOLDED: "mentions this name in other case",
}


class CodeMatch(Struct, frozen=True):
    """A match. `score` orders the matches of one answer. `why` names reasons other than words and meaning."""

    hit: Hit
    found: FoundPart
    score: float
    why: tuple[str, ...] = ()


def in_order(
    matches: Sequence[tuple[Hit, FoundPart]], name: str | None, active: Mapping[str, tuple[str, ...]]
) -> list[CodeMatch]:
    """Order matches. `active` describes current activity by path. Scores never rise from one match to the next."""
    rank_of = make_ranker(name)
    best = max((hit.score for hit, _ in matches), default=0.0)
    ranked: list[tuple[Rank, float, CodeMatch]] = []
    for hit, found in matches:
        goes_on = active.get(found.file.path, ())
        score = hit.score + (BOOST * best if goes_on else 0.0)
        rank = rank_of(found)
        why = (_WHY[rank], *goes_on) if rank in _WHY else goes_on
        ranked.append((rank, score, CodeMatch(hit, found, score, why)))
    ranked.sort(key=lambda each: (each[0], -each[1]))
    ordered: list[CodeMatch] = []
    for _, score, match in ranked:
        least = min(score, ordered[-1].score) if ordered else score
        ordered.append(CodeMatch(match.hit, match.found, least, match.why))
    return ordered


def make_ranker(name: str | None) -> Callable[[FoundPart], Rank]:
    """Return a function that ranks a part by how it matches the name. Without a name all parts rank alike."""
    if name is None:
        return lambda _: Rank.ALIKE
    name_parts = parts_of_name(name)
    folded_parts = fold_parts(name_parts)
    whole = re.compile(rf"(?<![\w$]){re.escape(name_parts[-1])}(?![\w$])")
    whole_folded = re.compile(whole.pattern, re.IGNORECASE)

    def rank_of(found: FoundPart) -> Rank:
        symbol = parts_of_name(found.part.symbol)
        path = found.file.path
        defines = found.part.kind != VALUES
        if defines and is_name_of(name_parts, symbol, path):
            return Rank.DEFINES
        set_here = [(*symbol, *parts_of_name(each)) for each in found.part.sets]
        if any(is_name_of(name_parts, each, path) for each in set_here):
            return Rank.SETS
        if defines and is_name_of(folded_parts, fold_parts(symbol), path.casefold()):
            return Rank.DEFINES_FOLDED
        if any(is_name_of(folded_parts, fold_parts(each), path.casefold()) for each in set_here):
            return Rank.SETS_FOLDED
        texts = (found.part.symbol, found.part.text)
        if any(map(whole.search, texts)):
            return Rank.MENTIONS
        return Rank.MENTIONS_FOLDED if any(map(whole_folded.search, texts)) else Rank.ALIKE

    return rank_of
