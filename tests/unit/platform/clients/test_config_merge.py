"""An entry is added to a configuration, and every other byte of it stays."""

import json
import re
import tomllib
from typing import Any

import pytest

from almanac.platform.clients.config_merge import CannotMerge, merge_entry
from almanac.platform.clients.entries import CLIENTS
from almanac.platform.clients.server import Server

SERVER = Server(url="http://127.0.0.1:8787/mcp")
CURSOR, CODEX, OPENCODE = CLIENTS["cursor"], CLIENTS["codex"], CLIENTS["opencode"]
ENTRY = CURSOR.of(SERVER)


def _json(text: str) -> str:
    after = merge_entry(text, CURSOR, ENTRY)
    assert after is not None
    return after


def _toml(text: str) -> str:
    after = merge_entry(text, CODEX, CODEX.of(SERVER))
    assert after is not None
    return after


def _is_insertion(before: str, after: str) -> bool:
    """Whether one stretch was put into the text, and at most a comma elsewhere."""
    rest = list(after)
    return all(letter in rest and not rest.__delitem__(slice(0, rest.index(letter) + 1)) for letter in before)


@pytest.mark.parametrize(
    "before",
    [
        "{}",
        "{ }",
        "{\n}\n",
        '{"mcpServers": {}}',
        '{"theme": 1.10}',
        '{\n  "mcpServers": {\n    "other": {"url": "http://x", "n": 1e5}\n  },\n  "z": [1,   2]\n}\n',
        '{\n\t"a": "\\u00e9 \\ud83d",\n\t"mcpServers": {\n\t\t"other": {}\n\t}\n}',
        '{"mcpServers": {"a": {}}}',
        '{"b": {"mcpServers": {"not": "this"}}, "mcpServers": {"a": {"command": "}{\\"//"}}}',
    ],
)
def test_an_entry_is_added_to_json_and_nothing_else_changes(before: str) -> None:
    after, old = _json(before), json.loads(before)
    assert json.loads(after) == {**old, "mcpServers": {**old.get("mcpServers", {}), "almanac": ENTRY}}
    assert _is_insertion(before, after)


@pytest.mark.parametrize("before", ["", " \n"])
def test_an_empty_file_gets_the_whole(before: str) -> None:
    assert json.loads(_json(before)) == {"mcpServers": {"almanac": ENTRY}}
    assert tomllib.loads(_toml(before)) == {"mcp_servers": {"almanac": CODEX.of(SERVER)}}


def test_the_indent_and_the_line_ends_of_a_file_are_kept() -> None:
    after = _json('{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n')
    assert '\r\n        "almanac": {\r\n            "url"' in after
    assert "\n" not in after.replace("\r\n", "")
    assert "\n" not in _toml("[a]\r\nb = 1\r\n").replace("\r\n", "")


def test_comments_and_last_commas_stay() -> None:
    before = """\
// mine
{
  "theme": "dark", // not light
  "mcp": {
    /* the "first" one } */
    "other": {"url": "https://x//y"}, // the other
  },
}
"""
    after = merge_entry(before, OPENCODE, OPENCODE.of(SERVER))
    assert after is not None
    assert _is_insertion(before, after)
    assert '"other": {"url": "https://x//y"}, // the other\n    "almanac": {' in after
    plain = re.sub(r",(?=\s*[}\]])", "", re.sub(r"//(?: mine| not light| the other)|/\*.*?\*/", "", after))
    assert json.loads(plain)["mcp"]["almanac"] == OPENCODE.of(SERVER)
    assert json.loads(plain)["mcp"]["other"] == {"url": "https://x//y"}


def test_an_entry_is_not_put_into_a_comment() -> None:
    after = _json('{"mcpServers": {"a": {} /* of\n two lines */ }}')
    assert json.loads(after.replace("/* of\n two lines */", "")) == {"mcpServers": {"a": {}, "almanac": ENTRY}}


def test_a_table_is_added_behind_what_toml_has() -> None:
    before = '# mine\nmodel = "x" # best\n\n[mcp_servers.other]\nurl = "http://x"\n'
    after = _toml(before)
    assert after.startswith(before)
    assert tomllib.loads(after)["mcp_servers"] == {"other": {"url": "http://x"}, "almanac": CODEX.of(SERVER)}


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("{", "not JSON"),
        ('{"a": 1} x', "not JSON"),
        ("[]", "not a JSON object"),
        ('{"mcpServers": []}', "is not an object"),
        ('{"mcpServers": {}, "mcpServers": {"a": {}}}', "twice"),
        ('{"mcpServers": {"a": {}, "a": {}}}', "twice"),
        ('{"mcpServers": {"almanac": {"url": "https://other"}}}', "another server called almanac"),
        ('{"mcpServers": {"almanac": "x"}}', "another server called almanac"),
        ('{"a": NaN}', "not JSON: NaN"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
)
def test_json_that_cannot_take_an_entry_is_refused(before: str, why: str) -> None:
    with pytest.raises(CannotMerge, match=why):
        merge_entry(before, CURSOR, ENTRY)


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("a = ", "not TOML"),
        ("mcp_servers = {}\n", "not TOML"),
        ("mcp_servers = 1\n", "not a table"),
        ('[mcp_servers.almanac]\nurl = "https://other"\n', "another server called almanac"),
        ("a = nan\n", "could not be added"),
    ],
)
def test_toml_that_cannot_take_a_table_is_refused(before: str, why: str) -> None:
    with pytest.raises(CannotMerge, match=why):
        merge_entry(before, CODEX, CODEX.of(SERVER))


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_what_is_there_already_is_left_alone(client: str) -> None:
    one = CLIENTS[client]
    server = Server(url="http://127.0.0.1:1/mcp", command=["python", "-m", "almanac"], environment={"TIMEZONE": "UTC"})
    again = merge_entry(one.snippet(server), one, one.of(server))
    assert again is None


def test_a_server_that_is_started_on_other_data_is_another_one() -> None:
    claude = CLIENTS["claude"]
    one, other = (Server(command=["python", "--data", folder]) for folder in ("/one", "/other"))
    with pytest.raises(CannotMerge, match="another server called almanac"):
        merge_entry(claude.snippet(one), claude, claude.of(other))


def test_an_entry_with_a_key_of_its_own_is_ours_too() -> None:
    entry: dict[str, Any] = {**ENTRY, "headers": {"x-api-key": "alm_mine"}}
    assert merge_entry(json.dumps({"mcpServers": {"almanac": entry}}), CURSOR, ENTRY) is None
