"""A parsed question, as an index and ranking read it."""

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
    """Word pieces of a question, with `vectors` of length 1 (pieces x dimensions).

    `terms` is the place in `Question.terms` of the term that contains each piece, -1 if none does. `factors` reduce the
    weight of question words, signs and lone letters.
    """

    texts: list[str]
    vectors: "Matrix"
    terms: "NDArray[np.intp]"
    factors: "NDArray[np.float32]"


class ParsedQuestion(Struct, frozen=True, kw_only=True, eq=False):
    """A question with its terms, pieces and dates.

    `forms` are further terms, each with the place of the term for which it stands. `words` are the words of the
    question in lower case. `compounds` are the places of identifiers in `question.terms`. `asks_name` is true if the
    question asks for something that has a name.

    `pieces` and `rows` come from the static embedder, and `states` from a model. They are None without it.
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
    def index_question(self) -> Question:
        """The question with its `forms` after its terms, as an index reads it. See `frames.fold_forms`."""
        return replace(self.question, terms=(*self.question.terms, *(form for _, form in self.forms)))
