import pytest

from almanac.protocol.message.origin import is_allowed

_ALLOWED = frozenset({"https://app.example.com"})


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "anything"),
        ("http://localhost:6274", "localhost:8787"),
        ("http://127.0.0.1", "127.0.0.1:8787"),
        ("http://[::1]:5000", "[::1]:8787"),
        ("http://LOCALHOST", "127.0.0.1"),
        ("https://app.example.com", "api.example.com"),
        ("https://APP.example.com/", "api.example.com"),
    ],
)
def test_programs_pages_on_this_machine_and_allowed_pages_may_call(origin: str | None, host: str) -> None:
    assert is_allowed(origin, host, _ALLOWED)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.example.com", "evil.example.com"),
        ("http://evil.example.com", "localhost:8787"),
        ("http://localhost", "evil.example.com"),
        ("http://localhost", ""),
        ("http://localhost.evil.com", "localhost"),
        ("http://localhost@evil.com", "localhost"),
        ("http://evil.com#localhost", "localhost"),
        ("http://127.0.0.1.evil.com", "localhost"),
        ("null", "localhost"),
        ("", "localhost"),
        ("http://[::1", "localhost"),
        ("https://app.example.com.evil.com", "api.example.com"),
        ("http://app.example.com", "api.example.com"),
    ],
)
def test_other_pages_may_not(origin: str, host: str) -> None:
    assert not is_allowed(origin, host, _ALLOWED)
