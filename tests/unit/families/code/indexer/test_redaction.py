"""Test that files lose their secrets and remain valid code."""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from almanac.families.code.core.codec import Part, unpack
from almanac.families.code.core.records import FILES
from almanac.families.code.indexer.analysis import analyse
from almanac.families.code.indexer.prepared_files import prepare_file
from almanac.families.code.indexer.redaction import remove_secrets
from codegraph import FileSummary, outline
from tests.unit.content.redaction.made_up import DIGITS, HEX, PASSWORD, TOKEN, UPPER, WORD, random_text
from tests.unit.families.code.repository import Repository

ACCESS_KEY = "AKIA" + random_text(16, UPPER)
ROOT = Path(__file__).parents[5]
LINES = "\n".join(random_text(64, seed=seed) for seed in range(4))
BYTES = "0x35, 0x34, 0x65, 0x5b, 0x1c, 0x2e, 0x17, 0x08"

FILES_WITH_SECRETS = {
    "string.py": f'password = "{PASSWORD}"\ntoken = b"\\n{TOKEN}"\n',
    "parts.py": f'send("x", api_key="{TOKEN}" "more", timeout=3)\n',
    "template.py": f'url = f"https://h/?token={TOKEN}&user={{user}}"\n',
    "docstring.py": f'def login(token="{TOKEN}"):\n    """Use password {PASSWORD}."""\n    return begin(token)\n',
    "comment.py": f"# password: {PASSWORD}\nlogin()\n",
    "bytes.py": f"key = [{BYTES}]\nuse(key)\n",
    "name.py": f"secret = {ACCESS_KEY}\ntoken = {TOKEN}\n",
    "run.py": f"keys = [sk-proj-{TOKEN}{TOKEN}, xoxb-1234567890-{TOKEN}{TOKEN}]\napi_key = x-{TOKEN}\n",
    "lines.py": f"key = '''-----BEGIN RSA PRIVATE KEY-----\n{LINES}\n-----END RSA PRIVATE KEY-----'''\nlast()\n",
    "a.js": f"const re = /api_key={TOKEN}/; const t = `password: {PASSWORD} ${{user}}`;\n",
    "a.tsx": f'const a = <Login password="{PASSWORD}">token: {TOKEN}</Login>;\n',
    "a.ts": f'const password: string = "{PASSWORD}"; /* token={TOKEN}*/ login();\n',
    "a.go": f"package a\n\nvar text = `password: {PASSWORD}`\nvar secret = []byte{{{BYTES}}}\n",
    "a.rs": f'fn f() {{ let password = r#"{PASSWORD}"#; let key: [u8; 8] = [{BYTES}]; }}\n',
    "A.java": f'class A {{ String password = "{PASSWORD}"; byte[] key = new byte[]{{{BYTES}}}; }}\n',
    "a.cs": f'class A {{ string password = @"{PASSWORD}"; string t = $"token={TOKEN} {{x}}"; }}\n',
    "a.rb": f"PASSWORD = '{PASSWORD}'\ntext = <<~END\n  token: {TOKEN}\n  #{{name}}\nEND\n",
    "a.c": f'/* password={TOKEN}*/\n#define PASSWORD "{PASSWORD}"\nstatic const char AESKEY[] = {{{BYTES}}};\n',
    "a.cpp": f'auto password = u8"{PASSWORD}"; // token: {TOKEN}\nint last();\n',
}


def _has_errors(path: str, text: str) -> bool:
    found = outline(path, text)
    return not found.parsed or found.errors > 0


@pytest.mark.parametrize("path", FILES_WITH_SECRETS)
def test_a_file_without_its_secrets_parses_as_it_did(path: str) -> None:
    text = FILES_WITH_SECRETS[path]
    redacted = remove_secrets(path, text)
    assert not _has_errors(path, text)
    assert not _has_errors(path, redacted.text)
    assert redacted.findings
    assert redacted.text.count("\n") == text.count("\n")
    for secret in (PASSWORD, TOKEN, ACCESS_KEY, LINES[:20], "0x65, 0x5b"):
        assert secret not in redacted.text


def test_code_that_reads_like_a_password_stays() -> None:
    text = 'sa.Column("password", nullable=False)\npassword = hash2of(user)\np.wait(pass_, timeout=0.0001)\n'
    assert remove_secrets("a.py", text).text == text


def test_a_file_that_does_not_parse_is_redacted_as_any_text() -> None:
    assert remove_secrets("a.py", f"the password is {PASSWORD}, tell ann\n").text == (
        "the password is [REDACTED:password], tell ann\n"
    )


