"""Samples of events other than requests: from the table's stream, the queues, the schedule and a WebSocket."""

import json
from collections.abc import Callable
from hashlib import md5
from typing import Any, cast

from almanac.kernel.caller import Scope
from almanac.kernel.events import Event
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.sinks import ON_BUS, project_group
from almanac.platform.store.dynamodb.items import Image, put_image
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import OutboxPut, Put

Json = dict[str, Any]

SCOPE = Scope("acme", "main")
REGION, ACCOUNT = "eu-central-1", "123456789012"
AT = 1_795_262_400_000
"""2026-11-21T12:00:00Z"""

_TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/almanac"
_CLAIMED = ("file:src/auth.py", "file:src/auth.py", "story:JIRA-123", "file:old.py")


def stream_event() -> Json:
    """Return changes of the table: one that is no event, events of two keys, and an event that the sweeper removed."""
    claim = Put(Key(Partition.in_project(SCOPE, "claims"), sort_key("file:src/auth.py")), {"holder": "ada"})
    first, second, other, old = map(_outbox_image, range(4))
    swept = {"userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"}}
    return {
        "Records": [
            _record(1, "INSERT", {"NewImage": put_image(claim, {"holder": "ada"})}),
            _record(2, "INSERT", {"NewImage": first}),
            _record(3, "MODIFY", {"NewImage": second, "OldImage": first}),
            _record(4, "INSERT", {"NewImage": other}),
            _record(5, "REMOVE", {"OldImage": old}) | swept,
        ]
    }


def queue_event() -> Json:
    """Return three messages of two groups, for the reactions."""
    return {"Records": [_message(place, "almanac-events.fifo", lambda message: message.group) for place in range(3)]}


def rules_event() -> Json:
    """Return the same messages as EventBridge sends them for rules, to a queue without groups and attributes."""
    messages = queue_event()["Records"]
    for message in messages:
        message["messageAttributes"] = {}
        message["eventSourceARN"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:almanac-rules"
        for name in ("SequenceNumber", "MessageGroupId", "MessageDeduplicationId"):
            del message["attributes"][name]
    return {"Records": messages}


def push_event() -> Json:
    """Return the same messages for the live feed, where each project is a group."""
    return {"Records": [_message(place, "almanac-sockets.fifo", project_group) for place in range(3)]}


def connect_event(key: str) -> Json:
    """Return the event that a WebSocket API sends when a client connects with its API key in a header."""
    headers = {"Host": f"s1t2u3v4w5.execute-api.{REGION}.amazonaws.com", "x-api-key": key}
    return {
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "requestContext": {
            "routeKey": "$connect",
            "eventType": "CONNECT",
            "connectionId": "L0SM9cOFvHcCIhw=",
            "apiId": "s1t2u3v4w5",
            "stage": "feed",
            "connectedAt": AT,
            "requestTimeEpoch": AT,
            "identity": {"sourceIp": "203.0.113.7"},
        },
        "isBase64Encoded": False,
    }


def schedule_event() -> Json:
    """Return the event that EventBridge Scheduler sends by default."""
    return {
        "version": "0",
        "id": "5c7a8fc4-1d1e-4b7c-9a6f-2b6f3c1d9e10",
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler",
        "account": ACCOUNT,
        "time": "2026-11-21T12:00:00Z",
        "region": REGION,
        "resources": [f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/default/almanac-jobs"],
        "detail": "{}",
    }


def _claim_event(place: int) -> Event:
    key = _CLAIMED[place]
    return Event(
        id=f"01M7YZMHG{place + 1}{place + 1:016d}",
        kind="claim_acquired",
        tenant=SCOPE.tenant,
        project=SCOPE.project,
        key=key,
        at=AT + place + 1,
        actor="ada",
        payload={"holder": "ada", "key": key},
    )


def _outbox_image(place: int) -> Image:
    (put,) = outbox([_claim_event(place)])
    put = cast(OutboxPut, put)
    return put_image(put, put.attributes)


def _record(number: int, name: str, images: dict[str, Image]) -> Json:
    image = images.get("NewImage") or images["OldImage"]
    keys = {attribute: image[attribute] for attribute in ("PK", "SK")}
    return {
        "eventID": f"000000000003a84e93771f4d51fc44{number:02d}",
        "eventName": name,
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": REGION,
        "dynamodb": {
            "ApproximateCreationDateTime": AT // 1000,
            "Keys": keys,
            "SequenceNumber": f"4421584500000000017450{number:03d}",
            "SizeBytes": len(json.dumps(images)),
            "StreamViewType": "NEW_AND_OLD_IMAGES",
            **images,
        },
        "eventSourceARN": f"{_TABLE}/stream/2026-11-21T12:00:00.000",
    }


def _message(place: int, queue: str, group: Callable[[Message], str]) -> Json:
    message = Message(_claim_event(place))
    body = encode_message(message)
    return {
        "messageId": f"2e1424d4-f796-459a-8184-9c92662be6d{place}",
        "receiptHandle": f"receipt-{place}",
        "body": body,
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": str(AT + 500),
            "SequenceNumber": str(18_849_496_460_467_696_000 + place),
            "MessageGroupId": group(message),
            "SenderId": "AROAEXAMPLE:feed",
            "MessageDeduplicationId": message.identity,
            "ApproximateFirstReceiveTimestamp": str(AT + 900),
        },
        "messageAttributes": {ON_BUS: {"stringValue": "unordered", "dataType": "String"}},
        "md5OfBody": md5(body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}",
        "awsRegion": REGION,
    }
