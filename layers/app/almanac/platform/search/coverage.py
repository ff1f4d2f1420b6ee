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
