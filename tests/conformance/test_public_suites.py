"""The public conformance suites, run against the fixture family on loopback."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Generator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
import yaml

from tests.conformance.everything.family import CALLER, endpoint
from tests.conformance.shim import serve_endpoint
from tests.doubles.skill_server import ANN, SkillServer, open_store, skill_md
from tests.installation import installation_lock
from tests.integration.local.server_process import ALMANAC, Reply, Server, run_server
from tests.ports import reserve_port
from tests.until import wait_until

pytestmark = pytest.mark.slow

_SCENARIO = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT.*")
_RESULT = Path("node_modules/@modelcontextprotocol/conformance")


@pytest.fixture(scope="module")
def suites(repository: Path) -> Path:
    """The folder with Node and both suites, fetched once."""
    folder = repository / ".tools" / "conformance"
    with installation_lock(folder):
        if not (folder / "ready").exists():
            _install(repository / "tests" / "conformance" / "install.sh")
            (folder / "ready").touch()
    return folder


def _install(script: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is missing: the public conformance suites need Node")
    fetched = subprocess.run(["sh", script], check=False, capture_output=True, text=True)
    if fetched.returncode:
        pytest.skip(f"the public conformance suites could not be fetched: {fetched.stderr[-300:]}")


@pytest.fixture
def url() -> Generator[str]:
    with serve_endpoint(endpoint(), CALLER) as address:
        yield address.replace("127.0.0.1", "localhost")


def _statuses(suites: Path, suite: str, url: str, output: Path, *options: str) -> dict[str, set[str]]:
    """The statuses of the checks of each scenario."""
    command = [*_program(suites, suite), "server", "--url", url, "-o", output, *options]
    subprocess.run(command, capture_output=True, env=os.environ | {"NO_COLOR": "1"}, timeout=100, check=False)
    found: dict[str, set[str]] = {}
    for checks in output.glob("*/checks.json"):
        if named := _SCENARIO.fullmatch(checks.parent.name):
            found[named[1]] = {check["status"] for check in json.loads(checks.read_text())}
    return found


def _program(suites: Path, suite: str) -> tuple[Path, Path]:
    node = suites / "node" / "node_modules" / "node" / "bin" / "node"
    return node, suites / suite / _RESULT / "dist" / "index.js"


def _required_checks(suites: Path, revision: str) -> set[str]:
    listed: dict[str, Any] = yaml.safe_load(
        (suites / "alpha" / _RESULT / "requirements" / f"{revision}.yaml").read_text()
    )
    return set(listed["server"])


@pytest.fixture(scope="module")
def excused_checks(repository: Path) -> set[str]:
    listed: dict[str, Any] = yaml.safe_load((repository / "tests/conformance/expected-failures.yml").read_text())
    return set(listed["server"])


def test_every_scenario_that_the_stateless_revision_requires_passes(suites: Path, url: str, tmp_path: Path) -> None:
    statuses = _statuses(suites, "alpha", url, tmp_path, "--requirements", "2026-07-28")
    required = _required_checks(suites, "2026-07-28")
    assert required <= statuses.keys()
    assert {name: statuses[name] for name in required if statuses[name] & {"FAILURE", "WARNING"}} == {}


def test_every_scenario_of_an_authorization_server_passes(suites: Path, tmp_path: Path) -> None:
    """Of the server of a laptop, with a person who shows a key and allows what the suite asks for."""
    port = reserve_port()
    with run_server([ALMANAC, "serve", "--port", "0", "--data", tmp_path / "data"]) as server:
        callback = f"http://127.0.0.1:{port}/callback"
        registered = server.request("POST", "/register", json.dumps({"redirect_uris": [callback]}))
        origin = server.url.removesuffix("/mcp")
        options = ["--url", origin, "--client-id", registered.json["client_id"], "--port", str(port)]
        command = [*_program(suites, "alpha"), "authorization", *options, "--resource", server.url, "-o", tmp_path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"}) as suite:
            assert suite.stdout is not None
            for line in suite.stdout:
                if line.startswith(f"{origin}/authorize?"):
                    _allow(server, line.strip())
    found = {
        check["id"]: check["status"]
        for checks in tmp_path.glob("authorization-server-*/checks.json")
        for check in json.loads(checks.read_text())
    }
    assert {"authorization-server-metadata", "authorization-code-grant"} <= {*found}
    assert set(found.values()) == {"SUCCESS"}, found


def _allow(server: Server, page: str) -> None:
    """Follow the program's link as a person's browser does, and go back to it."""
    origin = server.url.removesuffix("/mcp")
    shown = server.request("GET", page.removeprefix(origin))
    cookie = shown.headers["set-cookie"].partition(";")[0]

    def submit(seen: Reply, **fields: str) -> Reply:
        (request,) = re.findall(r'name="request" value="([^"]*)"', seen.body.decode())
        form = urlencode({"request": unescape(request), **fields})
        kind = "application/x-www-form-urlencoded"
        return server.request("POST", "/authorize", form, cookie=cookie, origin=origin, content_type=kind)

    consent = submit(shown, key=server.key or "")
    chosen = {"project": "default", "family": "time", "access": "read", "lifetime": "day"}
    answer = submit(consent, decision="allow", **chosen)
    wait_until(lambda: _came_back(answer.headers["location"]))


def _came_back(callback: str) -> bool:
    """The program prints its link before it listens for the way back."""
    try:
        with urlopen(callback, timeout=30) as back:
            return back.status == 200
    except URLError:
        return False


_OF_SKILLS = ("sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory")


def test_every_scenario_of_the_skills_extension_passes(suites: Path, tmp_path: Path) -> None:
    """No revision requires an extension, so they are run by force. Three pages of skills of a store are served."""
    skills = SkillServer(open_store(tmp_path))
    more = "license: MIT\nversion: 1.10\ndisable-model-invocation: true\nmetadata:\n  tags: [a, 2]\nempty:\n"
    skills.install(skill_md("a-pdf", more=more), {"references/a.md": b"a", "scripts/x/run.py": b"1", "logo.png": b"\0"})
    for number in range(100):
        skills.install(skill_md(f"skill-{number}"))
    options = ("--spec-version", "2026-07-28", "--force")
    with serve_endpoint(skills.endpoint, ANN) as address:
        url = address.replace("127.0.0.1", "localhost")
        for name in _OF_SKILLS:
            statuses = _statuses(suites, "alpha", url, tmp_path / name, "--scenario", name, *options)
            assert statuses == {name: {"SUCCESS"}}
    assert skills.defects == []


def test_only_calls_of_the_client_fail_of_what_the_newest_handshake_revision_requires(
    suites: Path, url: str, tmp_path: Path, excused_checks: set[str]
) -> None:
    statuses = _statuses(suites, "alpha", url, tmp_path, "--requirements", "2025-11-25")
    required = _required_checks(suites, "2025-11-25")
    assert required <= statuses.keys()
    assert {name for name in required if "FAILURE" in statuses[name]} == excused_checks


def test_only_calls_of_the_client_fail_in_the_stable_suite(
    suites: Path, url: str, tmp_path: Path, excused_checks: set[str]
) -> None:
    statuses = _statuses(suites, "stable", url, tmp_path, "--suite", "all")
    assert len(statuses) >= 32
    assert {name for name, found in statuses.items() if "FAILURE" in found} == excused_checks
