"""The context embedder Titan Text Embeddings V2 of Amazon Bedrock. It returns no states of pieces."""

# boto3, whose client and errors these are, carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from botocore.exceptions import BotoCoreError, ClientError

from almanac.kernel.errors import Unavailable
from almanac.platform.embedder.port import TextReading

TITAN = "amazon.titan-embed-text-v2:0"
_DIMENSIONS = 256
"""Length of Titan's vectors. An index stores 384 numbers; the rest are zeros, which do not change a cosine."""
_KEPT_DIMENSIONS = 384
_MOST_CHARACTERS = 2_000
"""Characters of a text that are embedded, about as many as MiniLM reads. Titan charges by length."""
_AT_ONCE = 8
_CONNECT_SECONDS = 1
_READ_SECONDS = 3
_SILENT_SECONDS = 30.0


class _Answer(msgspec.Struct):
    embedding: list[float]


class TitanEmbedder:
    """Embeds texts by calling Bedrock. The first use calls `open_client` for boto3's bedrock-runtime client.

    After a failure, it makes no calls for half a minute, so that searches do not wait for a service that is down.
    """

    name = f"bedrock:{TITAN}"

    def __init__(self, open_client: Callable[[], Any], monotonic: Callable[[], float]) -> None:
        self._open_client = open_client
        self._monotonic = monotonic
        self._silent_until = 0.0

    def embed(self, texts: Sequence[str]) -> list[TextReading]:
        """Embed each text, in order. Raises Unavailable if Bedrock refuses or does not answer."""
        if self._monotonic() < self._silent_until:
            raise Unavailable("The embedding model did not answer just now.", "Repeat the call in a minute.")
        try:
            if len(texts) == 1:
                return [self._embed_text(texts[0])]
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                return list(pool.map(self._embed_text, texts))
        except Unavailable:
            self._silent_until = self._monotonic() + _SILENT_SECONDS
            raise

    def _embed_text(self, text: str) -> TextReading:
        pooled = np.zeros(_KEPT_DIMENSIONS, dtype=np.float32)
        if read := text[:_MOST_CHARACTERS].strip():
            pooled[:_DIMENSIONS] = self._vector(read)
        return TextReading(pooled=pooled, pieces=[], states=np.zeros((0, _KEPT_DIMENSIONS), dtype=np.float32))

    def _vector(self, text: str) -> list[float]:
        request = json.dumps({"inputText": text, "dimensions": _DIMENSIONS, "normalize": True})
        try:
            body = self._client.invoke_model(modelId=TITAN, body=request)["body"].read()
            vector = msgspec.json.decode(body, type=_Answer).embedding
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            raise Unavailable(
                f"The embedding model refused the request: {code}.",
                "If that goes on, the operator has to check its region and the rights to invoke it.",
            ) from error
        except (BotoCoreError, msgspec.DecodeError) as error:
            raise Unavailable("The embedding model does not answer.", "Repeat the call in a minute.") from error
        if len(vector) != _DIMENSIONS:
            raise Unavailable(f"The embedding model answered with {len(vector)} numbers.", "Tell the operator.")
        return vector

    @cached_property
    def _client(self) -> Any:
        return self._open_client()


def open_titan(region: str | None, endpoint: str | None, monotonic: Callable[[], float]) -> TitanEmbedder:
    """Open the embedder with the credentials that boto3 finds. Calls are not retried, because queues retry texts."""

    def open_client() -> Any:
        import boto3  # noqa: PLC0415 - takes a tenth of a second, for those who set the model
        from botocore.config import Config  # noqa: PLC0415

        once = {"total_max_attempts": 1, "mode": "standard"}
        patience = Config(
            connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS, retries=once, max_pool_connections=_AT_ONCE
        )
        return boto3.client("bedrock-runtime", region_name=region, endpoint_url=endpoint, config=patience)

    return TitanEmbedder(open_client, monotonic)
