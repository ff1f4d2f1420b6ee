"""Encryption of secrets by AWS KMS, which the key never leaves."""

# boto3, whose client and errors these are, carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from almanac.kernel.errors import Forbidden, Unavailable
from almanac.platform.encryption.port import check_secret

_NOT_OURS = frozenset({"InvalidCiphertextException", "IncorrectKeyException", "AccessDeniedException"})


class KmsSealer:
    """Encrypts with a KMS key. `client` is boto3's KMS client, `key` the id, ARN or alias of a symmetric key.

    The context becomes KMS's encryption context, which CloudTrail shows and policies can name.
    """

    def __init__(self, client: Any, key: str) -> None:
        self._client = client
        self._key = key

    def seal(self, secret: bytes, context: Mapping[str, str]) -> bytes:
        request = {"KeyId": self._key, "Plaintext": check_secret(secret), "EncryptionContext": dict(context)}
        return bytes(_call_kms(lambda: self._client.encrypt(**request))["CiphertextBlob"])

    def open(self, sealed: bytes, context: Mapping[str, str]) -> bytes:
        request = {"KeyId": self._key, "CiphertextBlob": sealed, "EncryptionContext": dict(context)}
        return bytes(_call_kms(lambda: self._client.decrypt(**request))["Plaintext"])


def _call_kms(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ClientError as error:
        if error.response["Error"]["Code"] in _NOT_OURS:
            raise Forbidden(
                "The key service cannot decrypt this secret.",
                "Connect the account again; the operator may have to check the key's policy.",
                code="secret_sealed",
            ) from None
        raise Unavailable("The key service refused the request.", "Repeat the call in a moment.") from error
    except BotoCoreError as error:
        raise Unavailable("The key service does not answer.", "Repeat the call in a moment.") from error


def open_kms(key: str, region: str | None = None) -> KmsSealer:
    """Open a sealer with the credentials and the region that boto3 finds."""
    import boto3  # noqa: PLC0415 - takes a tenth of a second, for those who have accounts

    return KmsSealer(boto3.client("kms", region_name=region), key)
