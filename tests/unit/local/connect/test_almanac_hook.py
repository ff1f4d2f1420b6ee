"""The script that carries hooks, run as clients run it, against a server that comes and goes."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.content.redaction.exported_patterns import masking_patterns
from almanac.gateway.hooks.injection import strip_injected
from almanac.local.connect import almanac_hook
from tests.cpu_time import takes_under
from tests.until import wait_until

SCRIPT = Path(almanac_hook.__file__)
HOOK: Any = almanac_hook
"""The script has no annotations: it runs on whatever Python is there."""
Json = dict[str, Any]
KEY = "sk-" + "ant-api03-" + "Zk3Qw9xR7" * 10 + "AA"


_PATIENT = """
import _signal, runpy, sys
patience, *sys.argv = sys.argv[1:]
waits = _signal.setitimer
_signal.setitimer = lambda which, seconds: waits(which, int(patience) * seconds)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Receiver:
    """A server that records requests. It cuts off the next `fails` requests, half of them after taking them."""

    def __init__(self) -> None:
        self.bodies: list[Json] = []
        self.fails = 0
        self.port = 0
        self.status = 200
        self.answer: Json = {}

    @contextmanager
    def up(self) -> Generator[None]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if outer.fails:
                    outer.fails -= 1
                    if outer.fails % 2:
                        outer.bodies.append(body)
                    self.connection.close()
                    return
                if outer.status == 200:
                    outer.bodies.append(body)
                data = json.dumps(outer.answer).encode()
                self.send_response(outer.status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except (OSError, ValueError):
                    self.close_connection = True

        server = HTTPServer(("127.0.0.1", self.port), Handler)
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def turns(self) -> list[str]:
        """Texts as a server keeps them, which knows turns by their ids."""
        kept: dict[str, str] = {}
        for body in self.bodies:
            for turn in body.get("almanac", {}).get("turns", ()):
                kept.setdefault(turn["id"], turn["text"])
        return list(kept.values())


class Machine:
    def __init__(self, home: Path, receiver: Receiver) -> None:
        self.home = home
        self.settings: Json = {}
        self.keys: Json | None = None
        self.receiver = receiver
        (home / "patterns.json").write_text(json.dumps(masking_patterns()))

    def run(self, event: Json | str, client: str = "claude-code", *, patience: int = 20, **variables: str) -> str:
        """Run the hook with `patience` times its deadlines, because a busy machine would make it drop events."""
        keys = {client: "alm_x"} if self.keys is None else self.keys
        config = {"url": f"http://127.0.0.1:{self.receiver.port}", "keys": keys, **self.settings}
        (self.home / "config.json").write_text(json.dumps(config))
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PATIENT, str(patience), SCRIPT, client],
            input=event if isinstance(event, str) else json.dumps(event),
            capture_output=True,
            text=True,
            check=True,
            timeout=100,
            env={"ALMANAC_HOOKS_HOME": str(self.home), **variables},
        )
        assert done.stderr == ""
        return done.stdout


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def machine(tmp_path: Path, receiver: Receiver) -> Machine:
    home = tmp_path / "hooks"
    home.mkdir()
    return Machine(home, receiver)


def line(number: int, text: str, role: str = "user") -> str:
    return json.dumps({"type": role, "uuid": f"u{number}", "message": {"role": role, "content": text}}) + "\n"


@pytest.mark.enable_socket
def test_a_thousand_turns_arrive_once_and_in_order_from_a_server_that_comes_and_goes(
    tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    transcript = tmp_path / "s.jsonl"
    stop = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(tmp_path), "hook_event_name": "Stop"}
    with receiver.up():
        pass
    for round_ in range(10):
        with transcript.open("a") as target:
            target.writelines(line(round_ * 100 + number, f"turn {round_ * 100 + number}") for number in range(100))
        if round_ % 3 == 1:
            assert machine.run(stop) == ""
            continue
        with receiver.up():
            receiver.fails = 2 * (round_ % 2)
            machine.run(stop)
    with receiver.up():
        receiver.fails = 0
        machine.run(stop | {"hook_event_name": "SessionEnd"})
    assert receiver.turns() == [f"turn {number}" for number in range(1000)]
    assert all(body["almanac"]["repository"].startswith("path:") for body in receiver.bodies)


