"""Questions are read once for all profiles that read alike."""

from collections.abc import Sequence

from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.engine.engine import REMEMBERED, QuestionCache
from almanac.search.port import Context, Document, Entry, Profile, Question


class CountingDeriver:
    """A deriver that counts its texts."""

    def __init__(self) -> None:
        self.read: list[tuple[str, Profile]] = []

    def entry(self, document: Document) -> Entry:
        raise NotImplementedError

    def of_words(self, document: Document) -> Entry:
        raise NotImplementedError

    def count_missing_rows(self, document: Document) -> int:
        raise NotImplementedError

    def context(self, documents: Sequence[Document], model: object) -> list[Context]:
        raise NotImplementedError

    def parse_question(self, text: str, profile: Profile, model: object = None) -> ParsedQuestion:
        self.read.append((text, profile))
        return ParsedQuestion(profile=profile, question=Question(terms=(text,)))


def test_talk_and_documents_share_a_question_and_code_has_its_own() -> None:
    deriver, questions = CountingDeriver(), QuestionCache()
    talk = questions.parse(deriver, "boat", "talk", None)
    documents = questions.parse(deriver, "boat", "documents", None)
    assert (talk.profile, documents.profile, documents.question) == ("talk", "documents", talk.question)
    assert questions.parse(deriver, "boat", "code", None).profile == "code"
    assert deriver.read == [("boat", "talk"), ("boat", "code")]


def test_another_deriver_reads_anew() -> None:
    first, second, questions = CountingDeriver(), CountingDeriver(), QuestionCache()
    for deriver in (first, second, second):
        questions.parse(deriver, "boat", "talk", None)
    assert (len(first.read), len(second.read)) == (1, 1)


def test_only_the_last_questions_are_remembered() -> None:
    deriver, questions = CountingDeriver(), QuestionCache()
    for number in range(REMEMBERED + 1):
        questions.parse(deriver, f"boat {number}", "talk", None)
    questions.parse(deriver, f"boat {REMEMBERED}", "talk", None)
    questions.parse(deriver, "boat 0", "talk", None)
    assert [text for text, _ in deriver.read][-2:] == [f"boat {REMEMBERED}", "boat 0"]
