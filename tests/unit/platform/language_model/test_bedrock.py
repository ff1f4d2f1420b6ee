"""A model of Bedrock, over a client that answers from a script, and over a server of this machine."""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import json
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.stub import Stubber

from almanac.composition.language_model import open_language_model
from almanac.composition.settings import read_settings
from almanac.kernel.errors import Unavailable
from almanac.platform.language_model.bedrock import BedrockModel, open_bedrock

ASKED = {
    "modelId": "acme.writer-1",
    "system": [{"text": "Be brief."}],
    "messages": [{"role": "user", "content": [{"text": "When?"}]}],
    "inferenceConfig": {"maxTokens": 50},
}


def answer(*blocks: Any) -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": list(blocks)}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


@pytest.fixture
def stubbed_model() -> Iterator[tuple[BedrockModel, Stubber]]:
    client: Any = boto3.client(
        "bedrock-runtime",
        region_name="eu-central-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=Config(retries={"total_max_attempts": 1}),
    )
    with Stubber(client) as stubber:
        yield BedrockModel(lambda: client, "acme.writer-1"), stubber


def test_a_question_is_put_once_and_its_texts_are_the_answer(stubbed_model: tuple[BedrockModel, Stubber]) -> None:
    model, stubber = stubbed_model
    thinking = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
    stubber.add_response("converse", answer(thinking, {"text": "On"}, {"text": "Monday"}), ASKED)
    assert model.complete("Be brief.", "When?", 50) == "On\nMonday"
    assert model.name == "bedrock:acme.writer-1"
    stubber.assert_no_pending_responses()


@pytest.mark.parametrize("code", ["AccessDeniedException", "ThrottlingException", "ValidationException"])
def test_a_refusal_is_unavailable_and_named(stubbed_model: tuple[BedrockModel, Stubber], code: str) -> None:
    model, stubber = stubbed_model
    stubber.add_client_error("converse", code)
    with pytest.raises(Unavailable, match=code):
        model.complete("Be brief.", "When?", 50)


@contextmanager
def server(body: bytes, status: int = 200) -> Generator[tuple[str, list[Any]]]:
    """Address of a stand-in for Bedrock, and its requests."""
    asked: list[Any] = []

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answers) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}", asked
        listening.shutdown()
        thread.join()


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.mark.usefixtures("credentials")
def test_the_settings_open_the_model_that_they_name() -> None:
    with server(json.dumps(answer({"text": "On Monday"})).encode()) as (address, asked):
        given = {"ALMANAC_LANGUAGE_MODEL": "acme.writer-1", "AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": address}
        model = open_language_model(read_settings(given)).model
        assert model is not None
        assert model.complete("Be brief.", "When?", 50) == "On Monday"
    assert asked[0][0] == "/model/acme.writer-1/converse"
    assert asked[0][1]["inferenceConfig"] == {"maxTokens": 50}


@pytest.mark.usefixtures("credentials")
def test_a_service_that_fails_is_asked_once() -> None:
    with server(b"{}", 503) as (address, asked), pytest.raises(Unavailable):
        open_bedrock("acme.writer-1", "eu-central-1", address).complete("Be brief.", "When?", 5)
    assert len(asked) == 1


@pytest.mark.usefixtures("credentials")
def test_nobody_there_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        open_bedrock("acme.writer-1", "eu-central-1", "http://127.0.0.1:1").complete("Be brief.", "When?", 5)


def test_without_a_setting_there_is_no_model() -> None:
    assert open_language_model(read_settings({})).model is None
