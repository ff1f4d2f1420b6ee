"""HTTP connection to one server, kept open between requests."""

import http.client
import time
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

MAX_BYTES = 64 * 1024 * 1024
_IDLE_SECONDS = 4.0
"""Idle time after which a connection is not used again. Servers close it after five seconds, sometimes while the next
request is on its way."""


class Reply(NamedTuple):
    """HTTP response. The names in `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """Sequential requests to one address, through the proxy that the environment names for it, if any.

    Failed requests are not repeated, because only the caller knows which may be. `seconds` is the timeout of each wait.
    Raises ValueError for a URL that is not http or https.
    """

    def __init__(self, url: str, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = urlsplit(url)
        if self._url.scheme not in ("http", "https") or not self._url.hostname:
            raise ValueError(url)
        self._seconds = seconds
        self._clock = clock
        self._proxy = _proxy_for(self._url)
        self._open: http.client.HTTPConnection | None = None
        self._used = 0.0
        # Read the port here, so that a wrong one raises ValueError before anything is sent.
        self._port = self._url.port

    def post(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send the request and return the response. Raises OSError and http.client.HTTPException if none arrives."""
        try:
            connection = self._connection()
            connection.request("POST", self._target, body, {**headers, **self._proxy_headers})
            response = connection.getresponse()
            content = response.read(MAX_BYTES)
        except BaseException:
            # A late answer would be taken for the answer to the next request.
            self.close()
            raise
        self._used = self._clock()
        if response.will_close or not response.isclosed():
            self.close()
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _connection(self) -> http.client.HTTPConnection:
        if self._open is not None and self._clock() - self._used > _IDLE_SECONDS:
            self.close()
        if self._open is None:
            self._open = self._new_connection()
        return self._open

    def _new_connection(self) -> http.client.HTTPConnection:
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        host = self._url.hostname or ""
        if self._proxy is None:
            return kind(host, self._port, timeout=self._seconds)
        connection = kind(self._proxy.hostname or "", self._proxy.port or 80, timeout=self._seconds)
        if secure:
            connection.set_tunnel(host, self._port, _authorization(self._proxy))
        return connection

    @property
    def _target(self) -> str:
        if self._proxy is not None and self._url.scheme == "http":
            return self._url.geturl()
        return (self._url.path or "/") + (f"?{self._url.query}" if self._url.query else "")

    @property
    def _proxy_headers(self) -> Mapping[str, str]:
        return {} if self._proxy is None or self._url.scheme == "https" else _authorization(self._proxy)


def _proxy_for(url: SplitResult) -> SplitResult | None:
    proxy = urllib.request.getproxies().get(url.scheme)
    if not proxy or urllib.request.proxy_bypass(url.netloc.rpartition("@")[2]):
        return None
    return urlsplit(proxy if "://" in proxy else f"http://{proxy}")


def _authorization(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    name = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"proxy-authorization": f"Basic {b64encode(name.encode()).decode()}"}
