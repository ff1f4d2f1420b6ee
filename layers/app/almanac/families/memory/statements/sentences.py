"""Split a text into sentences: all sentences, for quoting, or only the sentences in its author's own words.

The author's own words exclude code, quotations and the output of programs. For these, only the first 6,000 and the last
2,000 characters of a long text are read. The time is linear in the length of the text.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from almanac.families.memory.statements.own_words import BULLET, ENDS, FENCE, Paragraph, paragraphs_of, rows_as_items

HEAD_CHARACTERS = 6_000
TAIL_CHARACTERS = 2_000
MAX_CHARACTERS = 400
"""Most characters of one sentence in the author's own words. Longer sentences are cut."""
PART_CHARACTERS = 300
"""Most characters of a sentence for quoting. Longer sentences come in parts."""

_SHORTENED = """
e.g i.e etc vs cf al approx vol fig dr mr mrs ms prof st jr sr inc ltd co corp dept est min max a.m p.m jan
feb mar apr jun jul aug sep sept oct nov dec z.b d.h u.a bzw ca evtl ggf nr usw str hr fr inkl p.ej sra ud
incl excl resp tel appt qty avg ext
"""
_ABBREVIATIONS = frozenset(_SHORTENED.split())
_BEFORE_NUMBERS = frozenset({"no", "nos"})
_CLOSING = "\"'\u201d\u2019\u00bb)\\]*_"
_MAY_END = re.compile(
    rf"(?<![.!?\u2026\u061f])[.!?\u2026\u061f]++[{_CLOSING}]*+(?=\s|$)|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\uff09]*"
)
_LIST_MARK = re.compile(r"^(?:[-*\u2022>#]+|\d+[.)])\s+")
_CHECKBOX = re.compile(r"^\[([ xX])\] ")
_REPORTED_QUESTION = re.compile(
    r"\b(?:asks?|asked|asking|wonders?|wondered|wondering|wants? to know|wanted to know)(?: \w+){0,2}?"
    r" (?:why|when|where|who|whom|whose|what|which|how|whether|if)\b[^.:;,!]*[.!]?$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^:]{1,80}: ")
_QUOTE_START, _QUOTE_END = "\u201c", "\u201d"
_QUESTION_ENDS = ("?", "\uff1f", "\u061f")
_BEHIND = "\"'\u201d\u2019\u00bb)]*_ "


def sentences_of(text: str) -> list[str]:
    """Return the sentences in the author's own words, in order. List items and lines without a full stop count too.

    A list item, a row of a table and quoted words come after the line above them: "Decision: we use oak"."""
    return [cut(sentence) for paragraph in paragraphs_of(shorten(text)) for sentence in _sentences_in(paragraph)]


def whole_sentences_of(text: str) -> list[str]:
    """Return the same sentences of the first 6,000 characters without cutting long ones.

    The last sentence of a longer text is left out, because it may be incomplete."""
    paragraphs = paragraphs_of(text[:HEAD_CHARACTERS])
    sentences = [sentence for paragraph in paragraphs for sentence in _sentences_in(paragraph)]
    return sentences if len(text) <= HEAD_CHARACTERS else sentences[:-1]


def every_sentence(text: str) -> Iterator[str]:
    """Yield all sentences of a text in order, code and quotations included, without list marks.

    A sentence ends at the end of its line at the latest.
    A sentence that begins with a small letter stays with the sentence before it, which keeps quotations in context.
    """
    for line in rows_as_items(text.splitlines()):
        line_text = " ".join(line.split())
        for sentence in split(_LIST_MARK.sub("", line_text), before_small=False):
            yield from _parts(sentence)


def shorten(text: str) -> str:
    """Return a text, or only the beginning and the end of a long one."""
    if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return text
    return f"{text[:HEAD_CHARACTERS]}\u2026\n\n{text[-TAIL_CHARACTERS:]}"