@pytest.mark.enable_socket
@pytest.mark.parametrize("status", [301, 302, 307, 402, 405, 407, 500, 511])
def test_turns_wait_for_the_server_behind_a_portal_that_answers_for_it(
    status: int, tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(line(1, "said behind the portal of a hotel"))
    stop = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(tmp_path), "hook_event_name": "Stop"}
    with receiver.up():
        receiver.status = status
        machine.run(stop)
        receiver.status = 200
        machine.run(stop)
    assert receiver.turns() == ["said behind the portal of a hotel"]


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    "torn", ['{"type": "user", "message": {"role": "user", "content": "torn', '{"a": ', "{", "[1, ", '"\x01"', "nul"]
)
def test_a_line_that_was_cut_for_good_holds_up_none_of_those_behind_it(
    torn: str, tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(line(1, "before") + torn + "\n" + line(2, "behind"))
    stop = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(tmp_path), "hook_event_name": "Stop"}
    with receiver.up():
        machine.run(stop)
    assert receiver.turns() == ["before", "behind"]


@pytest.mark.enable_socket
def test_what_is_private_or_secret_does_not_leave_the_machine(
    tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    transcript = tmp_path / "s.jsonl"
    said = (
        f"use {KEY} and <private>my name</private> <almanac-memory>old</almanac-memory>DB_PASSWORD=hunter2secret9 now"
    )
    transcript.write_text(line(1, said) + line(2, "<command-name>/clear</command-name>"))
    stop = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(tmp_path), "hook_event_name": "Stop"}
    written = {"tool_name": "Write", "tool_input": {"file_path": str(tmp_path / "a.py"), "content": KEY}}
    with receiver.up():
        machine.run(stop)
        machine.run({**stop, "hook_event_name": "PreToolUse", **written})
    sent = json.dumps(receiver.bodies)
    assert len(receiver.turns()) == 1
    assert "use [REDACTED:" in receiver.turns()[0]
    for secret in (KEY, "my name", "old", "hunter2secret9"):
        assert secret not in sent
    kept = "".join(path.read_text() for path in machine.home.rglob("*.jsonl"))
    assert KEY not in kept


@pytest.mark.enable_socket
@pytest.mark.parametrize("how", ["variable", "file", "paused", "left out"])
def test_it_can_be_silenced(how: str, tmp_path: Path, machine: Machine, receiver: Receiver) -> None:
    (tmp_path / ".almanac").mkdir()
    files = {"file": tmp_path / ".almanac/off", "paused": machine.home / "paused"}
    if how in files:
        files[how].touch()
    (tmp_path / ".almanac/ignore").write_text("secret/\n" if how == "left out" else "")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(tmp_path / "secret/a.py")}}
    event = {"session_id": "s", "cwd": str(tmp_path), "hook_event_name": "PreToolUse", **edit}
    receiver.answer = {"x": 1}
    with receiver.up():
        assert machine.run(event, ALMANAC_HOOKS="off" if how == "variable" else "") == ""
    assert receiver.bodies == []


