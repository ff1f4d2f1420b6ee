# botocore carries no types.
# pyright: reportMissingTypeStubs=false

from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from almanac.kernel.errors import Forbidden, InvalidInput, Unavailable
from almanac.platform.encryption.kms import KmsSealer

HERE = {"tenant": "acme"}


class Kms:
    """The used part of KMS. A ciphertext opens only under the same key and context."""

    def __init__(self) -> None:
        self.held: dict[bytes, tuple[str, bytes, dict[str, str]]] = {}
        self.failing: Exception | None = None

    def encrypt(self, *, KeyId: str, Plaintext: bytes, EncryptionContext: dict[str, str]) -> dict[str, Any]:  # noqa: N803
        if self.failing is not None:
            raise self.failing
        blob = f"blob-{len(self.held)}".encode()
        self.held[blob] = (KeyId, Plaintext, EncryptionContext)
        return {"CiphertextBlob": blob}

    def decrypt(self, *, KeyId: str, CiphertextBlob: bytes, EncryptionContext: dict[str, str]) -> dict[str, Any]:  # noqa: N803
        key, plain, context = self.held.get(CiphertextBlob, ("", b"", {}))
        if (key, context) != (KeyId, EncryptionContext):
            raise ClientError({"Error": {"Code": "InvalidCiphertextException"}}, "Decrypt")
        return {"Plaintext": plain}


def test_a_secret_opens_in_its_context_only() -> None:
    sealer = KmsSealer(Kms(), "alias/calendar")
    sealed = sealer.seal(b"hunter2", HERE)
    assert sealer.open(sealed, HERE) == b"hunter2"
    with pytest.raises(Forbidden):
        sealer.open(sealed, {"tenant": "other"})


def test_a_service_that_does_not_answer_is_unavailable() -> None:
    kms = Kms()
    kms.failing = EndpointConnectionError(endpoint_url="https://kms")
    with pytest.raises(Unavailable):
        KmsSealer(kms, "alias/calendar").seal(b"x", HERE)


def test_what_kms_would_not_take_is_refused_before() -> None:
    with pytest.raises(InvalidInput):
        KmsSealer(Kms(), "alias/calendar").seal(b"x" * 5000, HERE)
