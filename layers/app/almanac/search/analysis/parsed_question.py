"""A question as an index and a ranking read it."""

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from almanac.search.analysis.dates import NamedDate
from almanac.search.port import Profile, Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from almanac.search.analysis.unit_rows import UnitRows
    from almanac.search.frame import Matrix


class QuestionPieces(Struct, frozen=True, eq=False):
    """The word pieces of a question, `vectors` of length 1 (pieces x dimensions).

    `terms` says which of `Question.terms` each lies in, -1 where it is none of them. `factors` make little of words
    that questions are asked with, of signs and of lone letters.
    """

    texts: list[str]
    vectors: "Matrix"
    terms: "NDArray[np.intp]"
    factors: "NDArray[np.float32]"


class ParsedQuestion(Struct, frozen=True, kw_only=True, eq=False):
    """`forms` are terms beside those of the question, each with the place of the one that it stands for.
    `words` are those of the question in lower case, `compounds` the places of identifiers in `question.terms`.

    `asks_name`: it asks for something that has a name. `pieces` and `rows`, which are found by piece, are of the
    static embedder, `states` of a model; None where there is none.
    """

    profile: Profile
    question: Question
    forms: tuple[tuple[int, str], ...] = ()
    words: frozenset[str] = frozenset()
    compounds: tuple[int, ...] = ()
    dates: tuple[NamedDate, ...] = ()
    asks_name: bool = False
    pieces: QuestionPieces | None = None
    rows: "UnitRows | None" = None
    states: QuestionPieces | None = None

    @property
    def searched(self) -> Question:
        """The question with its `forms` behind its terms: as an index reads it, see `framing.folded`."""
        return replace(self.question, terms=(*self.question.terms, *(form for _, form in self.forms)))
