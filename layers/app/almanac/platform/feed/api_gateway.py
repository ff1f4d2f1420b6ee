"""The sender to connections of an API Gateway WebSocket API."""

from typing import Any

from almanac.kernel.errors import Unavailable
from almanac.platform.feed.port import Gone


class ApiGatewaySender:
    """Sends frames with `client`, boto3's `apigatewaymanagementapi` client for the API's address."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def send(self, connection: str, frame: str) -> None:
        try:
            self._client.post_to_connection(ConnectionId=connection, Data=frame.encode())
        except self._client.exceptions.GoneException as gone:
            raise Gone(connection) from gone
        except Exception as problem:
            raise Unavailable("API Gateway did not take a frame.", "It is sent again.") from problem

    def close(self, connection: str) -> None:
        try:
            self._client.delete_connection(ConnectionId=connection)
        except self._client.exceptions.GoneException:
            return
        except Exception as problem:
            raise Unavailable("API Gateway did not close a connection.", "Try again later.") from problem
