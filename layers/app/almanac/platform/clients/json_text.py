"""Edits in the text of a JSON file, which may have comments and trailing commas.

Members and items are inserted or cut out. Everything else stays the same byte for byte: order, comments and line ends.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

Json = dict[str, Any]
Path = Sequence[str]
Insertions = list[tuple[int, str]]
"""Insertions into a text, as (offset in the new text, inserted text), ordered by offset."""

_COMMENTS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])')
_BLANK = re.compile(r"\s*")
_REST_OF_LINE = re.compile(r"[ \t]*,?[ \t]*(?=\r?\n)")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DECODER = json.JSONDecoder()


class NotEditable(Exception):
    """The text is not JSON, or cannot be edited without a loss. The message says why."""


class EditedText(NamedTuple):
    """An edited text, and its `insertions`, with which `cut` can undo the edit."""

    text: str
    insertions: Insertions


class _Child(NamedTuple):
    """A member or an item. `start` is the offset of its name, or of the item itself."""

    name: str | int
    start: int
    value: int
    end: int


class JsonText:
    """The text of a JSON object. Raises NotEditable for any other text.

    `plain` and `strict` have the same length as the text. In `plain`, blanks replace comments; in `strict`, they also
    replace trailing commas.
    """

    def __init__(self, text: str) -> None:
        self.text = self.plain = self.strict = text
        value: Any
        try:
            value = json.loads(text, parse_constant=_refuse)
        except RecursionError:
            raise NotEditable("it is nested too deeply") from None
        except ValueError:
            self.plain = _COMMENTS.sub(_blank_unless_quoted, text)
            self.strict = _COMMAS.sub(_blank_unless_quoted, self.plain)
            value = self._parse()
        if not isinstance(value, dict):
            raise NotEditable("it is not a JSON object")
        self.value = cast("Json", value)

    def _parse(self) -> Any:
        try:
            return json.loads(self.strict, parse_constant=_refuse)
        except RecursionError:
            raise NotEditable("it is nested too deeply") from None
        except ValueError as broken:
            raise NotEditable(f"it is not JSON: {str(broken)[:100]}") from None

    def at(self, path: Path) -> Any:
        """Return the value at `path`, a path through objects. None if there is none."""
        value: Any = self.value
        for name in path:
            value = cast("Json", value).get(name) if isinstance(value, dict) else None
        return value

    def with_member(self, path: Path, value: Any) -> EditedText:
        """Insert a member at `path`, with any missing objects above it. The member must not exist."""
        return self._with(path[:-1], path[-1], value)

    def with_item(self, path: Path, value: Any) -> EditedText:
        """Append an item to the array at `path`. Creates the array if it is missing."""
        return self._with(path, None, value)

    def without(self, path: Path, item: int | None = None) -> str:
        """Cut out the member at `path`, or the item with this number of the array there, with its line and comma."""
        container, child = (path, item) if item is not None else (path[:-1], path[-1])
        start, _ = self._container(container)
        children = self._children(start)
        number = next(number for number, one in enumerate(children) if one.name == child)
        one = children[number]
        cuts = [(self._line_start(one.start), one.end)]
        following = children[number + 1].start if number + 1 < len(children) else self._close(one.end)
        comma = self.plain.find(",", one.end, following)
        if comma < 0 and number:
            comma = self.strict.index(",", children[number - 1].end, one.start)
        if comma >= 0:
            cuts.append((comma, comma + 1))
        text = self.text
        for begin, end in sorted(cuts, reverse=True):
            text = text[:begin] + text[end:]
        JsonText(text)
        return text

    def _with(self, path: Path, name: str | None, value: Any) -> EditedText:
        start, known = self._container(path)
        depth = known + 1
        for missing in reversed(path[known:]):
            value = [value] if name is None else {name: value}
            name = missing
        edited = self._insert(start, name, value, depth)
        after = JsonText(edited.text)
        if after.at(path[: known + 1] if known < len(path) else path) == self.at(path):
            raise NotEditable("the entry could not be put into it")
        return edited

    def _container(self, path: Path) -> tuple[int, int]:
        """Return the offset of the deepest existing object or array on `path`, and the number of
        names that lead to it.
        """
        start = _skip(self.strict, 0)
        for depth, name in enumerate(path):
            if self.strict[start] != "{":
                raise NotEditable(f"{path[depth - 1]} is not an object")
            found = next((one for one in self._children(start) if one.name == name), None)
            if found is None:
                return start, depth
            start = found.value
        return start, len(path)

    def _children(self, start: int) -> list[_Child]:
        strict, closing = self.strict, "}" if self.strict[start] == "{" else "]"
        children: list[_Child] = []
        names: set[str | int] = set()
        at = _skip(strict, start + 1)
        while strict[at] != closing:
            begin, name = at, len(children)
            if closing == "}":
                name, at = _DECODER.raw_decode(strict, at)
                at = _skip(strict, _skip(strict, at) + 1)
            _, end = _DECODER.raw_decode(strict, at)
            if name in names:
                raise NotEditable(f"it has {str(name)[:80]!r} twice")
            names.add(name)
            children.append(_Child(name, begin, at, end))
            at = _skip(strict, end)
            at = _skip(strict, at + 1) if strict[at] == "," else at
        return children

    def _insert(self, start: int, name: str | None, value: Any, depth: int) -> EditedText:
        """Insert a member or item after the last one, and after a comment on that one's line."""
        text, opening = self.text, self.strict[start]
        if opening != ("[" if name is None else "{"):
            raise NotEditable(f"what {name or 'the entry'} belongs into is no {'array' if name is None else 'object'}")
        children = self._children(start)
        indent = found[1] if (found := _INDENT.search(text)) else "  "
        newline = "\r\n" if "\r\n" in text else "\n"
        text_of_value = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", f"\n{indent * depth}")
        named = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
        member = f"\n{indent * depth}{named}{text_of_value}".replace("\n", newline)
        if not children:
            same_line = text[start + 1 :].lstrip(" \t")[:1] not in ("\r", "\n")
            close = f"{newline}{indent * (depth - 1)}" if same_line else ""
            return _put(text, [(start + 1, member + close)])
        end = children[-1].end
        rest = _REST_OF_LINE.match(self.plain, end)
        if rest is None or self._is_in_comment(rest.end()):
            trailing = self.plain.find(",", end, self._close(end))
            return _put(text, [(end, f",{member}")] if trailing < 0 else [(trailing + 1, member)])
        if "," in rest[0]:
            return _put(text, [(rest.end(), member)])
        return _put(text, [(end, ","), (rest.end(), member)])

    def _is_in_comment(self, at: int) -> bool:
        return any(
            found.start() < at < found.end() and found[0].startswith("/*") for found in _COMMENTS.finditer(self.text)
        )

    def _close(self, end: int) -> int:
        """Return the end of the object or array whose last child ends at `end`."""
        return _skip(self.strict, end)

    def _line_start(self, start: int) -> int:
        """Return the start of a cut: the beginning of the line if only blanks precede the cut part, else `start`."""
        at = start
        while at and self.text[at - 1] in " \t":
            at -= 1
        if at and self.text[at - 1] == "\n":
            return at - 2 if self.text[at - 2 : at] == "\r\n" else at - 1
        return at


def _put(text: str, pieces: Insertions) -> EditedText:
    """Insert pieces at offsets of the original text."""
    parts: list[str] = []
    insertions: Insertions = []
    at = shift = 0
    for place, piece in pieces:
        parts += [text[at:place], piece]
        insertions.append((place + shift, piece))
        at, shift = place, shift + len(piece)
    return EditedText("".join([*parts, text[at:]]), insertions)


def cut(text: str, insertions: Sequence[tuple[int, str]]) -> str | None:
    """Undo insertions, and return the earlier text. None if one of them is no longer in its place."""
    for place, piece in reversed(insertions):
        if text[place : place + len(piece)] != piece:
            return None
        text = text[:place] + text[place + len(piece) :]
    return text


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON value")


def _blank_unless_quoted(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0])


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at
