"""YAML as front matter may have it: texts, lists and objects, read within bounds.

PyYAML scans and parses; what it would resolve stays text. Nothing is looked up, built or repeated: an alias is refused,
so a text cannot grow.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from msgspec import Struct
from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from almanac.families.skills.format.findings import shown

MAX_CHARACTERS = 32 * 1024
"""Of front matter. The longest of 327 public ones has 1,182."""
MAX_DEPTH = 32
MAX_TOKENS = 20_000

Value: TypeAlias = str | list["Value"] | dict[str, "Value"]

_MERGE = "<<"
_STAND_INS = {"\u2028": "\ufdd0", "\u2029": "\ufdd1", "\x85": "\ufdd2"}
"""These end a line in YAML 1.1, as PyYAML reads it, and not in 1.2: noncharacters take their places meanwhile."""
_TO_STAND_INS = str.maketrans(_STAND_INS)
_FROM_STAND_INS = str.maketrans({there: here for here, there in _STAND_INS.items()})
_SURROGATES = re.compile(r"[\ud800-\udfff]")


class Deviation(Struct, frozen=True):
    """A form that YAML allows and a strict reader of skills does not. `line` counts in the YAML text, from 0."""

    rule: str
    message: str
    line: int


class Yaml(Struct, frozen=True):
    value: Value
    deviations: tuple[Deviation, ...]


class UnreadableYaml(Exception):
    """`rule` says why, `message` what to do, `line` where, from 0."""

    def __init__(self, rule: str, message: str, line: int) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.line = line


class _Open(Struct):
    """A list or an object that is being read. `key` is the key that waits for its value."""

    value: "list[Value] | dict[str, Value]"
    column: int
    key: str | None = None
    children_column: int | None = None


class _Bounded(Reader, Scanner, Parser):
    """PyYAML's events, without its loader. Its scanner looks back over all open brackets at every token; so the depth
    is bounded where tokens are made, not only where events are read."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        self._fetched = 0

    def fetch_more_tokens(self) -> None:
        self._fetched += 1
        if self._fetched > MAX_TOKENS or self.flow_level + len(self.indents) > MAX_DEPTH:
            raise UnreadableYaml(
                "yaml_too_complex",
                f"The front matter is nested deeper than {MAX_DEPTH} or has over {MAX_TOKENS} parts. Move data into"
                " a file of the skill.",
                self.line,
            )
        super().fetch_more_tokens()  # pyright: ignore[reportUnknownMemberType]


def read_yaml(text: str, plain: Callable[[str], Any] = str) -> Yaml:
    """One YAML document. Raises UnreadableYaml for what is no YAML, is too large, or refers to other parts of it.
    `plain` says what a value without quotation marks is: its text, if nothing else is asked for."""
    if len(text) > MAX_CHARACTERS:
        raise UnreadableYaml(
            "front_matter_too_long",
            f"The front matter has {len(text)} characters, over {MAX_CHARACTERS}. Move text into the body.",
            0,
        )
    builder = _Builder(plain)
    try:
        for event in _events(text.translate(_TO_STAND_INS)):
            builder.take(event)
    except MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        raise UnreadableYaml("not_yaml", f"This is not YAML: {_problem(error)}. {_ADVICE}", line) from error
    except (YAMLError, ValueError, OverflowError) as error:
        # Control characters, and escapes such as \UFFFFFFFF that name no character.
        raise UnreadableYaml("not_yaml", "YAML does not allow a character here. Remove it.", 0) from error
    return Yaml(builder.root, tuple(builder.deviations))


_ADVICE = "Put text with : # [ { or quotes in it between single quotes, and indent with spaces."
_PROBLEMS = (
    ("'\\t'", "there is a tab"),
    ("mapping values are not allowed", "there is a colon within text"),
    ("could not find expected ':'", "the line before is no field: it has no colon"),
    ("unexpected end of stream", "a quotation mark is not closed"),
    ("unknown escape character", 'there is a backslash between "quotation marks"'),
    ("escape sequence", 'there is a backslash between "quotation marks"'),
    ("cannot start any token", "text begins with a character that has a meaning of its own"),
    (
        "expected <block end>",
        "it is indented unlike the fields above, or stands behind a closing quotation mark",
    ),
)
"""Words of PyYAML's scanner and parser, and what they mean to an author."""