BARE = (
    f"sk-ant-api03-{random_text(93, WORD)}AA",
    f"SG.{random_text(22)}.{random_text(43)}",
    f"1000.{random_text(32, HEX)}.{random_text(32, HEX, 3)}",
    f"vk1.a.{random_text(80)}",
    f"xoxb-{random_text(12, DIGITS + 'a')}-{random_text(24)}",
    f"AGE-SECRET-KEY-1{random_text(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}",
    f"access_token$production${random_text(16, HEX)}${random_text(32, HEX)}",
    f"hvs.{random_text(40, WORD)}",
)


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.go", "a.rb", "a.java"])
@pytest.mark.parametrize("token", BARE)
def test_a_token_that_stands_bare_in_code_leaves_no_part(path: str, token: str) -> None:
    redacted = remove_secrets(path, f"x = {token}\ny = [{token}, 1]\n").text
    assert token[-12:] not in redacted
    assert token[12:24] not in redacted


def test_letters_of_more_bytes_do_not_move_what_is_taken_out() -> None:
    text = f'naïve = "é€𝄞"; password = "{PASSWORD}"; ü = "{ACCESS_KEY}"  # 密码: {PASSWORD} ß\n'
    assert remove_secrets("a.py", text).text == (
        'naïve = "é€𝄞"; password = "[REDACTED:password]"; ü = "[REDACTED:aws_access_key]"'
        "  # 密码: [REDACTED:password] ß\n"
    )


def test_callers_beside_a_secret_are_in_the_graph_and_the_secret_is_nowhere() -> None:
    text = (
        f'import client\n\n\ndef login(token="{TOKEN}"):\n    """Use password {PASSWORD}."""\n'
        f'    client.begin(password="{PASSWORD}", retry=3)\n    TABLE["{ACCESS_KEY}"] = connect({ACCESS_KEY})\n'
    )
    made = prepare_file("src/login.py", text)
    assert made.parsed
    summary, plain = (
        unpack(each, FileSummary).python for each in (made.summary, analyse("src/login.py", text).summary)
    )
    assert summary is not None
    assert plain is not None
    assert [call.written for call in summary.calls] == [call.written for call in plain.calls]
    stored = f"{unpack(made.content, str)}{unpack(made.parts, list[Part])}{summary}"
    assert not [secret for secret in (PASSWORD, TOKEN, ACCESS_KEY) if secret in stored]


def test_a_file_with_code_that_reads_like_a_password_is_indexed_as_parsed(repository: Repository) -> None:
    repository.index({"models.py": 'email = Column("password", nullable=False)\n'}, analyse=analyse)
    (file,) = repository.project.rows(FILES).query(limit=2).records
    assert (file.parsed, file.redacted) == (True, ())


def _plant_secrets(source: str, random: Random) -> tuple[str, list[str]]:
    """Return the file with a secret in some of its strings and comments, and the secrets."""
    secrets = {
        f"password: {PASSWORD}": PASSWORD,
        f"api_key={random_text(24, seed=5)} ": random_text(24, seed=5),
        ACCESS_KEY: ACCESS_KEY,
        f"ghp_{random_text(36)}": random_text(36),
        f"https://ann:{random_text(12, HEX, 3)}@h.example.org/x": random_text(12, HEX, 3),
    }
    lines = source.split("\n")
    planted: list[str] = []
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(source).readline))):
        is_plain = token.type == tokenize.STRING and token.string[0] in "\"'" and token.string[:3] != '"""'
        if (is_plain or token.type == tokenize.COMMENT) and random.random() < 0.2:
            line, last = token.end[0] - 1, token.end[1] - is_plain
            text = random.choice(list(secrets))
            is_empty = token.string.strip("\"'") == ""
            lines[line] = f"{lines[line][:last]}{'' if is_empty else ' '}{text}{lines[line][last:]}"
            planted.append(secrets[text])
    return "\n".join(lines), planted


def _sources() -> Iterator[Path]:
    every = sorted((ROOT / "layers" / "app").rglob("*.py"))
    yield from Random(3).sample(every, 60)


def test_own_files_with_secrets_planted_in_them_parse_without_them() -> None:
    random = Random(11)
    for path in _sources():
        text, planted = _plant_secrets(path.read_text(), random)
        ast.parse(text)
        redacted = remove_secrets("a.py", text).text
        ast.parse(redacted)
        assert not [each for each in planted if each in redacted], path
