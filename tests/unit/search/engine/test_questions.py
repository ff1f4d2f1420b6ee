"""Questions are read once for all profiles that read alike."""

from collections.abc import Sequence

from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.engine.engine import REMEMBERED, ReadQuestions
from almanac.search.port import Context, Document, Entry, Profile, Question


class Counting:
    """A deriver that counts what it reads."""

    def __init__(self) -> None:
        self.read: list[tuple[str, Profile]] = []

    def entry(self, document: Document) -> Entry:
        raise NotImplementedError

    def of_words(self, document: Document) -> Entry:
        raise NotImplementedError

    def lacking(self, document: Document) -> int:
        raise NotImplementedError

    def context(self, documents: Sequence[Document], model: object) -> list[Context]:
        raise NotImplementedError

    def asked(self, text: str, profile: Profile, model: object = None) -> ParsedQuestion:
        self.read.append((text, profile))
        return ParsedQuestion(profile=profile, question=Question(terms=(text,)))


def test_talk_and_documents_share_a_question_and_code_has_its_own() -> None:
    deriver, questions = Counting(), ReadQuestions()
    talk = questions.asked(deriver, "boat", "talk", None)
    documents = questions.asked(deriver, "boat", "documents", None)
    assert (talk.profile, documents.profile, documents.question) == ("talk", "documents", talk.question)
    assert questions.asked(deriver, "boat", "code", None).profile == "code"
    assert deriver.read == [("boat", "talk"), ("boat", "code")]


def test_another_deriver_reads_anew() -> None:
    first, second, questions = Counting(), Counting(), ReadQuestions()
    for deriver in (first, second, second):
        questions.asked(deriver, "boat", "talk", None)
    assert (len(first.read), len(second.read)) == (1, 1)


def test_only_the_last_questions_are_remembered() -> None:
    deriver, questions = Counting(), ReadQuestions()
    for number in range(REMEMBERED + 1):
        questions.asked(deriver, f"boat {number}", "talk", None)
    questions.asked(deriver, f"boat {REMEMBERED}", "talk", None)
    questions.asked(deriver, "boat 0", "talk", None)
    assert [text for text, _ in deriver.read][-2:] == [f"boat {REMEMBERED}", "boat 0"]
