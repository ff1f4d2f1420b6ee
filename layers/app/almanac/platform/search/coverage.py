"""How far what is stored answers a question."""

from typing import Literal

from msgspec import Struct

Verdict = Literal["covered", "thin", "not_covered"]


class Coverage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether the question is answered by what is stored, whatever comes first.

    `nearest`, 0 to 1, is how near the nearest of the first five hits comes to it. "thin": something is near that may
    not be the answer. `missing` are rare words of the question, up to eight, that none of them has, nor another word
    for them. `said_by`: the first hit is that person's, though the question names `not_by`; "" where it is not so.
    """

    verdict: Verdict
    nearest: float
    missing: tuple[str, ...] = ()
    said_by: str = ""
    not_by: str = ""


def better_of(one: Coverage | None, other: Coverage | None) -> Coverage | None:
    """The better one of what two lists cover, such as turns and summaries; missing is what neither has."""
    if one is None or other is None:
        return one or other
    better, worse = (other, one) if _ORDER[other.verdict] < _ORDER[one.verdict] else (one, other)
    missing = tuple(word for word in better.missing if word in worse.missing)
    return Coverage(
        verdict=better.verdict,
        nearest=better.nearest,
        missing=missing,
        said_by=better.said_by,
        not_by=better.not_by,
    )


_ORDER: dict[Verdict, int] = {"covered": 0, "thin": 1, "not_covered": 2}