def cut(sentence: str, characters: int = MAX_CHARACTERS) -> str:
    """Return a sentence, cut at the end of a word and with an ellipsis if it is longer than `characters`."""
    if len(sentence) <= characters:
        return sentence
    beginning = sentence[: characters - 1]
    word_ends = beginning.rfind(" ", characters // 2)
    return (beginning[:word_ends] if word_ends > 0 else beginning).rstrip(" ,;:") + "…"


def is_question(sentence: str) -> bool:
    return sentence.rstrip(_BEHIND).endswith(_QUESTION_ENDS)


@lru_cache(maxsize=256)
def items_in(text: str) -> frozenset[str]:
    """Return the first sentence of each item of a list and each row of a table, as `sentences_of` returns them."""
    if "\n" not in text:
        return frozenset()
    items = (paragraph for paragraph in paragraphs_of(shorten(text)) if paragraph.is_item)
    return frozenset(cut(next(_sentences_in(item))) for item in items)


def without_label(sentence: str) -> str:
    """Return a sentence without the heading that `sentences_of` may have put before it: "Rule: never on Friday"."""
    label = _LABEL.match(sentence)
    return sentence[label.end() :] if label else sentence


def goes_on(sentence: str, following: str, items: Collection[str]) -> bool:
    """Return whether two sentences may stand together. An item of a list, one of `items`, stands by itself."""
    return following not in items and (sentence not in items or sentence.endswith(ENDS))


def join_sentences(sentences: Iterable[str]) -> str:
    """Return sentences as one text: list items with semicolons between them, and what introduces them only once."""
    text, label_before = "", ""
    for sentence in sentences:
        label = match[0] if (match := _LABEL.match(sentence)) else ""
        rest = sentence[len(label) :] if label and label == label_before else sentence
        separator = "" if not text else " " if text.rstrip(_BEHIND).endswith(ENDS) else "; "
        text, label_before = f"{text}{separator}{rest}", label
    return text


def on_one_line(text: str) -> str:
    """Return a text on one line for a quotation, without blocks of code, and with lines that end openly kept apart."""
    if "\n" not in text:
        return " ".join(text.split())
    lines: list[str] = []
    fenced = False
    for line in rows_as_items(text.splitlines()):
        is_fence = FENCE.match(line) is not None
        fenced = fenced != is_fence
        line_text = " ".join(_LIST_MARK.sub("", line.strip()).split())
        if fenced or is_fence or not line_text:
            continue
        if lines and line_text[0].islower() and not BULLET.match(line) and not lines[-1].endswith(ENDS):
            lines[-1] = f"{lines[-1]} {line_text}"
        else:
            lines.append(_CHECKBOX.sub(lambda box: "(open) " if box[1] == " " else "(done) ", line_text))
    return join_sentences(lines) if lines else " ".join(text.split())


def asks(sentence: str) -> bool:
    """Return whether a sentence is a question, or only reports one: "they asked why we moved"."""
    return is_question(sentence) or _REPORTED_QUESTION.search(sentence) is not None


def is_quoted(sentence: str) -> bool:
    """Return whether a sentence consists of quoted words of somebody else, after the line that introduces them."""
    return sentence.endswith(_QUOTE_END) and f": {_QUOTE_START}" in sentence


def _sentences_in(paragraph: Paragraph) -> Iterator[str]:
    label = paragraph.label
    for sentence in split(paragraph.text):
        if paragraph.quoted:
            yield f"{label} {_QUOTE_START}{sentence}{_QUOTE_END}"
        else:
            yield f"{label} {sentence}" if label else sentence
            label = ""


def split(line: str, *, before_small: bool = True) -> Iterator[str]:
    """Yield the sentences of one line. `before_small`: a full stop before a small letter may end a sentence."""
    start = 0
    for stop in _MAY_END.finditer(line):
        is_before_small = stop[0] == "." and line[stop.end() : stop.end() + 2].strip().islower()
        if (before_small or not is_before_small) and _ends_sentence(line, start, stop):
            yield line[start : stop.end()].strip()
            start = stop.end()
    if rest := line[start:].strip():
        yield rest


def _ends_sentence(line: str, start: int, stop: re.Match[str]) -> bool:
    """Return whether a stop ends a sentence.

    A full stop ends no sentence after an abbreviation, an initial, or a number at the beginning of the sentence. It
    may end one before a small letter, because many people write without capitals."""
    following = line[stop.end() : stop.end() + 2].strip()
    if stop[0] != ".":
        return True
    before = line[max(start, stop.start() - 20) : stop.start()].split()
    word = before[-1].strip("(\"'").lower() if before else ""
    if word in _BEFORE_NUMBERS:
        return not following[:1].isdecimal()
    begins = word.isdecimal() and line[start : stop.start()].strip() == word
    return not (word in _ABBREVIATIONS or begins or (len(word) == 1 and word.isalpha()))


def _parts(sentence: str) -> Iterator[str]:
    while len(sentence) > PART_CHARACTERS:
        word_ends = sentence.rfind(" ", PART_CHARACTERS // 2, PART_CHARACTERS)
        end = word_ends if word_ends > 0 else PART_CHARACTERS
        yield sentence[:end].strip()
        sentence = sentence[end:].strip()
    if any(map(str.isalnum, sentence)):
        yield sentence
