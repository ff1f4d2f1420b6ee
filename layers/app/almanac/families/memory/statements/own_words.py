"""Divide a text into the paragraphs that its author wrote: lines, list items, rows of tables, and quoted words.

Code and the output of programs are left out. A list item keeps the heading above it, because "fail open" says little
and "Decision: fail open" is a decision. Quoted words keep the line that says whose they are, and are left out if no
line says it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.statements.pasted_output import without_output
from almanac.families.memory.statements.sentence_worth import announces

ENDS = (".", "!", "?", "\u2026", ":", ";", "\u3002", "\uff01", "\uff1f")
BULLET = re.compile(r"\s*(?:[-*\u2022+\u2013]\s+(?:\[(?P<box>[ xX])\]\s+)?|\(?\d{1,3}[.)]\s+)")
_HEADING = re.compile(r"\s*(?:#{1,6}\s+(?P<text>\S.*?)[\s#:]*|(?:\*\*|__)(?P<bold>[^*_]{1,60}?):?(?:\*\*|__):?\s*)$")
_BOLD = re.compile(r"\*\*(\S(?:[^*]{0,200}\S)?)\*\*")
FENCE = re.compile(r"\s*(?:```|~~~)")
_QUOTE = re.compile(r"\s*>[>\s]*")
_INDENT = " " * 4
_SPACES = re.compile(r"\s{5,}")
_SIGNS = re.compile(r"[{}()\[\];=<>|&$\\/#@^~`+*]")
_PROGRAM = re.compile(
    r"\s*(?:\$ |>>> |\.\.\. |[+-]{3} |@@ |\d+ \| "
    r"|(?:def|class|import|from|const|let|var|return|function|async|await|public|private|fn|func|package|using|#include"
    r"|SELECT|INSERT|UPDATE|DELETE)\b[^.?!]{0,200}[({;:=*])"
)
_ROW = re.compile(r"\s*\|(?P<cells>.+)\|\s*$")
_RULE_OF_TABLE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_EMPTY_CELLS = frozenset({"", "-", "\u2013", "\u2014", "n/a"})
_MOST_COLUMNS = 12
_MAIL_HEADER = re.compile(
    r"\s*(?P<name>From|Sent|To|Cc|Bcc|Subject|Date|Reply-To|Von|Gesendet|An|Betreff|De|Objet)\s*:\s*(?P<value>.*)$"
)
_WROTE = re.compile(
    r"\s*(?:On|Am|Le)\s.{6,80}?[,:]?\s+(?P<name>[^\W\d_][^,<>:\d]{1,50}?)\s*(?:<[^>]*>)?\s*(?:wrote|schrieb)\s*:\s*$"
)
_ADDRESS = re.compile(r"\s*[<(\[].*$")
_CLOSING = re.compile(
    r"\s*(?:(?:best|kind|warm)\s+)?(?:regards|wishes|cheers|best|sincerely|yours)\b.{0,40}$", re.IGNORECASE
)
_MARKS = '"\u201c\u201d'
_MOST_OF_HEADING = 300
"""Most characters of a line that is read as a heading."""
_HEADING_CHARACTERS = 60
"""Most characters of a heading that is kept with what stands below it."""
_SAYS_KIND = re.compile(
    r"(?:still |our |ground |house |open )?(?:decisions?(?: made)?|decided|agreed|rules?|conventions?|constraints?"
    r"|deadlines?|questions?|points?|open(?: \w+)?|left|remaining|outstanding|missing|not done|done|to-?dos?|to do"
    r"|next steps|must(?: |-)fix|verdict|root cause|actions?(?: items?)?|blocked|blockers?)\s*:$",
    re.IGNORECASE,
)
"""Matches a line that says of which kind the items below it are, and is kept with each of them."""
_SINGULARS = {
    "decisions": "Decision",
    "decisions made": "Decision",
    "open questions": "Open question",
    "rules": "Rule",
    "ground rules": "Rule",
    "conventions": "Convention",
    "constraints": "Constraint",
    "deadlines": "Deadline",
    "to-do": "To do",
    "todo": "To do",
    "todos": "To do",
    "open points": "Open",
}


class Paragraph(Struct, frozen=True):
    """Text without list marks.

    `label` is the heading above it, with a colon. `quoted` marks somebody else's words. `is_item`: the text
    is an item of a list or a row of a table."""

    text: str
    label: str = ""
    quoted: bool = False
    is_item: bool = False


class _Line(Struct, frozen=True):
    """A line with its form: "line", "heading", "item", "quote", "cited" or "blank".

    Quoted lines begin with ">", and cited ones stand in quotation marks. `label` replaces the heading above it."""

    form: str
    text: str = ""
    label: str = ""


def paragraphs_of(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a text in order. A line is joined with the next one if its sentence goes on there."""
    # Long runs of spaces say nothing, and matching them takes quadratic time.
    raw_lines = [_SPACES.sub(_INDENT, line) for line in text.splitlines()]
    lines = [line for line in _joined(_forms_of([*rows_as_items(without_output(raw_lines))])) if line.form != "blank"]
    are_headings = all(line.form == "heading" for line in lines)
    heading, lead, is_listed = "", "", False
    for place, line in enumerate(lines):
        following = lines[place + 1].form if place + 1 < len(lines) else ""
        if line.form == "heading":
            heading, lead, is_listed = line.text, "", False
            if len(heading) > _HEADING_CHARACTERS or are_headings:
                yield Paragraph(heading)
                heading = ""
        elif line.form == "line":
            before, lead = _divided(line.text, following)
            if before:
                yield Paragraph(before, "" if is_listed else _label(heading))
                heading = ""
        elif line.form == "item":
            yield Paragraph(line.text, line.label or _label(lead or heading), is_item=True)
            is_listed = True
        elif label := line.label or lead:
            yield Paragraph(line.text.strip(_MARKS), label, quoted=True)
        elif line.form == "cited":
            yield Paragraph(line.text)


