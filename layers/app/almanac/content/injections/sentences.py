"""Sentences of a text as words with their concepts, the unit that the injection model reads.

The text is lower case without accents. A sentence ends at a full stop, question or exclamation mark, an empty line, a
list item, or a speaker's name with a colon. Longer sentences are cut, because an order needs few words.
"""

# ruff: noqa: RUF001 - signs of other scripts end sentences too

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from almanac.content.injections.concepts import NUMBERS, concepts_of

MOST_WORDS = 36
_LONGEST_LINE = 400

_SPEAKERS = {
    "user_turn": "user|human|benutzer|nutzer|mensch|utilisateur|humain|usuario|humano",
    "assistant_turn": "assistant|ai|bot|assistent|ki|asistente|ia|claude|chatgpt|copilot",
    "system_turn": "system|systeme|sistema|developer|admin|administrator|entwickler",
}
_SPEAKER = "|".join(f"(?P<{name}>{words})" for name, words in _SPEAKERS.items())
# The order of the alternatives matters: more specific ones come first. Every repetition is bounded.
_TOKEN = re.compile(
    rf"(?P<turn>(?:(?<![^\n])|(?<=[.!?>\])\"'|] ))[ \t>*_\[<|/#-]{{0,8}}+(?:{_SPEAKER})"
    r"[ \t>*_\]|]{0,4}+:)"
    r"|(?P<url>(?:https?://|www\.)[^\s<>\"'`)\]]{1,400}+"
    r"|(?<![\w./-])(?:[a-z0-9-]{1,40}+\.){1,4}(?:com|net|org|io|dev|app|example|xyz|ru|info|site|online)\b(?![(.\w]))"
    r"|(?P<mail>[\w.+-]{1,64}+@[\w-]{1,64}+\.\w{2,24}+)"
    r"|(?P<picture>!\[|<img\b)"
    r"|(?P<comment><!--|/\*|(?<![^\n])[ \t]{0,16}+//|\{#|\[//\]: #)"
    r"|(?P<heading>(?<![^\n])[ \t]{0,4}+(?:\#{1,6}+|={3,80}+|-{3,80}+|\*{3,80}+)[ \t]{0,3}+(?=[^\W\d_])"
    r"|(?<![^\n])[ \t]{0,4}+\[(?=[a-z][^\]\n]{2,40}+\](?![(:\[])))"
    r"|(?P<slot>\{\{?\w{1,40}\}?\}|<\w{1,20}+(?:[ _-]\w{1,20}+){0,4}+>|\$\{\w{1,40}\})"
    r"|(?P<name>[a-z][a-z0-9]{0,40}+(?:_[a-z0-9]{1,40}+){1,6}+|[a-z_]{3,40}+(?=\(\)))"
    r"|(?P<word>t['’]a\w{0,3}\b|[^\W\d_]{1,40}+(?:['’]t\b|(?:-[^\W\d_]{1,30}+){1,4}+)?)"
    r"|(?P<end>[;{}):][ \t]{0,4}+(?=\n)|-->|\*/|\"{3})"
    r"|(?P<code>[=!]=|[-=]>|::|\)[;:,.]|[\"']: |[\"'],|=|[|&]{2}|\(\))"
    r"|(?P<item>\n[ \t>/]{0,12}+(?:[-*+•]|\d{1,3}[.)])[ \t]{1,4}+|\n[ \t#*/>-]{0,8}+\n"
    r"|[.!?;](?=[\s\"'”»)*_<]|\Z)|[。！？])"
    r"|(?P<line>\n)"
)
_LINE_SIGN = re.compile(r"[ \t]{0,16}+(#|//|\*|--|;)")
_NAMED_SIGNS = {
    name: (NUMBERS[name],) for name in ("url", "mail", "picture", "comment", "heading", "slot", "name", "code")
}
_INSIDE = frozenset(("url", "mail", "picture", "slot", "name", "code"))
_ENDS = frozenset(("word", "item", "end", "line"))
# An assistant that a sentence addresses at its beginning: "Dear bot, ...", "AI reviewers: ...".
_ASSISTANT, _ADDRESSED = NUMBERS["assistant"], NUMBERS["addressed"]
_WORDS_OF_AN_ADDRESS = 6
_OPENED = frozenset(("<heading>", "<comment>"))


@dataclass(slots=True)
class Sentence:
    """A sentence from `start` to `end` in the text. `words` are in order with the `concepts` of each; signs count as
    words."""

    start: int = 0
    end: int = 0
    words: list[str] = field(default_factory=list[str])
    concepts: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])

    def add(self, word: str, concepts: tuple[int, ...], match: re.Match[str]) -> None:
        if not self.words:
            self.start = match.start()
        self.words.append(word)
        self.concepts.append(concepts)
        self.end = match.end()

    def has_words(self) -> bool:
        return len(self.words) > 1 or (bool(self.words) and not self.words[0].startswith("<"))


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of `text` that contain a word, in order."""
    known: dict[str, tuple[int, ...]] = {}
    current = Sentence()
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "word":
            word = match.group()
            if word not in known:
                known[word] = concepts_of(word.replace("’", "'"))
            address = _ASSISTANT in known[word] and _is_address(text, match, current)
            current.add(word, (*known[word], _ADDRESSED) if address else known[word], match)
            if len(current.words) < MOST_WORDS:
                continue
        elif kind in _INSIDE:
            current.add(f"<{kind}>", _NAMED_SIGNS[kind], match)
            continue
        elif _inside_a_comment(text, kind, match, current):
            continue
        if current.has_words():
            yield current
        current = Sentence()
        if kind not in _ENDS:
            sign = kind if kind in _NAMED_SIGNS else _speaker(match)
            current.add(f"<{sign}>", (NUMBERS[sign],), match)
    if current.has_words():
        yield current


def _is_address(text: str, match: re.Match[str], current: Sentence) -> bool:
    after = text[match.end() : match.end() + 2].lstrip(" \u00a0")[:1]
    return after in (":", ",") and len(current.words) < _WORDS_OF_AN_ADDRESS


def _speaker(match: re.Match[str]) -> str:
    return next(name for name in _SPEAKERS if match.group(name) is not None)


def _inside_a_comment(text: str, kind: str, match: re.Match[str], current: Sentence) -> bool:
    """Return whether the sentence continues after the end of a line, or after the sign at the start of one.

    Lines of prose continue. A heading, or a comment whose lines begin with a sign, ends with the line unless the next
    line begins with the same sign.
    """
    if kind == "line":
        return not current.words or current.words[0] not in _OPENED or _goes_on(text, match.end())
    return kind in ("heading", "comment") and bool(current.words) and _goes_on(text, match.start())


def _goes_on(text: str, line: int) -> bool:
    """Return whether the line that starts at `line` begins with the same sign as the one before."""
    sign = _LINE_SIGN.match(text, line)
    if sign is None:
        return False
    before = _LINE_SIGN.match(text, text.rfind("\n", max(0, line - _LONGEST_LINE), max(0, line - 1)) + 1)
    return before is not None and sign[1] == before[1]
