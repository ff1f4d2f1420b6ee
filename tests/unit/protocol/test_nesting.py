import json
from typing import Any

import pytest

from almanac.protocol.message.depth import MAX_LEVELS, is_too_deep
from tests.unit.protocol.test_rounds import CALLER, SERVER, Toolset, Wire, family, host


def _nest(levels: int, opening: str, closing: str) -> str:
    return opening * levels + "1" + closing * levels


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_values_may_nest_so_far_and_no_further(opening: str, closing: str) -> None:
    assert not is_too_deep(json.loads(_nest(MAX_LEVELS, opening, closing)))
    assert is_too_deep(json.loads(_nest(MAX_LEVELS + 1, opening, closing)))


def test_a_wide_value_is_not_deep() -> None:
    assert not is_too_deep([[{"a": 1}] for _ in range(10_000)])


@pytest.mark.parametrize("levels", [50, 150, 400, 900, 2000])
@pytest.mark.parametrize("as_text", [False, True])
def test_deep_arguments_are_refused_as_such(levels: int, as_text: bool) -> None:
    deep = _nest(levels, '{"a":', "}")
    body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"left":%s}}}'
    sent = body % (json.dumps(deep) if as_text else deep)
    reply = Wire(Toolset([family()]), host(), SERVER).answer(sent.encode(), {}, CALLER)
    answered: dict[str, Any] = json.loads(reply.body)
    assert answered["error"]["code"] in {-32600, -32700} if "error" in answered else answered["result"]["isError"]
    assert "Internal" not in reply.body
