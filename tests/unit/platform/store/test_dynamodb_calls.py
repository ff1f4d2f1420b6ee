"""Test retries and errors of DynamoDB. Throttled requests are retried, requests that may have succeeded are not."""

# botocore, which is made to answer here, carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError
from pynamodb.connection import Connection

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.platform.store.conditions import Absent
from almanac.platform.store.dynamodb.calls import connect
from almanac.platform.store.dynamodb.store import DynamoStore
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, ConditionFailed, Delete, EarlyPut, Item, OutboxPut, Put, Update
from almanac.platform.store.retries import Retries

SHELF = Partition.in_project(Scope("acme", "web"), "shelf")
KEY = Key(SHELF, "a")
STANDING = {"PK": {"S": SHELF.text}, "SK": {"S": "a"}, "holder": {"S": "ann"}}


class Raw:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self) -> Iterator[bytes]:
        yield self._body


class Service:
    """Gives scripted answers in order, and records requests."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers = answers
        self.asked: list[dict[str, Any]] = []
        self.paused: list[float] = []

    def __call__(self, request: Any, **_: Any) -> AWSResponse:
        self.asked.append(json.loads(request.body))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status = answer.pop("status", 400 if "__type" in answer else 200)
        body = json.dumps(answer).encode()
        return AWSResponse(request.url, status, {}, Raw(body))


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    """One for all: botocore reads its models for half a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        yield connect("eu-central-1", "http://127.0.0.1:1")


@pytest.fixture
def service(connection: Connection) -> Iterator[Service]:
    service, sent = Service([]), "before-send.dynamodb.*"
    connection.client.meta.events.register(sent, service)
    yield service
    connection.client.meta.events.unregister(sent, service)


@pytest.fixture
def store(connection: Connection, service: Service) -> DynamoStore:
    return DynamoStore(
        "almanac",
        connection=connection,
        clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC)),
        cursor_secret=b"a secret for tests",
        random_bytes=lambda count: b"r" * count,
        retries=Retries(sleep=service.paused.append, random=lambda: 0.5, monotonic=lambda: 0.0, attempts=4),
    )


def _error(code: str, **more: Any) -> dict[str, Any]:
    return {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "no", **more}


def _cancellation(*codes: str, **more: Any) -> dict[str, Any]:
    return _error("TransactionCanceledException", CancellationReasons=[{"Code": code, **more} for code in codes])


ONE: list[Change] = [Put(KEY, {}, Absent())]
TWO: list[Change] = [Put(KEY, {}, Absent()), Delete(Key(SHELF, "b"))]


@pytest.mark.parametrize(
    "code",
    [
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
    ],
)
def test_a_write_that_was_turned_away_is_tried_again_after_growing_pauses(
    store: DynamoStore, service: Service, code: str
):
    service.answers = [_error(code), _error(code), _error(code), {}]
    store.write(ONE)
    assert service.paused == [0.0125, 0.025, 0.05]
    assert len(service.asked) == 4


@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_transaction_that_met_another_is_tried_again_with_the_same_token(
    store: DynamoStore, service: Service, code: str
):
    service.answers = [_cancellation("None", code), _error("TransactionInProgressException"), {}]
    store.write(TWO)
    assert {asked["ClientRequestToken"] for asked in service.asked} == {b"r".hex() * 16}
    assert len(service.asked) == 3


def test_a_conflict_beside_a_failed_condition_is_not_reported_as_the_condition(store: DynamoStore, service: Service):
    service.answers = [_cancellation("ConditionalCheckFailed", "TransactionConflict"), {}]
    store.write(TWO)
    assert len(service.asked) == 2


def test_what_is_turned_away_every_time_is_unavailable(store: DynamoStore, service: Service):
    service.answers = [_error("ThrottlingException") for _ in range(4)]
    with pytest.raises(Unavailable):
        store.write(ONE)
    assert len(service.paused) == 3


@pytest.mark.parametrize(
    "lost",
    [
        ReadTimeoutError(endpoint_url="x"),
        {"__type": "InternalServerError", "status": 500},
        {"__type": "ServiceUnavailable", "status": 503},
    ],
)
def test_a_lost_answer_is_asked_for_again_only_where_twice_is_as_good_as_once(
    store: DynamoStore, service: Service, lost: Any
):
    def answers_after_loss(answer: dict[str, Any]) -> list[Any]:
        return [dict(lost) if isinstance(lost, dict) else lost, answer]

    for changes in (TWO, [Put(KEY, {})], [Delete(KEY)]):
        service.answers = answers_after_loss({})
        store.write(changes)
    service.answers = answers_after_loss({"Item": STANDING})
    assert store.get(KEY) is not None
    for changes in (ONE, [Update(KEY, add={"n": 1})], [Delete(KEY, Absent("n"))]):
        service.answers = answers_after_loss({})
        with pytest.raises(Unavailable, match="may have happened"):
            store.write(changes)
        assert service.answers == [{}]


@pytest.mark.parametrize("error", [EndpointConnectionError(endpoint_url="x"), ConnectTimeoutError(endpoint_url="x")])
def test_what_never_reached_the_service_is_tried_again(store: DynamoStore, service: Service, error: Exception):
    service.answers = [error, {}]
    store.write(ONE)
    assert service.answers == []