def _divided(text: str, following: str) -> tuple[str, str]:
    """Return what a line says, and the words at its end that introduce what follows."""
    before, stop, lead = text.rpartition(". ")
    return (before + stop.rstrip(), lead) if _introduces(lead, following) else (text, "")


def _introduces(text: str, following: str) -> bool:
    return text.endswith(":") and (
        following in ("quote", "cited") or (following == "item" and _SAYS_KIND.match(text) is not None)
    )


def _label(heading: str) -> str:
    """Return a heading as the beginning of a sentence: "Decision:" for "Decisions"."""
    text = "" if announces(heading) else heading.rstrip(": ")
    return f"{_SINGULARS.get(text.lower(), text)}:" if text else ""


def _joined(lines: Iterable[_Line]) -> Iterator[_Line]:
    before: _Line | None = None
    for line in lines:
        if before is not None and line.form == "line" and _goes_on(before, line.text):
            before = altered(before, text=f"{before.text} {line.text}")
            continue
        if before is not None:
            yield before
        before = line
    if before is not None:
        yield before


def _goes_on(before: _Line, text: str) -> bool:
    return before.form in ("line", "item") and not before.text.endswith(ENDS) and text[0].islower()


def _forms_of(lines: Sequence[str]) -> Iterator[_Line]:
    """Yield the lines with their forms. Lines of code, headers of mails and closing words become blank."""
    headers = _mail_headers(lines)
    fenced, writer, is_signed = False, "", False
    for place, line in enumerate(lines):
        writer = headers.get(place, writer)
        is_signed = place not in headers and (is_signed or (bool(writer) and _CLOSING.match(line) is not None))
        is_fence = FENCE.match(line) is not None
        fenced = fenced != is_fence
        yield _Line("blank") if is_fence or fenced or place in headers or is_signed else _form_of(line, writer)


def _form_of(line: str, writer: str) -> _Line:
    quote = _QUOTE.match(line)
    text = _BOLD.sub(r"\1", " ".join(line[quote.end() if quote else 0 :].split()))
    heading = None if quote or writer or len(line) > _MOST_OF_HEADING else _HEADING.match(line)
    if heading:
        return _Line("heading", heading["text"] or heading["bold"])
    if not text or (quote and _CLOSING.match(text)) or _is_program(line[quote.end() :] if quote else line):
        return _Line("blank")
    if quote or writer:
        return _Line("quote", text, f"{writer} wrote:" if writer else "")
    if wrote := _WROTE.match(line):
        return _Line("line", f"{wrote['name']} wrote:")
    if item := BULLET.match(line):
        box = item["box"]
        text = _BOLD.sub(r"\1", " ".join(line[item.end() :].split()))
        return (
            _Line("item", text, "" if box is None else "Open:" if box == " " else "Done:") if text else _Line("blank")
        )
    return _Line("cited" if text[0] in _MARKS and text[-1] in _MARKS else "line", text)


def _mail_headers(lines: Sequence[str]) -> dict[int, str]:
    """Map the index of each header of a forwarded mail to the name of its writer. A single such line is no header."""
    headers: dict[int, str] = {}
    run: list[tuple[int, re.Match[str]]] = []
    for place, line in enumerate([*lines, ""]):
        if header := _MAIL_HEADER.match(line):
            run.append((place, header))
            continue
        names = [one["value"] for _, one in run if one["name"] in ("From", "Von", "De")]
        if names and len(run) > 1:
            headers |= dict.fromkeys((at for at, _ in run), _ADDRESS.sub("", names[0]).strip(" \"'") or names[0])
        run = []
    return headers


def rows_as_items(lines: Sequence[str]) -> Iterator[str]:
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
    indented = line.startswith((_INDENT, "\t"))
    if _PROGRAM.match(line) or (indented and line.rstrip().endswith(("{", "}", ";", ")", ","))):
        return True
    return len(_SIGNS.findall(line)) * 5 > len(line.strip()) > 0
