"""Find pasted output of programs in a text: stack traces, log lines, compiler output, progress and JSON.

Of a trace only the line that names the error counts as said, together with the first place in one's own code. Some
lines count as output only if another line of the text does, because people write such lines too.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|SEVERE|CRITICAL|FATAL)"
_TYPED = r"(?:[\w$]+(?:\.|::|/))*[A-Z]\w*(?:Error|Exception)(?:\(\w+\)|\[\w+\])?"
_SOURCE = r"[\w./\\@:+-]*[A-Za-z/\\][\w.-]*\.[A-Za-z]\w{0,4}"
_FRAME = re.compile(
    r"\s*(?:#\d+\s+(?:0x|.{0,200}\([^()]*[:/.][^()]*\)\s*$|.{0,200} at \S+:\d+\s*$)"
    rf"|at (?:\S+\(|.{{0,200}}\([^()]*:\d+\)\s*$|(?:async )?{_SOURCE}:\d+)"
    r'|File "[^"]+", line \d+|Traceback \(|During handling of the above|The above exception was'
    rf"|(?:from )?{_SOURCE}:\d+(?::\d+)?:in |{_SOURCE}:\d+ \+0x|goroutine \d+ \[|--> \S+:\d+|\.\.\. \d+ more\b"
    r"|<asynchronous suspension>|Causing statement:|thread '\w+' panicked at )"
)
_LOGGED = re.compile(
    rf"\s*(?:\[?\d{{4}}-\d\d-\d\d(?:T\d\d:\d\d|\s\d\d:\d\d(?::\d\d|.{{0,40}}\b{_LEVEL}\b))[\d:.,]*(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d\b|[VDIWEF]/[\w.$-]+\s*\(\s*\d+\):)\s*"
)
_PERHAPS_LOGGED = re.compile(
    rf"\s*(?:\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?(?=\s)|\[?{_LEVEL}\]?(?=:|\s))\s*|\s*npm (?:ERR!|WARN)\s*"
)
_LEVEL_FIRST = re.compile(rf"^\W*(?:[\w.-]+ )?{_LEVEL}\b[\]:]*\s*")
_COMPILER = re.compile(
    rf"\s*{_SOURCE}(?::\d+(?::\d+)?:|\(\d+(?:,\d+)?\):) *(?:fatal )?(?:error|warning|note)\b"
    r"|\s*(?:error|warning)\[\w+\]: "
)
_NAMES_ERROR = re.compile(
    r"\s*(?:E  +|Caused by: |Un(?:caught|handled) (?:[Ee]xception: ?)?|\[?ERROR\]?:? |Exception in thread \"[^\"]*\" )*"
    rf"{_TYPED}(?:: \S|\([^()]{{8,}}\)\s*$)"
)
_PERHAPS_ERROR = re.compile(
    r"\s*(?:(?:fatal )?(?:[Ee]rror|ERROR|fatal|panic|FATAL|FAILURE|FAILED)(?:\[\w+\])?: \S|Segmentation fault"
    r"|--- FAIL: )"
)
_NAMED_ERROR = re.compile(
    r"\s*\[?(?:WARN(?:ING)?|ERROR|ERR|SEVERE|CRITICAL|FATAL)\]?:? +\[?[\w.$-]{1,80}\]?: \S|\s*[A-Z]\w{1,30} Error: \S"
)
"""Matches a line of a log that a person quotes in passing: "WARN config: retries must not exceed 5"."""
_SAYS_LITTLE = re.compile(
    r"\b(?:build failed|exit (?:code|status)|aborting due to|could not compile|process completed)", re.IGNORECASE
)
_PERHAPS_PROGRESS = re.compile(
    r"\s*(?:[A-Z]\w+ing\b[^?!]{0,80}\.\.\.\s*(?:\d[\d.]*\s*m?s|done|ok)?\s*$|.{0,100}\.\.\.\s+(?:\d[\d.]*\s*m?s|ok|done)\s*$"
    r"|\[?[=#>. -]{3,}\]?\s*\d{1,3}\s*%|.{0,60}\s\d{1,3}%\|?[^\w]*|\[\d+/\d+\]\s|Step \d+/\d+\b"
    r"|(?:BUILD|TESTS?) (?:FAILED|SUCCESS\w*|PASSED)|(?:ok|FAIL|PASS)\s+\S+\s+[\d.]+s\s*$|(?:FAIL|PASS|OK)\s*$"
    r"|={3,} .{0,100}={3,}\s*$|> Task :|\* (?:What went wrong|Try|Where):|> Run with )"
)
_PERHAPS_NUMBERS = re.compile(r"\s*(?:[\w.:+-]{0,40}[,;\t]){3,60}[\w.:+-]{0,40}\s*$")
_JSON = re.compile(r'\s*[\[{]\s*(?:"[\w.$-]+"\s*:|\{).*[\]},]\s*$')
_PERHAPS_JSON = re.compile(r'\s*"[\w.$ -]+"\s*:\s*(?:["\[{\d-]|true|false|null).*[,"\]}\w{\[]\s*$|\s*[\]}]+,?\s*$')
_BEFORE_ERROR = re.compile(r"^\s*(?:E  +|Caused by: |Un(?:caught|handled) (?:[Ee]xception: ?)?|\[?ERROR\]?:? )+")
_PLACE = re.compile(
    r'File "(?P<file>[^"]+)", line (?P<line>\d+)'
    # Bounded, as a search from each character of a long word would take cubic time.
    r"|(?P<path>[\w./\\@:+-]{1,200}?\.[A-Za-z]\w{0,4}):(?P<at>\d+)"
)
_OF_OTHERS = re.compile(
    r"site-packages|dist-packages|node_modules|[/\\]lib[/\\]python|\bnode:|\binternal/|\(dart:|package:flutter/"
    r"|package:\w+/src/|\.cargo/|/rustc/|/usr/|go/pkg/mod|/vendor/|<frozen|<string>"
    r"|\bat (?:java|javax|jdk|sun|android|androidx|kotlin|kotlinx|scala|com\.android|org\.(?:junit|gradle))\."
)
_OF_PERSON = re.compile(r"\b(?:I|I'm|I've|we|my|me|our|us|you|your)\b|[?:]\s*$")
_FORMS = (_FRAME, _LOGGED, _COMPILER, _NAMES_ERROR, _JSON)
_PERHAPS_FORMS = (_PERHAPS_LOGGED, _PERHAPS_ERROR, _PERHAPS_PROGRESS, _PERHAPS_JSON, _PERHAPS_NUMBERS)
_MOST_BETWEEN = 3
"""Most lines between two lines of output that are output as well."""
_MOST_CHARACTERS = 500
"""Most characters of a line that are read here."""
_ERROR_CHARACTERS = 240
_CAUSE, _TYPED_ERROR, _OTHER_ERROR, _FAILURE, _NO_ERROR = 3, 2, 1, 0, -1
"""How well a line names an error. The last cause counts, and the last typed error of Python, otherwise the first."""


class _Kind(Enum):
    OWN = 0
    PERHAPS = 1
    OUTPUT = 2


class _Block(Struct):
    """Lines of output that follow one another: where they begin, and what they say about an error."""

    first: int
    error: str = ""
    rank: int = _NO_ERROR
    place: str = ""
    is_python: bool = False


def without_output(lines: Sequence[str]) -> list[str]:
    """Return the lines, with "" in place of each line of output, except for the error that a block of output names."""
    kinds = [_kind_of(line[:_MOST_CHARACTERS], is_alone=len(lines) == 1) for line in lines]
    if all(kind is _Kind.OWN for kind in kinds):
        return list(lines)
    if sum(kind is not _Kind.OWN for kind in kinds) == 1:
        kinds = [_Kind.OWN if kind is _Kind.PERHAPS else kind for kind in kinds]
    is_output = [kind is not _Kind.OWN for kind in kinds]
    for first, end in _gaps(is_output, lines):
        is_output[first:end] = [True] * (end - first)
    told = ["" if output else line for output, line in zip(is_output, lines, strict=True)]
    for block in _blocks(is_output, lines):
        told[block.first] = _error_with_place(block)
    return told


def names_error(sentence: str) -> bool:
    """Return whether a sentence is an error that a program reported: "KeyError: 'id'"."""
    return any(form.match(sentence) for form in (_NAMES_ERROR, _COMPILER, _PERHAPS_ERROR, _NAMED_ERROR))


def _kind_of(line: str, *, is_alone: bool) -> _Kind:
    if any(form.match(line) for form in _FORMS):
        return _Kind.OUTPUT
    return _Kind.PERHAPS if not is_alone and any(form.match(line) for form in _PERHAPS_FORMS) else _Kind.OWN


def _gaps(is_output: Sequence[bool], lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each run of lines between output that a person did not write."""
    last: int | None = None
    for place, output in enumerate(is_output):
        if not output:
            continue
        if last is not None and last + 1 < place:
            between = [line for line in lines[last + 1 : place] if line[:1].strip(" \t>*")]
            if len(between) <= _MOST_BETWEEN and not any(map(_is_of_person, between)):
                yield last + 1, place
        last = place


