"""The laptop server's ASGI app: requests to the HTTP server, WebSockets to the live feed, pages to their stream."""

from almanac.gateway.dashboard.door import LIVE
from almanac.local.feed.endpoint import FeedEndpoint
from almanac.local.feed.live_pages import LivePages
from almanac.local.http.addresses import NO_PROXIES, Proxies
from almanac.local.http.asgi import Receive, Scope, Send
from almanac.local.http.server import HttpServer


class AsgiApp:
    """ASGI application that sends each request to its part."""

    def __init__(
        self, http: HttpServer, feed: FeedEndpoint, proxies: Proxies = NO_PROXIES, live: LivePages | None = None
    ) -> None:
        self._http = http
        self._feed = feed
        self._proxies = proxies
        self._live = live

    @property
    def is_busy(self) -> bool:
        """Return whether a call is running, including one whose client has gone."""
        return self._http.is_busy

    def end_streams(self) -> None:
        """End the streams of open pages, which would otherwise keep the server from stopping."""
        if self._live is not None:
            self._live.end()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = self._proxies.with_client(scope)
        if scope["type"] == "websocket":
            await self._feed(scope, receive, send)
        elif self._live is not None and scope["path"] == LIVE:
            await self._live(scope, receive, send)
        else:
            await self._http(scope, receive, send)
