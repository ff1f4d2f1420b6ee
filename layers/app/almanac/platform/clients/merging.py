"""An entry added to the text of a configuration, of which nothing else changes: neither order nor comments.

The text is never written anew from its values. The entry is put into it, and what comes out is read again: unless that
is exactly the old values and the entry, nothing is merged.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, cast

from almanac.platform.clients.entries import Client, as_toml
from almanac.platform.clients.server import NAME

Json = dict[str, Any]
_COMMENTS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])')
_BLANK = re.compile(r"\s*")
_REST_OF_LINE = re.compile(r"[ \t]*,?[ \t]*(?=\r?\n)")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DECODER = json.JSONDecoder()


class CannotMerge(Exception):
    """The text is not of its format, or the entry cannot be put into it without a loss; the message says why."""


def merged(text: str, client: Client, entry: Mapping[str, Any]) -> str | None:
    """The text with the entry; None where the very entry, or another one for the same server, is there already. Raises
    CannotMerge, also where another server is called like ours."""
    try:
        return _merged_toml(text, client, entry) if client.format == "toml" else _merged_json(text, client, entry)
    except RecursionError:
        raise CannotMerge("it is nested too deep") from None


def _merged_toml(text: str, client: Client, entry: Mapping[str, Any]) -> str | None:
    before = _toml(text)
    servers = before.get(client.servers, {})
    if not isinstance(servers, dict):
        raise CannotMerge(f"{client.servers} is no table")
    servers = cast("Json", servers)
    if _is_there(servers, entry):
        return None
    gap = "" if not text or text.endswith(("\n\n", "\n\r\n")) else "\n" if text.endswith("\n") else "\n\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    after = text + f"{gap}{as_toml(client.servers, entry)}\n".replace("\n", newline)
    if _toml(after) != {**before, client.servers: {**servers, NAME: entry}}:
        raise CannotMerge("a table could not be added behind what is there")
    return after


def _toml(text: str) -> Json:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as broken:
        raise CannotMerge(f"it is no TOML to which a table can be added: {str(broken)[:100]}") from None


def _merged_json(text: str, client: Client, entry: Mapping[str, Any]) -> str | None:
    if not text.strip():
        return json.dumps({client.servers: {NAME: entry}}, indent=2, ensure_ascii=False) + "\n"
    read = _Read(text)
    before = read.value
    servers = before.get(client.servers, {})
    if not isinstance(servers, dict):
        raise CannotMerge(f"{client.servers} is no object")
    servers = cast("Json", servers)
    if _is_there(servers, entry):
        return None
    root = _Members(read, _skip(read.strict, 0))
    if client.servers in before:
        after = _Members(read, root.values[client.servers]).added(NAME, entry, depth=2)
    else:
        after = root.added(client.servers, {NAME: entry}, depth=1)
    if _Read(after).value != {**before, client.servers: {**servers, NAME: entry}}:
        raise CannotMerge("the entry could not be put into it without changing something else")
    return after


def _is_there(servers: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    if NAME not in servers:
        return False
    present: Any = servers[NAME]
    address = next(name for name in ("url", "httpUrl", "command") if name in entry)
    if isinstance(present, dict):
        said = cast("Json", present)
        if all(said.get(name) == entry.get(name) for name in (address, "args")):
            return True
    raise CannotMerge(f"it has another server called {NAME} already, which is left as it is")


class _Read:
    """A text of JSON, also with comments and commas behind last members: `plain` and `strict` are as long as it, with
    blanks for comments, and in `strict` for such commas too."""

    def __init__(self, text: str) -> None:
        self.text = self.plain = self.strict = text
        try:
            value: Any = json.loads(text, parse_constant=_refuse)
        except ValueError:
            self.plain = _COMMENTS.sub(_blank_unless_quoted, text)
            self.strict = _COMMAS.sub(_blank_unless_quoted, self.plain)
            value = self._parsed()
        if not isinstance(value, dict):
            raise CannotMerge("it is no object of JSON")
        self.value = cast("Json", value)

    def _parsed(self) -> Any:
        try:
            return json.loads(self.strict, parse_constant=_refuse)
        except ValueError as broken:
            raise CannotMerge(f"it is no JSON: {str(broken)[:100]}") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no value of JSON")


def _blank_unless_quoted(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0])


class _Members:
    """The members of an object of JSON in a text: where their values begin, and where the last of them ends."""

    def __init__(self, read: _Read, start: int) -> None:
        self.values: dict[str, int] = {}
        self._read = read
        self._open = start + 1
        self._end: int | None = None
        strict = read.strict
        at = _skip(strict, self._open)
        while strict[at] != "}":
            name, at = _DECODER.raw_decode(strict, at)
            begin = _skip(strict, _skip(strict, at) + 1)
            _, self._end = _DECODER.raw_decode(strict, begin)
            if name in self.values:
                raise CannotMerge(f"it has {str(name)[:80]!r} twice")
            self.values[name] = begin
            at = _skip(strict, self._end)
            at = _skip(strict, at + 1) if strict[at] == "," else at

    def added(self, name: str, value: Any, depth: int) -> str:
        """The text with one more member behind the last one, and behind what is said of that on its line."""
        text = self._read.text
        indent = found[1] if (found := _INDENT.search(text)) else "  "
        newline = "\r\n" if "\r\n" in text else "\n"
        said = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", f"\n{indent * depth}")
        member = f"\n{indent * depth}{json.dumps(name)}: {said}".replace("\n", newline)
        if self._end is None:
            same_line = text[self._open :].lstrip(" \t")[:1] not in ("\r", "\n")
            close = f"{newline}{indent * (depth - 1)}" if same_line else ""
            return f"{text[: self._open]}{member}{close}{text[self._open :]}"
        rest = _REST_OF_LINE.match(self._read.plain, self._end)
        if rest is None:
            return f"{text[: self._end]},{member}{text[self._end :]}"
        comma = "" if "," in rest[0] else ","
        return f"{text[: self._end]}{comma}{text[self._end : rest.end()]}{member}{text[rest.end() :]}"


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at
