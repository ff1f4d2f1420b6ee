import os
import stat
from pathlib import Path

import pytest

from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.platform.encryption.key_file import KeyFileSealer

HERE = {"tenant": "acme", "account": "ann"}


@pytest.fixture
def sealer(tmp_path: Path) -> KeyFileSealer:
    return KeyFileSealer(tmp_path / "key", os.urandom)


def test_a_secret_opens_where_it_was_sealed(sealer: KeyFileSealer) -> None:
    sealed = sealer.seal(b"hunter2", HERE)
    assert b"hunter2" not in sealed
    assert sealer.open(sealed, HERE) == b"hunter2"


def test_it_opens_after_a_restart_and_no_two_seals_are_alike(sealer: KeyFileSealer, tmp_path: Path) -> None:
    one, other = sealer.seal(b"hunter2", HERE), sealer.seal(b"hunter2", HERE)
    assert one != other
    assert KeyFileSealer(tmp_path / "key", os.urandom).open(one, HERE) == b"hunter2"


@pytest.mark.parametrize("context", [{}, {"tenant": "acme", "account": "ben"}, {"tenant": "other", "account": "ann"}])
def test_it_opens_nowhere_else(sealer: KeyFileSealer, context: dict[str, str]) -> None:
    sealed = sealer.seal(b"hunter2", HERE)
    with pytest.raises(Forbidden):
        sealer.open(sealed, context)


def test_one_changed_bit_anywhere_is_noticed(sealer: KeyFileSealer) -> None:
    sealed = sealer.seal(b"x", HERE)
    for place in range(len(sealed)):
        altered = bytearray(sealed)
        altered[place] ^= 1
        with pytest.raises(Forbidden):
            sealer.open(bytes(altered), HERE)


@pytest.mark.parametrize("sealed", [b"", b"\x01", b"\x01" + bytes(12)])
def test_what_was_never_sealed_does_not_open(sealer: KeyFileSealer, sealed: bytes) -> None:
    sealer.seal(b"x", HERE)
    with pytest.raises(Forbidden):
        sealer.open(sealed, HERE)


def test_only_the_owner_reads_the_key(sealer: KeyFileSealer, tmp_path: Path) -> None:
    sealer.seal(b"x", HERE)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_a_key_that_another_process_made_first_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "key"

    def slow(count: int) -> bytes:
        if count == 32 and not file.exists():
            file.write_bytes(b"k" * 32)
        return os.urandom(count)

    sealed = KeyFileSealer(file, slow).seal(b"x", HERE)
    assert file.read_bytes() == b"k" * 32
    assert KeyFileSealer(file, os.urandom).open(sealed, HERE) == b"x"


def test_a_lost_key_is_said_to_be_lost(sealer: KeyFileSealer, tmp_path: Path) -> None:
    sealed = sealer.seal(b"x", HERE)
    (tmp_path / "key").unlink()
    with pytest.raises(Forbidden, match="missing"):
        sealer.open(sealed, HERE)
    assert not (tmp_path / "key").exists()


def test_a_file_that_is_no_key_and_a_secret_that_is_too_long_are_refused(sealer: KeyFileSealer, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="4096"):
        sealer.seal(b"x" * 4097, HERE)
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(InvalidInput, match="not a key file"):
        sealer.seal(b"x", HERE)
