"""A bounded parser for the YAML of front matter: texts, lists and objects.

PyYAML scans and parses; values that it would resolve stay text. Aliases are errors, so a text cannot expand.
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

from almanac.families.skills.format.findings import quote

MAX_CHARACTERS = 32 * 1024
"""Limit for front matter. The longest of 327 public ones has 1,182 characters."""
MAX_DEPTH = 32
MAX_TOKENS = 20_000

Value: TypeAlias = str | list["Value"] | dict[str, "Value"]

_MERGE = "<<"
_STAND_INS = {"\u2028": "\ufdd0", "\u2029": "\ufdd1", "\x85": "\ufdd2"}
"""Characters that end a line in YAML 1.1, as PyYAML reads it, but not in 1.2. Noncharacters replace them during
parsing."""
_TO_STAND_INS = str.maketrans(_STAND_INS)
_FROM_STAND_INS = str.maketrans({there: here for here, there in _STAND_INS.items()})
_SURROGATES = re.compile(r"[\ud800-\udfff]")


class Deviation(Struct, frozen=True):
    """A form that YAML allows and a strict reader of skills does not. `line` counts in the YAML text from 0."""

    rule: str
    message: str
    line: int


class Yaml(Struct, frozen=True):
    value: Value
    deviations: tuple[Deviation, ...]


class UnreadableYaml(Exception):
    """Raised for unreadable YAML. `rule` names the reason, `message` says what to do, and `line` counts from 0."""

    def __init__(self, rule: str, message: str, line: int) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.line = line


class _Open(Struct):
    """A list or object that is being parsed. `key` is the key that waits for its value."""

    value: "list[Value] | dict[str, Value]"
    column: int
    key: str | None = None
    children_column: int | None = None


class _BoundedParser(Reader, Scanner, Parser):
    """PyYAML's event parser, without its loader and with bounds. The scanner looks back over all open brackets at every
    token, so the depth is bounded where tokens are made as well as where events are read."""

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
    """Parse one YAML document. Raises UnreadableYaml for invalid or too large YAML, and for references to other parts
    of it.

    `plain` converts a value without quotation marks. By default it stays text.
    """
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
"""Messages of PyYAML's scanner and parser, and their meaning for an author."""


def _problem(error: MarkedYAMLError) -> str:
    message = str(error.problem)
    return next((meaning for words, meaning in _PROBLEMS if words in message), "it cannot be read from here on")


def _events(text: str) -> Iterator[Event]:
    # PyYAML has no types.
    events: Any = _BoundedParser(text)
    while events.check_event():
        yield events.get_event()


class _Builder:
    """Builds values from events."""

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
            self._deviates("duplicate_field", f"{quote(key)} appears twice. Keep one.", line)
        if is_merge:
            self._deviates("yaml_merge", "A merge key (<<) is not allowed. Write the fields out.", line)
        into.key = key

    def _align(self, done: _Open, line: int) -> None:
        """Check that objects below the fields of one object begin in the same column."""
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
