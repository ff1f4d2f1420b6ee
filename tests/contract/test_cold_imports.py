"""Test the modules that each function imports until its first answer. Their number does not depend on the machine.

Each function answers a sample call in a process of its own, over the package as a build lays it out and an empty table.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import grimp
import pytest

from almanac.composition.families import FAMILIES, declaration, families_for_docs
from almanac.composition.prepared import write_prepared
from almanac.platform.declaration.family import Later
from tests.unit.gateway.events import message, rest_event
from tools.documents.event_samples import samples

ROOT = Path(__file__).parents[2]
LAYER = ROOT / "layers/app"

ANY_FUNCTION = frozenset(
    {
        "almanac.content.injections",  # the model of injections, for the first text that is judged
        "almanac.content.injection_check",
        "almanac.families.calendar.providers.caldav",
        "almanac.families.calendar.providers.google",
        "almanac.families.calendar.providers.transport",
        "almanac.local",
        "almanac.platform.embedder.minilm",
        "almanac.search.engine.engine",
        "almanac.search.opensearch",
        "almanac.search.ranking",
        "almanac.platform.store.sqlite",
        "Stemmer",
        "aws_xray_sdk",
        "dateutil.rrule",
        "icalendar",
        "numpy",
        "opensearchpy",
        "sqlite3",
        "tree_sitter",
    }
)
"""Forbidden in all of them, with what is below it. Each is imported by the calls that need it."""
SERVES_NO_STORE = frozenset({"almanac.platform.store.dynamodb", "boto3", "botocore.client", "pynamodb"})
BUDGETS = {
    "hub": 125,
    "time": 125,
    "calendar": 218,
    "planner": 286,
    "context": 235,
    "memory": 314,
    "knowledge": 181,
    "code": 174,
    "skills": 166,
    "team": 214,
    "dashboard": 155,
}
"""Modules of `almanac`, three in a hundred more than there are."""

_CALL = """
import json, sys
from importlib import import_module
event = json.load(sys.stdin)
out, sys.stdout = sys.stdout, sys.stderr
answer = import_module("handle_http").handler(event, None)
json.dump({"answer": answer, "modules": sorted(sys.modules)}, out)
out.flush()  # what is frozen by then is not closed at the end
"""


class _EmptyTable(BaseHTTPRequestHandler):
    """Answers every read as DynamoDB does for a table without items, and takes every write."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        nothing: dict[str, Any] = {"Query": {"Items": [], "Count": 0}, "Scan": {"Items": [], "Count": 0}}
        nothing["TransactGetItems"] = {"Responses": [{}] * len(asked.get("TransactItems", ()))}
        nothing["BatchGetItem"] = {"Responses": {}, "UnprocessedKeys": {}}
        body = json.dumps(nothing.get(self.headers["x-amz-target"].rpartition(".")[2], {})).encode()
        self.send_response(200)
        self.send_header("content-type", "application/x-amz-json-1.0")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def table() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _EmptyTable) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def layer_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as the layer has it: its modules, and the files that a build prepares."""
    artifacts = tmp_path_factory.mktemp("layer")
    command = ["make", "-s", "-C", str(LAYER), "copy-package", f"ARTIFACTS_DIR={artifacts}"]
    subprocess.run(command, check=True, capture_output=True)
    for family in families_for_docs():
        write_prepared(family, artifacts / "python/almanac/prepared")
    return artifacts / "python"


def test_the_layer_holds_all_that_its_modules_import_and_nothing_of_the_laptop(layer_package: Path):
    """Imports within functions count too, and those for types alone."""
    graph = grimp.build_graph("almanac", cache_dir=None)
    files = {path.relative_to(layer_package).with_suffix("") for path in (layer_package / "almanac").rglob("*.py")}
    held = {".".join(path.parts).removesuffix(".__init__") for path in files}

    left_out = graph.modules - held
    assert "almanac.local" in left_out
    assert {one for one in held if one.startswith("almanac.local")} == set()
    lacking = {one: graph.find_modules_directly_imported_by(one) & left_out for one in held}
    assert {one: lacks for one, lacks in lacking.items() if lacks} == {}


@pytest.mark.parametrize("function", ["hub", *FAMILIES])
def test_a_function_imports_until_its_first_answer_what_the_call_needs(function: str, layer_package: Path, table: str):
    sample = "time_rest" if function == "hub" else f"{function}_rest"
    event = dict(samples())[f"events/{sample}.json"].replace("/mcp/time", "/mcp" if function == "hub" else "/mcp/time")

    served = _run_function(function, event, layer_package, table)

    assert not json.loads(served["answer"]["body"])["result"].get("isError"), served["answer"]["body"]
    forbidden = ANY_FUNCTION | (SERVES_NO_STORE if function in ("time", "hub", "skills") else frozenset[str]())
    assert [one for one in served["modules"] if any(f"{one}.".startswith(f"{name}.") for name in forbidden)] == []
    own = [one for one in served["modules"] if one.startswith("almanac.")]
    assert len(own) <= BUDGETS[function], f"{len(own)} modules:\n" + "\n".join(own)


def test_a_search_of_memory_imports_what_other_families_bring_to_search_only_where_it_finds_some(
    layer_package: Path, table: str
):
    event = json.loads(dict(samples())["events/memory_rest.json"])
    asked = message("tools/call", {"name": "search_memory", "arguments": {"query": "Who mends the boat?"}})

    served = _run_function("memory", json.dumps(event | {"body": asked}), layer_package, table)

    assert json.loads(served["answer"]["body"])["result"]["structuredContent"]["hits"] == []
    assert "almanac.search.engine.engine" in served["modules"]
    families = map(declaration, FAMILIES)
    sources = {cast("Later", family.searchable).module for family in families if family.searched_kinds}
    assert sources & set(served["modules"]) == {"almanac.families.memory.core.documents"}


@pytest.mark.parametrize(("method", "path"), [("GET", "/.well-known/oauth-protected-resource"), ("POST", "/token")])
def test_sign_in_imports_no_more_than_a_third_above_what_the_time_functions_call_needs(
    method: str, path: str, layer_package: Path, table: str
):
    form = "grant_type=refresh_token&client_id=alc-one&refresh_token=none"
    event = rest_event(form, None, path, method)
    event["headers"] |= {"Host": "mcp.example.com", "Content-Type": "application/x-www-form-urlencoded"}
    event["multiValueHeaders"] = {}

    served = _run_function("sign_in", json.dumps(event), layer_package, table)

    assert served["answer"]["statusCode"] == (200 if method == "GET" else 401), served["answer"]["body"]
    assert [one for one in served["modules"] if any(f"{one}.".startswith(f"{name}.") for name in ANY_FUNCTION)] == []
    own = [one for one in served["modules"] if one.startswith("almanac.")]
    assert len(own) <= 1.3 * BUDGETS["time"], f"{len(own)} modules:\n" + "\n".join(own)


def test_the_form_to_sign_in_to_the_dashboard_imports_no_family(layer_package: Path, table: str):
    event = rest_event(None, None, "/ui", "GET")
    event["headers"] |= {"Host": "mcp.example.com"}
    event["multiValueHeaders"] = {}

    served = _run_function("dashboard", json.dumps(event), layer_package, table)

    assert (served["answer"]["statusCode"], "Sign in to Almanac" in served["answer"]["body"]) == (200, True)
    assert [one for one in served["modules"] if any(f"{one}.".startswith(f"{name}.") for name in ANY_FUNCTION)] == []
    imported = {one.split(".")[2] for one in served["modules"] if one.startswith("almanac.families.")}
    assert imported <= {"calendar"}, "of which the settings name a range of seconds"
    own = [one for one in served["modules"] if one.startswith("almanac.")]
    assert len(own) <= BUDGETS["dashboard"], f"{len(own)} modules:\n" + "\n".join(own)


def test_lists_of_the_hub_import_no_family(layer_package: Path, table: str):
    event = dict(samples())["events/hub_rest.json"]

    served = _run_function("hub", event, layer_package, table)

    tools = json.loads(served["answer"]["body"])["result"]["tools"]
    assert len(tools) == sum(len(family.tools) for family in families_for_docs())
    imported = {one.split(".")[2] for one in served["modules"] if one.startswith("almanac.families.")}
    assert imported <= {"calendar"}, "of which the settings name a range of seconds"


def _run_function(function: str, event: str, built: Path, table: str) -> dict[str, Any]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(map(str, (built, ROOT / "functions" / function))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ALMANAC_TABLE": "almanac",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "eu-west-1",
        "AWS_ENDPOINT_URL": table,
        "AWS_LAMBDA_FUNCTION_NAME": "almanac",
        "ALMANAC_PUBLIC_URL": "https://mcp.example.com",
        "POWERTOOLS_SERVICE_NAME": function,
    }
    command = [sys.executable, "-c", _CALL]
    done = subprocess.run(command, input=event, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
