"""Test that the vendor layer has the service models of called services and no others."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import botocore  # pyright: ignore[reportMissingTypeStubs]
import pytest

DATA = Path(botocore.__file__).parent / "data"
OPERATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "apigatewaymanagementapi": ("PostToConnection", {"ConnectionId": "a", "Data": b"{}"}),
    "bedrock-runtime": ("Converse", {"modelId": "a", "messages": [{"role": "user", "content": [{"text": "a"}]}]}),
    "dynamodb": (
        "TransactWriteItems",
        {"TransactItems": [{"Delete": {"TableName": "abc", "Key": {"pk": {"S": "a"}}}}]},
    ),
    "events": ("PutEvents", {"Entries": [{"Source": "a", "DetailType": "b", "Detail": "{}"}]}),
    "kms": ("Decrypt", {"CiphertextBlob": b"a"}),
    "s3": ("PutObject", {"Bucket": "abc", "Key": "a", "Body": b"a"}),
    "sqs": ("SendMessageBatch", {"QueueUrl": "https://a/b", "Entries": [{"Id": "a", "MessageBody": "b"}]}),
}
"""An operation of each service that a client is made for, with arguments."""
CHANGED = ("dynamodb/2012-08-10", "sqs/2012-11-05")


@pytest.fixture(scope="module")
def thinned_data(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    data = tmp_path_factory.mktemp("botocore") / "data"
    for name in (*OPERATIONS, "ec2", "xray"):
        shutil.copytree(DATA / name, data / name)
    for file in DATA.glob("*.json"):
        shutil.copy(file, data)
    subprocess.run([sys.executable, repository / "layers/vendor/service_models.py", data], check=True)
    return data


OF_OPERATORS = {"logs"}
"""Services that the command line calls, with an operator's whole boto3, and no function does."""


def test_every_service_that_a_client_is_made_for_is_kept(thinned_data: Path, repository: Path) -> None:
    sources = [path.read_text() for path in (repository / "layers/app/almanac").rglob("*.py")]
    called = {name for source in sources for name in re.findall(r"\bclient\(\s*\"([\w-]+)\"", source)}
    kept = {path.name for path in thinned_data.iterdir() if path.is_dir()}
    assert called > OF_OPERATORS
    assert called - OF_OPERATORS | {"dynamodb"} == kept == set(OPERATIONS)


_SESSION = """
import ast, sys, botocore.loaders, botocore.session
from botocore.config import Config
session = botocore.session.get_session()
loader = botocore.loaders.Loader(include_default_search_paths=False, extra_search_paths=[sys.argv[1]])
session.register_component("data_loader", loader)
session.set_credentials("a", "b")
"""
_ADDRESS = """
client = session.create_client(sys.argv[2], "eu-central-1")
print(client.meta.service_model.operation_model(sys.argv[3]).name, client.meta.endpoint_url)
"""
_CALL = """
once = Config(retries={"total_max_attempts": 1})
client = session.create_client(sys.argv[2], "eu-central-1", endpoint_url=sys.argv[5], config=once)
try:
    client._make_api_call(sys.argv[3], ast.literal_eval(sys.argv[4]))
except Exception as error:
    print(type(error).__name__)
"""


def _run(program: str, *arguments: object) -> str:
    command = [sys.executable, "-P", "-c", _SESSION + program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("service", OPERATIONS)
def test_a_client_of_the_layer_finds_its_operations_and_its_address(thinned_data: Path, service: str) -> None:
    operation, _ = OPERATIONS[service]
    named, address = _run(_ADDRESS, thinned_data, service, operation).split()
    prefix = "execute-api" if service == "apigatewaymanagementapi" else service
    assert (named, address) == (operation, f"https://{prefix}.eu-central-1.amazonaws.com")


@pytest.mark.parametrize("service", OPERATIONS)
def test_a_client_of_the_layer_makes_and_sends_a_request(thinned_data: Path, service: str, free_tcp_port: int) -> None:
    """As far as a port where nobody listens: what is missing in a model fails before."""
    operation, arguments = OPERATIONS[service]
    failed = _run(_CALL, thinned_data, service, operation, repr(arguments), f"http://127.0.0.1:{free_tcp_port}")
    assert failed == "EndpointConnectionError"


@pytest.mark.parametrize("version", CHANGED)
def test_a_model_loses_its_documentation_and_nothing_else(thinned_data: Path, version: str) -> None:
    whole: dict[str, Any] = json.loads(gzip.decompress((DATA / version / "service-2.json.gz").read_bytes()))
    thin: dict[str, Any] = json.loads((thinned_data / version / "service-2.json").read_text())
    assert thin["operations"].keys() == whole["operations"].keys()
    for name, shape in whole["shapes"].items():
        assert thin["shapes"][name].get("required") == shape.get("required")
        assert thin["shapes"][name].get("members", {}).keys() == shape.get("members", {}).keys()
    assert '"documentation":"' not in json.dumps(thin, separators=(",", ":"))


def test_what_the_installer_keeps_for_others_is_not_written_into(tmp_path: Path, repository: Path) -> None:
    data, cached = tmp_path / "data", tmp_path / "cached.json"
    data.mkdir()
    shutil.copy(DATA / "endpoints.json", cached)
    before = cached.read_bytes()
    (data / "endpoints.json").hardlink_to(cached)
    subprocess.run([sys.executable, repository / "layers/vendor/service_models.py", data], check=True)
    assert cached.read_bytes() == before