@pytest.mark.parametrize(
    "named",
    [
        {"tool_name": "Edit", "tool_input": {"file_path": "src/../secret/a.py"}},
        {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: secret/a.py\n+x"}},
        {"toolName": "bash", "toolArgs": json.dumps({"command": "cat 'secret/a.py'"})},
        {"tool_info": {"file_path": "secret/deep/a.py"}},
        {"file_path": "docs/server.pem"},
        {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "secret/a.py:3: bad"},
        {"tool_name": "mcp__bank__pay", "tool_input": {}},
    ],
    ids=["path", "patch", "command", "tool_info", "afterFileEdit", "error", "tool"],
)
@pytest.mark.enable_socket
def test_paths_and_tools_that_are_left_out_are_not_sent(
    named: Json, tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    (tmp_path / ".almanac").mkdir()
    (tmp_path / ".almanac/ignore").write_text("# ours\n/secret/\n*.pem\n")
    machine.settings = {"leave_out_tools": ["mcp__bank__*"]}
    event = {"session_id": "s", "cwd": str(tmp_path), "hook_event_name": "PostToolUse"}
    with receiver.up():
        machine.run(event | named)
        assert receiver.bodies == []
        machine.run(event | {"tool_name": "Edit", "tool_input": {"file_path": "secrets.py"}})
    assert len(receiver.bodies) == 1


@pytest.mark.enable_socket
def test_what_was_said_while_hooks_were_off_is_never_sent(tmp_path: Path, machine: Machine, receiver: Receiver) -> None:
    transcript, folder = tmp_path / "s.jsonl", tmp_path / "shop/src"
    folder.mkdir(parents=True)
    (tmp_path / ".almanac").mkdir()
    (tmp_path / ".almanac/off").touch()
    stop = {"session_id": "s", "transcript_path": str(transcript), "cwd": str(folder), "hook_event_name": "Stop"}
    transcript.write_text(line(1, "between us"))
    with receiver.up():
        machine.run(stop)
        (tmp_path / ".almanac/off").unlink()
        with transcript.open("a") as target:
            target.write(line(2, "for the record"))
        machine.run(stop)
    assert receiver.turns() == ["for the record"]


@pytest.mark.enable_socket
def test_without_patterns_or_a_key_nothing_is_sent(tmp_path: Path, machine: Machine, receiver: Receiver) -> None:
    prompt = {"conversation_id": "c", "cwd": str(tmp_path), "hook_event_name": "beforeSubmitPrompt", "prompt": "Hello"}
    with receiver.up():
        machine.keys = {}
        machine.run(prompt, "cursor")
        machine.keys = None
        (machine.home / "patterns.json").unlink()
        machine.run(prompt, "cursor")
    assert receiver.bodies == []


@pytest.mark.enable_socket
def test_a_prompt_that_a_server_is_slow_to_take_is_kept_and_holds_nobody_up(
    tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    prompt = {"conversation_id": "c", "cwd": str(tmp_path), "hook_event_name": "beforeSubmitPrompt", "prompt": "Slow"}
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        receiver.port = silent.getsockname()[1]
        assert machine.run(prompt, "cursor", patience=3) == ""
    receiver.port = 0
    with receiver.up():
        machine.run(prompt | {"hook_event_name": "stop", "text": "Done"}, "cursor")
    assert [body.get("prompt") for body in receiver.bodies] == ["Slow"]


@pytest.mark.enable_socket
def test_the_answer_is_printed_and_a_prompt_without_a_transcript_is_kept_for_later(
    tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    prompt = {"conversation_id": "c", "generation_id": "g", "workspace_roots": [str(tmp_path)]}
    prompt |= {"hook_event_name": "beforeSubmitPrompt", "prompt": "Rename it"}
    with receiver.up():
        pass
    assert machine.run(prompt, "cursor") == ""
    receiver.answer = {"continue": True}
    with receiver.up():
        assert json.loads(machine.run(prompt | {"generation_id": "g2"}, "cursor")) == {"continue": True}
        machine.run(prompt | {"hook_event_name": "afterAgentResponse", "text": "Done"}, "cursor")
    assert [body.get("generation_id") for body in receiver.bodies] == ["g2", "g", "g"]


@pytest.mark.parametrize("given", ["", "{", "[]", "null", "\x00", '{"cwd": 7, "workspace_roots": {}}'])
def test_what_cannot_be_read_prints_nothing_and_ends_well(given: str, machine: Machine) -> None:
    assert machine.run(given) == ""


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <PRIVATE reason='x'>b\nc", "a"),
        ("a </private> b", "a  b"),
        ("<system-reminder>x</system-reminder>a<almanac-memory id=1>y</almanac-memory>", "a"),
        ("a <privateer> b", "a <privateer> b"),
        ('a<channel source="almanac-channel" kind="mail">\n> b\n</channel> c', "a c"),
        ("<channel source='plugin:almanac:channel' kind=\"mail\">\n> b", ""),
        (
            'a <channel><title>b</title></channel> <channel source="other">c</channel>',
            'a <channel><title>b</title></channel> <channel source="other">c</channel>',
        ),
    ],
)
def test_blocks_are_stripped_whole(said: str, left: str) -> None:
    assert almanac_hook.strip_private_blocks(said) == left
    assert strip_injected(said) == left


def test_worktrees_and_clones_are_one_project_and_two_repositories_are_two(tmp_path: Path) -> None:
    def git(*arguments: str | Path) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *who, *map(str, arguments)], check=True, capture_output=True)

    one, two, clone = tmp_path / "one", tmp_path / "two", tmp_path / "clone"
    for folder in (one, two, clone):
        git("init", folder)
        git("-C", folder, "commit", "--allow-empty", "-m", "x")
    git("-C", one, "worktree", "add", tmp_path / "tree")
    (one / "src").mkdir()

    def ids() -> list[str]:
        folders = (one / "src", tmp_path / "tree", two, clone)
        return [almanac_hook.project_of(str(folder))[1] for folder in folders]

    first, tree, other, far = ids()
    assert first == tree
    assert len({first, other, far}) == 3
    git("-C", one, "remote", "add", "origin", "git@GitHub.com:acme/shop.git")
    git("-C", clone, "remote", "add", "origin", "https://token@github.com/acme/shop")
    git("-C", two, "remote", "add", "origin", "ssh://git@github.com:22/acme/till.git")
    first, tree, other, far = ids()
    assert first == tree == far
    assert first != other


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Authorization: Bearer {'Zk3Qw9xR7' * 4} and so on", "Zk3Qw9xR7"),
        ("connect to postgres://ann:pl4typus77@db/x", "pl4typus77"),
        (f"api_key = '{'q8Zk3' * 5}' end", "q8Zk3"),
        ('{"password": "correct horse 9"}', "correct horse 9"),
        ('if (password !== "PaS5w0rD2#") {', "PaS5w0rD2#"),
        ("the password is hunter2secret9, ok?", "hunter2secret9"),
        ("das Kennwort lautet Sommer2026!", "Sommer2026!"),
        ("my_pw: nCzx8A8#!", "nCzx8A8#!"),
        ("mysql --user ann --password dipPr137Gg!", "dipPr137Gg!"),
        ("<password>cackle!</password>", "cackle!"),
        ("DB_PASSWORD=letmeinplease\n", "letmeinplease"),
        ("password for root: IhqSb1Gg", "IhqSb1Gg"),
        ("token = V84C7sDU001tFFodKU95USNy97 and again V84C7sDU001tFFodKU95USNy97.", "V84C7sDU001tFFodKU95USNy97"),
        ("Secret: []byte{333, 9, 100, 114, 245, 164, 134, 217,225,26,0}", "114, 245"),
        ("A" * 60_000, "AAAA"),
    ],
)
def test_secrets_are_masked_by_pythons_own_engine(text: str, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(almanac_hook, "rules", masking_patterns)
    masked = almanac_hook.mask(text)
    assert secret not in masked
    assert "[REDACTED:" in masked


@pytest.mark.parametrize(
    "text",
    [
        "Rename the module to billing and run the tests in tests/unit/test_billing.py again, please.",
        "The password is required and the token is expired; reset the password form.",
        "password = getpass.getpass()",
        "Set max_tokens: 4096 and password_file: /etc/x.conf, key: value, token_count = 12345678",
        "export TOKEN=$(cat token.txt) PASSWORD=${DB_PASSWORD}",
        "The compass points north: a passage of 1200 words",
    ],
)
def test_what_is_no_secret_stays(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(almanac_hook, "rules", masking_patterns)
    assert almanac_hook.mask(text) == text


def test_hostile_texts_are_masked_in_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(almanac_hook, "rules", masking_patterns)
    for text in ("to identified by " * 500, "mysql " * 1500, ("_key" * 200 + " ") * 9, "password: " * 700):
        assert takes_under(5, lambda text=text: almanac_hook.mask(text))


@pytest.mark.enable_socket
def test_a_prompt_that_takes_long_to_mask_is_kept_and_holds_nobody_up(
    tmp_path: Path, machine: Machine, receiver: Receiver
) -> None:
    slow = {"kind": "x", "pattern": "(?:(?:a+)+b)|(never)"}
    (machine.home / "patterns.json").write_text(json.dumps([*masking_patterns(), *[slow] * 1]))
    prompt = {"conversation_id": "c", "cwd": str(tmp_path), "hook_event_name": "beforeSubmitPrompt"}
    with receiver.up():
        long = prompt | {"prompt": "my token " + "a" * 23 + " c " + "a" * 23}
        assert machine.run(long, "cursor", patience=1) == ""
        waiting = machine.home / "queue"
        wait_until(lambda: any(one.stat().st_size for one in waiting.glob("*.jsonl")) or bool(receiver.bodies))
        machine.run(prompt | {"hook_event_name": "afterAgentResponse", "text": "Done"}, "cursor")
    assert len(receiver.bodies) == 2


SAID = st.text(st.one_of(st.characters(), st.sampled_from("paswd_apimote:/?=\u0131\u017f\u212a \n")), max_size=40)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | SAID,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SAID, inner, max_size=4),
        max_leaves=12,
    ),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_json_is_read_and_written_as_by_the_standard_library(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value)
    assert HOOK.dumps(value) == text
    written = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    assert json.dumps(HOOK.loads(written)) == json.dumps(json.loads(written))
    assert json.dumps(HOOK.loads(f" {text}\n".encode())) == text


