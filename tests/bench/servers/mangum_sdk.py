"""The same nine tools as the official SDK's stateless HTTP app behind Mangum, which runs ASGI apps on Lambda."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from typing import Any

from mangum import Mangum
from servers import sdk_server

_server = sdk_server.make()


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    # Mangum begins and ends the app's lifespan with each event, and the SDK's app can begin only once. `host` is what
    # the app is told to be; for a local one it would refuse the Host header of API Gateway.
    app = _server.streamable_http_app(
        streamable_http_path="/mcp/time", stateless_http=True, json_response=True, host="0.0.0.0"
    )
    return Mangum(app, lifespan="on")(event, context)
