"""Coverage of a question, the degree to which stored documents answer it."""

from typing import Literal

from msgspec import Struct

Verdict = Literal["covered", "thin", "not_covered"]


class Coverage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Verdict on whether stored documents answer the question.

    `nearest`, 0 to 1, is how close the nearest of the first five hits comes to it. "thin" means that something is close
    but may not be the answer. `missing` has up to eight rare words of the question that none of these hits has, nor a
    synonym. `said_by` is the speaker of the first hit if the question names another person, `not_by`; otherwise both
    are "".
    """

    verdict: Verdict
    nearest: float
    missing: tuple[str, ...] = ()
    said_by: str = ""
    not_by: str = ""


def better_of(one: Coverage | None, other: Coverage | None) -> Coverage | None:
    """Return the better coverage of two lists, such as turns and summaries. Its missing words are those of both."""
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
