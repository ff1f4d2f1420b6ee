"""The laptop server's ASGI app: requests to the HTTP server, WebSockets to the live feed."""

from almanac.local.feed.endpoint import FeedEndpoint
from almanac.local.http.addresses import NO_PROXIES, Proxies
from almanac.local.http.asgi import Receive, Scope, Send
from almanac.local.http.server import HttpServer


class AsgiApp:
    """An ASGI application."""

    def __init__(self, http: HttpServer, feed: FeedEndpoint, proxies: Proxies = NO_PROXIES) -> None:
        self._http = http
        self._feed = feed
        self._proxies = proxies

    @property
    def is_busy(self) -> bool:
        """Whether a call runs, be it one whose client has gone."""
        return self._http.is_busy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = self._proxies.with_client(scope)
        if scope["type"] == "websocket":
            await self._feed(scope, receive, send)
        else:
            await self._http(scope, receive, send)
