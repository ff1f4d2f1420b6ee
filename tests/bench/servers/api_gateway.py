"""An event of an API Gateway REST API, as the doors get it: past the authorizer."""

from typing import Any

PASS = {
    "tenant": "bench",
    "project": "default",
    "actor": "bench",
    "key_id": "k0",
    "families": "*",
    "readonly": "false",
    "default_timezone": "Europe/Berlin",
    "week_start": "monday",
    "per_minute": "",
    "per_day": "",
}


class Context:
    """What Lambda hands to a function beside the event."""

    function_name = "almanac-bench"
    function_version = "1"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:almanac-bench"
    aws_request_id = "6b5d9b0e-6f0a-4c5e-9d5f-0d6f5b1c2a3e"

    def get_remaining_time_in_millis(self) -> int:
        return 15_000


def event(path: str, body: str, headers: dict[str, str]) -> dict[str, Any]:
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "resourcePath": path,
            "httpMethod": "POST",
            "path": f"/v1{path}",
            "stage": "v1",
            "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
            "identity": {"sourceIp": "203.0.113.7", "userAgent": "bench"},
            "authorizer": PASS,
        },
        "body": body,
        "isBase64Encoded": False,
    }


def text(answer: dict[str, Any]) -> str:
    return answer["body"]