def _problem(error: MarkedYAMLError) -> str:
    said = str(error.problem)
    return next((meaning for words, meaning in _PROBLEMS if words in said), "it cannot be read from here on")


def _events(text: str) -> Iterator[Event]:
    # PyYAML has no types.
    events: Any = _Bounded(text)
    while events.check_event():
        yield events.get_event()


class _Builder:
    """Values of events."""

    def __init__(self, plain: Callable[[str], Any]) -> None:
        self.root: Value = ""
        self._plain = plain
        self.deviations: list[Deviation] = []
        self._open: list[_Open] = []
        self._documents = 0

    def take(self, event: Event) -> None:
        line: int = event.start_mark.line
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise UnreadableYaml("several_documents", "The front matter ends before this line. Join both.", line)
        elif isinstance(event, AliasEvent):
            raise UnreadableYaml("yaml_alias", "An alias (*name) is not resolved. Write the value out.", line)
        elif isinstance(event, NodeEvent):
            self._node(event, line)
        elif isinstance(event, CollectionEndEvent):
            done = self._open.pop()
            self._align(done, line)
            self._add(done.value, line)

    def _node(self, event: NodeEvent, line: int) -> None:
        if event.anchor is not None:
            self._deviates("yaml_anchor", "An anchor (&name) is not allowed. Quote the text, or leave it out.", line)
        if isinstance(event, CollectionStartEvent):
            self._refuse_tag(event.tag, line)
            if event.flow_style:
                self._deviates(
                    "flow_style",
                    "A list or object in brackets is not allowed. Quote it as text, or write one entry a line.",
                    line,
                )
            value = dict[str, Value]() if isinstance(event, MappingStartEvent) else list[Value]()
            self._open.append(_Open(value, event.start_mark.column))
        elif isinstance(event, ScalarEvent):
            self._refuse_tag(event.tag, line)
            text: str = event.value.translate(_FROM_STAND_INS)
            is_plain = event.style is None and event.tag is None
            self._add(_SURROGATES.sub("\ufffd", text), line, is_plain=is_plain)

    def _refuse_tag(self, tag: str | None, line: int) -> None:
        if tag is not None:
            self._deviates("yaml_tag", "A tag (!type) is not allowed. Quote the text, or leave it out.", line)

    def _add(self, value: Value, line: int, *, is_plain: bool = False) -> None:
        into = self._open[-1] if self._open else None
        if into is not None and isinstance(into.value, dict) and into.key is None:
            self._begin_field(into, value, line, is_merge=is_plain and value == _MERGE)
            return
        if is_plain and isinstance(value, str):
            value = self._plain(value)
        if into is None:
            self.root = value
        elif isinstance(into.value, list):
            into.value.append(value)
        elif into.key is not None:
            into.value[into.key] = value
            into.key = None

    def _begin_field(self, into: _Open, key: Value, line: int, *, is_merge: bool) -> None:
        if not isinstance(key, str):
            raise UnreadableYaml("key_not_text", "The name of a field has to be text.", line)
        if key in into.value:
            self._deviates("duplicate_field", f"{shown(key)} appears twice. Keep one.", line)
        if is_merge:
            self._deviates("yaml_merge", "A merge key (<<) is not allowed. Write the fields out.", line)
        into.key = key

    def _align(self, done: _Open, line: int) -> None:
        """Objects below the fields of one object begin in the same column."""
        if not isinstance(done.value, dict) or not self._open or self._open[-1].key is None:
            return
        above = self._open[-1]
        if above.children_column is None:
            above.children_column = done.column
        elif above.children_column != done.column:
            self._deviates(
                "indentation", "Objects below neighbouring fields are indented differently. Indent them alike.", line
            )

    def _deviates(self, rule: str, message: str, line: int) -> None:
        self.deviations.append(Deviation(rule, message, line))
