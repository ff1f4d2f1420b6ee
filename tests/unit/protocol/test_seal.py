from collections.abc import Callable
from datetime import timedelta

import pytest

from almanac.kernel.clock import FixedClock
from almanac.protocol.message.rpc import INVALID_PARAMS, RpcError
from almanac.protocol.wire.seal import LIFETIME_SECONDS, Seal

_CALL = ("tools/call", "book", {"slot": 1}, ("tenant", "project", "key"))


@pytest.mark.parametrize("state", ["text", 5, [1, None], {"a": {"b": "é"}}])
def test_a_state_comes_back_as_it_was(state: object, clock: FixedClock) -> None:
    seal = Seal(b"secret", clock)
    assert seal.open(seal.close(state, _CALL), _CALL) == state


_CHANGES: dict[str, Callable[[str], str]] = {
    "longer": lambda sealed: sealed + "-X",
    "shorter": lambda sealed: sealed[1:],
    "other letters": lambda sealed: sealed.swapcase(),
    "padded": lambda sealed: sealed + "=",
}


@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES.keys())
def test_a_changed_state_is_refused(change: Callable[[str], str], clock: FixedClock) -> None:
    seal = Seal(b"secret", clock)
    with pytest.raises(RpcError) as refused:
        seal.open(change(seal.close("genuine", _CALL)), _CALL)
    assert refused.value.code == INVALID_PARAMS


@pytest.mark.parametrize("forged", ["", ".", "a.b", "é.é", "=.=", "x" * 10_000])
def test_a_forged_state_is_refused(forged: str, clock: FixedClock) -> None:
    with pytest.raises(RpcError):
        Seal(b"secret", clock).open(forged, _CALL)


@pytest.mark.parametrize(
    "moved",
    [
        ("tools/call", "cancel", {"slot": 1}, ("tenant", "project", "key")),
        ("tools/call", "book", {"slot": 2}, ("tenant", "project", "key")),
        ("tools/call", "book", {"slot": 1}, ("tenant", "project", "another key")),
        ("prompts/get", "book", {"slot": 1}, ("tenant", "project", "key")),
    ],
)
def test_a_state_moved_to_another_call_is_refused(moved: object, clock: FixedClock) -> None:
    seal = Seal(b"secret", clock)
    with pytest.raises(RpcError):
        seal.open(seal.close("genuine", _CALL), moved)


def test_a_state_of_another_server_is_refused(clock: FixedClock) -> None:
    with pytest.raises(RpcError):
        Seal(b"secret", clock).open(Seal(b"another secret", clock).close("genuine", _CALL), _CALL)


def test_a_state_lives_ten_minutes_and_not_longer(clock: FixedClock) -> None:
    seal = Seal(b"secret", clock)
    sealed = seal.close("genuine", _CALL)
    clock.instant += timedelta(seconds=LIFETIME_SECONDS)
    assert seal.open(sealed, _CALL) == "genuine"
    clock.instant += timedelta(seconds=1)
    with pytest.raises(RpcError) as refused:
        seal.open(sealed, _CALL)
    assert "expired" in refused.value.message