@pytest.mark.parametrize("broken", ["", "[1", "[1]]", "{", "nul", '"a', "[1] 2", "\ufeff[]", b"\xff"])
def test_what_is_no_json_is_refused_as_such(broken: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        HOOK.loads(broken)


def test_json_is_that_of_the_standard_library_where_its_parts_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    assert HOOK.codec() == (json.loads, json.dumps)


PATTERN = re.compile(
    r"\S{14}|://|pass|ps+w|pw|secret|token|key|cred|bearer|cookie|auth|basic|login|kennwort|senha|contrase|clave|mot.de|"
    r"wachtwoord|parola|haslo|heslo|senord|adgang|salasana|psk|mdp|salt|nonce|sess|sig|seed|pin|otp|api|_id|-----BEGIN",
    re.IGNORECASE,
)


@given(SAID)
@settings(max_examples=300, deadline=None)
def test_a_text_is_looked_through_wherever_a_pattern_of_suspicion_matches(text: str) -> None:
    assert HOOK.is_suspect(text) or not PATTERN.search(text)


@given(st.text("ab:/@+.-1 ", max_size=24))
@settings(max_examples=300, deadline=None)
def test_the_address_of_a_remote_keeps_its_form(url: str) -> None:
    """The form that identities of repositories were made of before, by patterns."""
    url = url.strip()
    plain = re.sub(r"^[a-z+]+://", "", url, flags=re.IGNORECASE)
    plain = re.sub(r"^[^@/]*@", "", plain).rstrip("/")
    plain = re.sub(r"^([^/:]+):(?:\d+/)?/?", r"\1/", plain)
    host, slash, path = plain.partition("/")
    wanted = host.lower() + slash + path.removesuffix(".git")
    assert HOOK.remote_of(f'[remote "origin"]\n url = {url}\n') == wanted


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("", ("127.0.0.1", 8787, "", False)),
        ("nonsense", ("127.0.0.1", 8787, "", False)),
        ("http://localhost", ("localhost", 80, "", False)),
        ("http://[::1]:99/mcp", ("::1", 99, "", False)),
        ("http://[::1]/mcp", ("::1", 80, "", False)),
        ("https://a.example/stage/mcp/team?x=1", ("a.example", 443, "/stage", True)),
        ("https://a.example:8443/mcphub/mcp", ("a.example", 8443, "/mcphub", True)),
        ("https://a.example/stage/", ("a.example", 443, "/stage", True)),
    ],
)
def test_the_address_of_the_server_is_read(url: str, place: tuple[str, int, str, bool]) -> None:
    server = HOOK.Server({"urls": {"codex": url}}, "codex")
    assert (server.host, server.port, server.path, server.secure) == place


def test_most_events_start_without_what_is_slow_to_import(machine: Machine) -> None:
    (machine.home / "config.json").write_text(json.dumps({"url": "http://127.0.0.1:9", "keys": {"claude-code": "k"}}))
    event = {"session_id": "s", "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt": "go on with the list"}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", SCRIPT, "claude-code"],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=True,
        env={"ALMANAC_HOOKS_HOME": str(machine.home)},
    )
    imported = {row.rpartition("|")[2].strip() for row in done.stderr.splitlines()}
    assert {"os", "_socket"} <= imported
    assert not {"json", "re", "socket", "signal", "hashlib", "functools", "enum"} & imported
