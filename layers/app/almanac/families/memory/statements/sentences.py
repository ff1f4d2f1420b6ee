"""Split a text into sentences: all sentences, for quoting, or only the sentences in its author's own words.

The author's own words exclude code, quotations and the output of programs. For these, only the first 6,000 and the last
2,000 characters of a long text are read. The time is linear in the length of the text.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

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
    rf"(?<![.!?\u2026])[.!?\u2026]++[{_CLOSING}]*+(?=\s|$)|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\uff09]*"
)
_BULLET = re.compile(r"\s*(?:[-*\u2022+\u2013]\s+(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+|#{1,6}\s+)")
_LIST_MARK = re.compile(r"^(?:[-*\u2022>#]+|\d+[.)])\s+")
_ROW = re.compile(r"\s*\|(?P<cells>.+)\|\s*$")
_RULE_OF_TABLE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_EMPTY_CELLS = frozenset({"", "-", "\u2013", "\u2014", "n/a"})
_MOST_COLUMNS = 12
_CHECKBOX = re.compile(r"^\[([ xX])\] ")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SIGNS = re.compile(r"[{}()\[\];=<>|&$\\/#@^~`+*]")
_PROGRAM = re.compile(
    r"\s*(?:at \S+\(|File \"|Traceback|\$ |>>> |\.\.\. |[+-]{3} |@@ |\d+ \| |\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?:def|class|import|from|const|let|var|return|function|async|await|public|private|fn|func|package|using|#include"
    r"|SELECT|INSERT|UPDATE|DELETE)\b[^.?!]{0,200}[({;:=*])"
)
_ENDS = (".", "!", "?", "\u2026", ":", ";", "\u3002", "\uff01", "\uff1f")
_REPORTED_QUESTION = re.compile(
    r"\b(?:asks?|asked|asking|wonders?|wondered|wondering|wants? to know|wanted to know)(?: \w+){0,2}?"
    r" (?:why|when|where|who|whom|whose|what|which|how|whether|if)\b[^.:;,!]*[.!]?$",
    re.IGNORECASE,
)
_QUESTION_ENDS = ("?", "\uff1f")
_BEHIND = "\"'\u201d\u2019\u00bb)]*_ "


def sentences_of(text: str) -> list[str]:
    """Return the sentences in the author's own words, in order. List items and lines without a full stop count too."""
    return [cut(sentence) for line in _paragraphs(shorten(text)) for sentence in split(line)]


def whole_sentences_of(text: str) -> list[str]:
    """Return the same sentences of the first 6,000 characters without cutting long ones.

    The last sentence of a longer text is left out, because it may be incomplete."""
    sentences = [sentence for line in _paragraphs(text[:HEAD_CHARACTERS]) for sentence in split(line)]
    return sentences if len(text) <= HEAD_CHARACTERS else sentences[:-1]


def every_sentence(text: str) -> Iterator[str]:
    """Yield all sentences of a text in order, code and quotations included, without list marks.

    A sentence ends at the end of its line at the latest.
    A sentence that begins with a small letter stays with the sentence before it, which keeps quotations in context.
    """
    for line in _with_row_sentences(text.splitlines()):
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
    lines = ((line, _BULLET.match(line)) for line in _prose_lines(shorten(text)))
    item_texts = (" ".join(line[item.end() :].split()) for line, item in lines if item)
    return frozenset(cut(next(split(item_text))) for item_text in item_texts if item_text)


def goes_on(sentence: str, following: str, items: Collection[str]) -> bool:
    """Return whether two sentences may stand together. An item of a list, one of `items`, stands by itself."""
    return following not in items and (sentence not in items or sentence.endswith(_ENDS))


def join_sentences(sentences: Iterable[str]) -> str:
    """Return the sentences as one text. Where one has no stop, such as an item of a list, a semicolon follows."""
    texts = list(sentences)
    ended = [one if one.rstrip(_BEHIND).endswith(_ENDS) else f"{one};" for one in texts[:-1]]
    return " ".join([*ended, *texts[-1:]])


def on_one_line(text: str) -> str:
    """Return a text on one line for a quotation, without blocks of code, and with lines that end openly kept apart."""
    if "\n" not in text:
        return " ".join(text.split())
    lines: list[str] = []
    fenced = False
    for line in _with_row_sentences(text.splitlines()):
        is_fence = _FENCE.match(line) is not None
        fenced = fenced != is_fence
        line_text = " ".join(_LIST_MARK.sub("", line.strip()).split())
        if fenced or is_fence or not line_text:
            continue
        if lines and line_text[0].islower() and not _BULLET.match(line) and not lines[-1].endswith(_ENDS):
            lines[-1] = f"{lines[-1]} {line_text}"
        else:
            lines.append(_CHECKBOX.sub(lambda box: "(open) " if box[1] == " " else "(done) ", line_text))
    return join_sentences(lines) if lines else " ".join(text.split())


def asks(sentence: str) -> bool:
    """Return whether a sentence is a question, or only reports one: "they asked why we moved"."""
    return is_question(sentence) or _REPORTED_QUESTION.search(sentence) is not None


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the lines of the author's own words, each joined with the next line if its sentence goes on there."""
    paragraph = ""
    for line in _prose_lines(text):
        item = _BULLET.match(line)
        text_of_line = " ".join((line[item.end() :] if item else line).split())
        if paragraph and text_of_line and not item and not paragraph.endswith(_ENDS) and text_of_line[0].islower():
            paragraph = f"{paragraph} {text_of_line}"
            continue
        if paragraph:
            yield paragraph
        paragraph = text_of_line
    if paragraph:
        yield paragraph


def _prose_lines(text: str) -> Iterator[str]:
    """Yield the lines that are neither code nor quotations, and an empty line in place of each line left out."""
    fenced = False
    for line in _with_row_sentences(text.splitlines()):
        if _FENCE.match(line):
            fenced = not fenced
            yield ""
        elif fenced or line.lstrip().startswith(">") or _is_program(line):
            yield ""
        else:
            yield line


def _with_row_sentences(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a text, each row of a table as an item of a list: "- Lease: owner Ann, due 4 May".

    The line of the columns' names and the rule below it come as empty lines."""
    names: list[str] = []
    for place, line in enumerate(lines):
        row = _ROW.match(line)
        if row is None:
            names = []
            yield line
        elif names and _RULE_OF_TABLE.match(line):
            yield ""
        elif place + 1 < len(lines) and "-" in lines[place + 1] and _RULE_OF_TABLE.match(lines[place + 1]):
            names = _cells_of(row)
            yield ""
        else:
            yield f"- {_row_sentence(_cells_of(row), names)}"


def _cells_of(row: re.Match[str]) -> list[str]:
    return [cell.strip() for cell in row["cells"].split("|")[:_MOST_COLUMNS]]


def _row_sentence(cells: Sequence[str], names: Sequence[str]) -> str:
    """Return the cells of a row that say something, each but the first with the name of its column."""
    first, *others = cells
    told = [
        f"{names[place]} {cell}" if place < len(names) else cell
        for place, cell in enumerate(others, 1)
        if cell.casefold() not in _EMPTY_CELLS
    ]
    return f"{first}: {', '.join(told)}" if first.casefold() not in _EMPTY_CELLS and told else ", ".join(told) or first


def _is_program(line: str) -> bool:
    indented = line.startswith(("    ", "\t"))
    if _PROGRAM.match(line) or (indented and line.rstrip().endswith(("{", "}", ";", ")", ","))):
        return True
    return len(_SIGNS.findall(line)) * 5 > len(line.strip()) > 0


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
