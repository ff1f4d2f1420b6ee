"""Encryption of secrets by AES-256-GCM, with a key in a file that only its owner can read."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.kernel.ids import RandomBytes
from almanac.platform.encryption.port import check_secret

_FORMAT = b"\x01"
_NONCE_BYTES = 12
_KEY_BYTES = 32


class KeyFileSealer:
    """Encrypts with the key in `file`, which the first secret creates. Without the file, all secrets are lost.

    Several processes may use the file at once.
    """

    def __init__(self, file: Path, random_bytes: RandomBytes) -> None:
        self._file = file
        self._random_bytes = random_bytes

    def seal(self, secret: bytes, context: Mapping[str, str]) -> bytes:
        """Encrypt a secret. Return a format byte, a nonce of 12 bytes, and the output of AES-GCM."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - 40 ms, rarely needed

        nonce = self._random_bytes(_NONCE_BYTES)
        cipher = AESGCM(self._key(make=True))
        return _FORMAT + nonce + cipher.encrypt(nonce, check_secret(secret), _associated_data(context))

    def open(self, sealed: bytes, context: Mapping[str, str]) -> bytes:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        nonce, content = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        if sealed[:1] != _FORMAT or len(nonce) != _NONCE_BYTES:
            raise self._does_not_open()
        try:
            return AESGCM(self._key(make=False)).decrypt(nonce, content, _associated_data(context))
        except InvalidTag:
            raise self._does_not_open() from None

    def _does_not_open(self) -> Forbidden:
        return Forbidden(
            f"A stored secret cannot be decrypted with the key in {self._file.name}.",
            "Connect the account again, or put the former key file back.",
            code="secret_sealed",
        )

    def _key(self, *, make: bool) -> bytes:
        try:
            key = self._file.read_bytes()
        except FileNotFoundError:
            if not make:
                raise Forbidden(
                    f"The key file {self._file.name} is missing.",
                    "Put it back, or connect the account again.",
                    code="secret_sealed",
                ) from None
            key = self._create_key()
        except OSError as problem:
            raise InvalidInput(f"{self._file} cannot be read: {problem.strerror}.", "Check who owns it.") from problem
        if len(key) != _KEY_BYTES:
            raise InvalidInput(f"{self._file} is not a key file.", "Put the former one back, or move it away.")
        return key

    def _create_key(self) -> bytes:
        """Create a key, or return the one that another process created meanwhile."""
        handle, written = tempfile.mkstemp(dir=self._file.parent)  # mkstemp makes files that only their owner reads
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self._random_bytes(_KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            # Unlike a rename, a link never replaces a file that another process created first.
            os.link(written, self._file)
        except FileExistsError:
            pass
        finally:
            os.unlink(written)
        return self._file.read_bytes()


def _associated_data(context: Mapping[str, str]) -> bytes:
    return json.dumps(sorted(context.items()), separators=(",", ":")).encode()
