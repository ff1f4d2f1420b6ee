"""Test the fields of events and their limits."""

from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import PAYLOAD_BYTES, Event, new_event

SCOPE = Scope("acme", "main")


def _event(**changed: Any) -> Event:
    given: dict[str, Any] = {
        "key": "claim:file",
        "actor": "ada",
        "at": 1_700_000_000_000,
        "random_bytes": bytes,
    }
    kind = changed.pop("kind", "claim_acquired")
    return new_event(kind, SCOPE, **(given | changed))


def test_an_event_says_what_happened_to_what_where_when_and_by_whom():
    event = _event(payload={"holder": "ada"})
    assert (event.kind, event.key, event.actor, event.at) == ("claim_acquired", "claim:file", "ada", 1_700_000_000_000)
    assert event.scope == SCOPE
    assert event.payload == {"holder": "ada"}
    assert len(event.id) == 26


def test_later_events_have_greater_ids():
    assert _event(at=1).id < _event(at=2).id < _event(at=10**13).id


@pytest.mark.parametrize("kind", ["", "Claim", "claim-acquired", "1claim", "claim.acquired", "a" * 65])
def test_a_kind_that_is_no_name_is_refused(kind: str):
    with pytest.raises(InvalidInput) as refused:
        _event(kind=kind)
    assert refused.value.path == "kind"


@pytest.mark.parametrize("key", ["", "x" * 513, "ü" * 257, "\ud800"])
def test_a_key_out_of_bounds_is_refused(key: str):
    with pytest.raises(InvalidInput) as refused:
        _event(key=key)
    assert refused.value.path == "key"


def test_a_payload_is_bounded_by_its_bytes_as_json():
    overhead = len('{"text":""}')
    assert _event(payload={"text": "ü" * ((PAYLOAD_BYTES - overhead) // 2)})
    with pytest.raises(InvalidInput) as refused:
        _event(payload={"text": "x" * (PAYLOAD_BYTES - overhead + 1)})
    assert refused.value.path == "payload"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"bytes", {1, 2}, "\ud800", object()])
def test_a_payload_that_is_not_json_is_refused(value: Any):
    with pytest.raises(InvalidInput) as refused:
        _event(payload={"value": value})
    assert refused.value.path == "payload"


def test_what_is_done_to_a_payload_later_does_not_reach_the_event():
    payload = {"claim": {"holder": "ada"}}
    event = _event(payload=payload)
    payload["claim"]["holder"] = "eve"
    assert event.payload == {"claim": {"holder": "ada"}}