def _is_of_person(line: str) -> bool:
    return _OF_PERSON.search(line) is not None


def _blocks(is_output: Sequence[bool], lines: Sequence[str]) -> Iterator[_Block]:
    block: _Block | None = None
    for place, output in enumerate(is_output):
        line = lines[place]
        if output:
            block = block or _Block(place)
            _read(block, line[:_MOST_CHARACTERS])
        elif line.strip() and block is not None:
            yield block
            block = None
    if block is not None:
        yield block


def _read(block: _Block, line: str) -> None:
    """Add what a line says to a block: the error, or a place in one's own code."""
    block.is_python = block.is_python or "Traceback (" in line
    message = _message_of(line)
    rank = _rank_of(line, message)
    if rank > block.rank or (rank == block.rank and (rank == _CAUSE or (rank == _TYPED_ERROR and block.is_python))):
        block.error, block.rank = message, rank
        block.place = block.place if block.is_python else ""
    elif rank == _NO_ERROR and _FRAME.match(message) and not _OF_OTHERS.search(message):
        place = _PLACE.search(message) if block.is_python or not block.place else None
        if place is not None:
            block.place = f"{place['file'] or place['path']}:{place['line'] or place['at']}"


def _message_of(line: str) -> str:
    logged = _LOGGED.match(line) or _PERHAPS_LOGGED.match(line)
    text = _LEVEL_FIRST.sub("", line[logged.end() :]) if logged else line
    return _BEFORE_ERROR.sub("", text).strip()


def _rank_of(line: str, message: str) -> int:
    if _NAMES_ERROR.match(message):
        return _CAUSE if "Caused by: " in line else _TYPED_ERROR
    if not (_PERHAPS_ERROR.match(message) or _COMPILER.match(message)):
        return _NO_ERROR
    return _FAILURE if _SAYS_LITTLE.search(message) else _OTHER_ERROR


def _error_with_place(block: _Block) -> str:
    """Return the error of a block with its place. An error that says no more than that something failed is left out."""
    error = block.error
    if block.rank <= _FAILURE or len(error) > _ERROR_CHARACTERS:
        return ""
    return f"{error.rstrip(' .')} ({block.place})" if block.place and block.place not in error else error
