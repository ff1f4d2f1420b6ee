"""An interpreter with nothing to do: what every other figure contains."""

from collections.abc import Callable


def prepare(body: str, headers: dict[str, str]) -> Callable[[], str]:
    return lambda: '{"result": {}}'


def text(answer: str) -> str:
    return answer
