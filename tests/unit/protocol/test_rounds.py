"""Questions to the client and its answers, over the wire."""

import json
from typing import Any

import msgspec
import pytest

from almanac.protocol.elicitation import Elicitation
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.engine import Wire
from tests.conformance.corpus import as_sent
from tests.conformance.everything.family import CALLER, SERVER, Defects, family, host

_YES = {"action": "accept", "content": {"ok": True}}


def _call(name: str, revision: str = "2026-07-28", defects: Defects | None = None, **more: Any) -> dict[str, Any]:
    message, headers = as_sent("tools/call", {"name": name, "arguments": {}, **more}, revision)
    reply = Wire(Toolset([family()]), host(defects), SERVER).answer(json.dumps(message).encode(), headers, CALLER)
    return json.loads(reply.body)


def test_a_question_is_a_result_of_its_own_kind() -> None:
    result = _call("test_input_required_result_elicitation")["result"]
    assert result["resultType"] == "input_required"
    assert result["inputRequests"]["user_name"]["method"] == "elicitation/create"
    assert "requestState" not in result
    assert "ttlMs" not in result


def test_the_state_comes_back_to_the_tool_with_the_answers() -> None:
    asked = _call("test_input_required_result_request_state")["result"]
    done = _call(
        "test_input_required_result_request_state",
        inputResponses={"confirm": _YES},
        requestState=asked["requestState"],
    )["result"]
    assert done["content"][0]["text"] == "state-ok"


def test_a_state_of_another_tool_is_refused() -> None:
    asked = _call("test_input_required_result_request_state")["result"]
    refused = _call(
        "test_input_required_result_tampered_state",
        inputResponses={"confirm": _YES},
        requestState=asked["requestState"],
    )
    assert refused["error"]["code"] == -32602


def test_a_client_that_cannot_be_asked_is_told_what_it_lacks() -> None:
    error = _call("test_missing_capability")["error"]
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"sampling": {}}}


def test_a_client_of_the_handshake_era_is_told_that_it_cannot_be_asked() -> None:
    assert _call("test_input_required_result_elicitation", "2025-11-25")["error"]["code"] == -32602


def test_a_host_without_a_secret_keeps_no_state_and_says_so_to_its_operator() -> None:
    defects = Defects()
    bare = host(defects)
    message, headers = as_sent("tools/call", {"name": "test_input_required_result_request_state"}, "2026-07-28")
    served = Wire(Toolset([family()]), _without_secret(bare), SERVER)
    reply = json.loads(served.answer(json.dumps(message).encode(), headers, CALLER).body)
    assert reply["error"] == {"code": -32603, "message": "Internal error, reference REF-1."}
    assert "state_secret" in str(defects.reported[0][2])


def _without_secret(bare: Any) -> Any:
    return type(bare)(
        clock=bare.clock,
        collaborators=bare.collaborators,
        new_reference=bare.new_reference,
        report_defect=bare.report_defect,
    )


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "decline"},
        {"action": "cancel", "content": {"a": 1}},
        {"action": "accept"},
        {"action": "accept", "content": []},
    ],
)
def test_an_answer_without_accepted_contents_is_not_a_form(answer: dict[str, Any]) -> None:
    assert Elicitation({}, {"k": answer}).accepted_form("k") is None


def test_the_secret_is_not_shown() -> None:
    assert "for tests only" not in repr(host())


def test_a_dialogue_knows_what_the_client_declared() -> None:
    assert Elicitation({"sampling": {}}).can("sampling")
    assert not Elicitation({"sampling": {}}).can("elicitation")
    assert not Elicitation().can("sampling")
    assert isinstance(Elicitation(), msgspec.Struct)
