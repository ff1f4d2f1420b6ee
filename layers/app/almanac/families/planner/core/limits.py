"""Bounds of numeric arguments."""


def clamped(number: float | None, default: int, least: int, most: int) -> int:
    return default if number is None else int(min(max(number, least), most))