def test_a_failed_condition_alone_or_among_others_says_what_stands_there(store: DynamoStore, service: Service):
    service.answers = [_error("ConditionalCheckFailedException", Item=STANDING)]
    with pytest.raises(ConditionFailed) as alone:
        store.write(ONE)
    assert (alone.value.change, alone.value.item) == (0, Item(KEY, {"holder": "ann"}))
    service.answers = [_cancellation("None", "ConditionalCheckFailed", Item=STANDING)]
    with pytest.raises(ConditionFailed) as among:
        store.write(TWO)
    assert (among.value.change, among.value.item) == (1, Item(KEY, {"holder": "ann"}))
    assert service.paused == []


@pytest.mark.parametrize("answer", [_error("ValidationException"), _cancellation("ValidationError")])
def test_what_the_service_does_not_take_is_an_input_error(store: DynamoStore, service: Service, answer: Any):
    service.answers = [answer]
    with pytest.raises(InvalidInput):
        store.write(ONE)


EARLY: list[Change] = [Put(KEY, {}, Absent()), EarlyPut(Key(SHELF, "b"), {"n": 1}, Absent()), Delete(Key(SHELF, "c"))]
PUT_EARLY = {"PK": {"S": SHELF.text}, "SK": {"S": "b"}, "n": {"N": "1"}}


def test_an_early_put_whose_answer_was_lost_is_put_again(store: DynamoStore, service: Service):
    lost = ReadTimeoutError(endpoint_url="x")
    service.answers = [lost, _error("ConditionalCheckFailedException", Item=PUT_EARLY), {}]
    store.write(EARLY)
    assert [len(asked.get("TransactItems", ())) for asked in service.asked] == [0, 0, 2]


def test_an_early_put_is_taken_back_where_nothing_else_was_written(store: DynamoStore, service: Service):
    service.answers = [{}, _cancellation("None", "ConditionalCheckFailed"), {}]
    with pytest.raises(ConditionFailed) as refused:
        store.write(EARLY)
    assert refused.value.change == 2
    assert service.asked[-1]["Key"] == {"PK": {"S": SHELF.text}, "SK": {"S": "b"}}
    assert "TransactItems" not in service.asked[-1]


def test_an_early_put_is_left_where_the_rest_may_have_been_written(store: DynamoStore, service: Service):
    service.answers = [{}, *[_cancellation("TransactionConflict") for _ in range(4)]]
    with pytest.raises(Unavailable):
        store.write(EARLY)
    assert service.answers == []
    assert len(service.asked) == 5


def test_nothing_is_written_where_an_early_put_finds_another_item(store: DynamoStore, service: Service):
    service.answers = [_error("ConditionalCheckFailedException", Item=PUT_EARLY | {"n": {"N": "2"}})]
    with pytest.raises(ConditionFailed) as refused:
        store.write(EARLY)
    assert (refused.value.change, refused.value.item) == (1, Item(Key(SHELF, "b"), {"n": 2}))
    assert len(service.asked) == 1


def test_a_missing_table_is_unavailable_with_what_to_check(store: DynamoStore, service: Service):
    service.answers = [_error("ResourceNotFoundException")]
    with pytest.raises(Unavailable, match="table"):
        store.write(ONE)


def test_an_event_that_is_updated_is_no_event_any_more(store: DynamoStore, service: Service):
    service.answers = [{}, {}]
    store.write([OutboxPut(KEY, {"kind": "claimed"})])
    store.write([Update(KEY, {"seen": True})])
    put, update = service.asked
    assert put["Item"]["FEED"] == {"BOOL": True}
    removed = update["UpdateExpression"].partition("REMOVE ")[2]
    assert update["ExpressionAttributeNames"][removed] == "FEED"


def test_an_item_is_kept_by_the_sweeper_until_the_second_after_it_expired(store: DynamoStore, service: Service):
    service.answers = [{}]
    store.write([Put(KEY, {}, expires_at=1_700_000_000_001)])
    assert service.asked[0]["Item"]["EXPIRES"] == {"N": "1700000000001"}
    assert service.asked[0]["Item"]["TTL"] == {"N": "1700000001"}


def test_a_page_is_filled_over_the_reads_that_expired_items_leave_short(store: DynamoStore, service: Service):
    def image(sort: str) -> dict[str, Any]:
        return {"PK": {"S": SHELF.text}, "SK": {"S": sort}}

    first, last = {"LastEvaluatedKey": image("c")}, {"ScannedCount": 2}
    service.answers = [
        {"Items": [image("a")], "ScannedCount": 4, **first},
        {"Items": [], "ScannedCount": 3, "LastEvaluatedKey": image("f")},
        {"Items": [image("g"), image("h")], **last},
    ]
    page = store.query(SHELF, limit=3)
    assert [item.key.sort for item in page.items] == ["a", "g", "h"]
    assert page.cursor is None
    assert [asked["Limit"] for asked in service.asked] == [4, 3, 3]
    assert [asked.get("ExclusiveStartKey", {}).get("SK") for asked in service.asked] == [None, {"S": "c"}, {"S": "f"}]


def test_a_read_cut_at_a_megabyte_is_a_page(store: DynamoStore, service: Service):
    image = {"PK": {"S": SHELF.text}, "SK": {"S": "a"}}
    service.answers = [{"Items": [image], "ScannedCount": 2, "LastEvaluatedKey": image}]
    page = store.query(SHELF, limit=100)
    assert [item.key.sort for item in page.items] == ["a"]
    assert page.cursor is not None
