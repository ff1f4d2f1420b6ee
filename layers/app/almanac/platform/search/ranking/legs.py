"""Scores that each leg gives the rows of a frame by itself, for choosing candidates."""

from almanac.platform.search.frame import Frame, Vector
from almanac.platform.search.port import Profile
from almanac.platform.search.ranking.words import Saturation, bm25, kernel_bm25

_DOCUMENTS = Saturation(k1=1.2, b=0.75)
_CODE = Saturation(k1=2, b=0.9)
"""Saturation for code. Repeated words and the length of a document count more in code than in prose."""


def saturation_of(profile: Profile) -> Saturation:
    """Return the BM25 saturation for documents or code."""
    return _CODE if profile == "code" else _DOCUMENTS


def word_scores(frame: Frame, profile: Profile) -> Vector:
    """0 where a row has no word of the question, nor has a neighbour of it in talk."""
    if profile == "talk":
        return kernel_bm25(frame)
    saturation = saturation_of(profile)
    title = bm25(frame.title, frame.title_statistics, frame.documents, saturation)
    return title + bm25(frame.text, frame.text_statistics, frame.documents, saturation)
