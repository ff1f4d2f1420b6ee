"""Calls to OpenSearch through opensearch-py's transport, with JSON as text, a time limit, and errors of our own."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from opensearchpy import JSONSerializer, Transport, TransportError, Urllib3HttpConnection

from almanac.kernel.errors import Unavailable

T = TypeVar("T")

NO_INDEX = "index_not_found_exception"
"""Type of OpenSearch's error for an index or alias that does not exist."""

encoded = msgspec.json.Encoder().encode


class IndexMissing(Exception):
    """The index, the alias or the document does not exist."""


class _AsText(JSONSerializer):
    """Serializer that leaves JSON as text. The caller decodes only the values it needs, which is five times as fast."""

    def loads(self, s: str) -> str:
        return s

    def dumps(self, data: Any) -> Any:
        return data


def connect(endpoint: str, signer: Any = None) -> Transport:
    """Return a transport for many threads.

    `signer` is opensearch-py's signer, for an endpoint that requires signed requests.
    """
    # Its warnings would report refused requests that the caller may expect.
    logging.getLogger("opensearch").setLevel(logging.ERROR)
    parts = urlsplit(endpoint)
    secure = parts.scheme == "https"
    return Transport(
        [{"host": parts.hostname, "port": parts.port or (443 if secure else 80), "use_ssl": secure}],
        connection_class=Urllib3HttpConnection,
        serializer=_AsText(),
        http_auth=signer,
        pool_maxsize=16,
        # Writes can be repeated, because each has a version.
        max_retries=1,
        retry_on_timeout=False,
    )


class Patience(Struct, frozen=True):
    """Seconds to wait for an answer. `writing` is enough for 500 documents on the smallest node."""

    reading: float = 2.0
    writing: float = 10.0


class Calls:
    def __init__(self, transport: Transport, patience: Patience) -> None:
        self._transport = transport
        self._patience = patience

    def call(self, method: str, path: str, answer: type[T], body: bytes | None = None, *, writes: bool = False) -> T:
        """Send a request and return the answer, decoded as `answer`.

        Raises IndexMissing and Unavailable. Any other refusal is a defect.
        """
        seconds = self._patience.writing if writes else self._patience.reading
        try:
            said: str = self._transport.perform_request(method, path, body=body, timeout=seconds)
        except TransportError as error:
            raise _translate_error(error) from error
        return msgspec.json.decode(said, type=answer)


def lines(bodies: Sequence[Mapping[str, Any]]) -> bytes:
    """Return these bodies as one body, with a line for each."""
    return b"".join(encoded(body) + b"\n" for body in bodies)


def _translate_error(error: TransportError) -> Exception:
    status = error.status_code
    if status == 404:
        return IndexMissing(error.error)
    if status == 400:
        return error
    if status in {401, 403}:
        return Unavailable(
            "The search index refused the request.", "Check its address, its access policy and its disk."
        )
    return Unavailable("The search index does not answer in time.", "Repeat the call in a moment.")
