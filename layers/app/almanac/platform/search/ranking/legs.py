"""Scores that each leg gives the rows of a frame by itself, for choosing candidates."""

from almanac.platform.search.frame import Frame, Vector
from almanac.platform.search.port import Profile
from almanac.platform.search.ranking.words import Saturation, bm25, kernel_bm25

_DOCUMENTS = Saturation(k1=1.2, b=0.75)
_CODE = Saturation(k1=2, b=0.9)
"""In code a word that comes again says more than in prose, and the length of what it stands in counts more."""


def saturation_of(profile: Profile) -> Saturation:
    """Of documents and code."""
    return _CODE if profile == "code" else _DOCUMENTS


def word_scores(frame: Frame, profile: Profile) -> Vector:
    """0 where a row has no word of the question, nor has a neighbour of it in talk."""
    if profile == "talk":
        return kernel_bm25(frame)
    saturation = saturation_of(profile)
    title = bm25(frame.title, frame.title_statistics, frame.documents, saturation)
    return title + bm25(frame.text, frame.text_statistics, frame.documents, saturation)
