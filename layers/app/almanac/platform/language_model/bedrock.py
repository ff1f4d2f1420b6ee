"""Language models of Amazon Bedrock, called by the Converse API, which is the same for all of them."""

# boto3, whose client and errors these are, carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from almanac.kernel.errors import Unavailable

_CONNECT_SECONDS = 3
_READ_SECONDS = 17


class BedrockModel:
    """A language model on Bedrock. The first use calls `open_client` for boto3's bedrock-runtime client.

    `model` is the id of a model, or the id or ARN of an inference profile.
    """

    def __init__(self, open_client: Callable[[], Any], model: str) -> None:
        self._open_client = open_client
        self._model = model
        self.name = f"bedrock:{model}"

    def complete(self, system: str, prompt: str, max_tokens: int) -> str:
        """Return the model's answer, as `LanguageModel` describes."""
        try:
            answer = self._client.converse(
                modelId=self._model,
                system=[{"text": system}],
                messages=[{"role": "user", "content": [{"text": prompt}]}],
                inferenceConfig={"maxTokens": max_tokens},
            )
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            raise Unavailable(
                f"The language model refused the request: {code}.",
                "If that goes on, the operator has to check the model's id, its region and the rights to invoke it.",
            ) from error
        except BotoCoreError as error:
            raise Unavailable("The language model does not answer.", "Repeat the call in a moment.") from error
        return _text(answer["output"].get("message", {}).get("content", ()))

    @cached_property
    def _client(self) -> Any:
        return self._open_client()


def _text(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of an answer, without the model's reasoning."""
    return "\n".join(block["text"] for block in blocks if "text" in block)


def open_bedrock(model: str, region: str | None = None, endpoint: str | None = None) -> BedrockModel:
    """Open a model with the credentials and the region that boto3 finds.

    Calls are not retried, to save waiting time.
    """

    def open_client() -> Any:
        import boto3  # noqa: PLC0415 - takes a tenth of a second, for those who set a model
        from botocore.config import Config  # noqa: PLC0415

        once = {"total_max_attempts": 1, "mode": "standard"}
        patience = Config(connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS, retries=once)
        return boto3.client("bedrock-runtime", region_name=region, endpoint_url=endpoint, config=patience)

    return BedrockModel(open_client, model)
