"""Login of an account at a server: Basic (RFC 7617), or Digest (RFC 7616) once the server asks for it."""

import hashlib
import re
import secrets
from base64 import b64encode
from collections.abc import Mapping
from threading import Lock
from urllib.parse import urlsplit

from msgspec import Struct

_WORD = re.compile(r"""\s*,?\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,"=]+))?""")
_LONGEST_CHALLENGE = 8192
_ALGORITHMS = {"SHA-256": "sha256", "MD5": "md5"}
"""Supported algorithms, best first, with their names in hashlib."""


class Challenge(Struct, frozen=True):
    """Login method that a server offers. `scheme` and the names of parameters are in lower case."""

    scheme: str
    parameters: Mapping[str, str]


def challenges(header: str) -> list[Challenge]:
    """Parse the challenges of a WWW-Authenticate header, or of several joined by commas."""
    parsed: list[Challenge] = []
    held: dict[str, str] = {}
    at = 0
    text = header[:_LONGEST_CHALLENGE]
    while (word := _WORD.match(text, at)) is not None and word.end() > at:
        at = word.end()
        if word[2] is None:
            held = {}
            parsed.append(Challenge(word[1].lower(), held))
        elif parsed:
            value = word[2]
            held[word[1].lower()] = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
    return parsed


class Login:
    """User name and password of an account. Threads may share it."""

    def __init__(self, user: str, password: str) -> None:
        self._user = user
        self._password = password
        self._basic = f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"
        self._lock = Lock()
        self._digest: _Digest | None = None

    def header(self, method: str, url: str) -> str:
        """Return the Authorization header of a request."""
        with self._lock:
            digest = self._digest
            if digest is None:
                return self._basic
            digest.count += 1
            count = digest.count
        return digest.answer(self._user, self._password, method, url, count)

    def should_retry(self, header: str, sent: str) -> bool:
        """Return whether to retry after a 401.

        `header` is its WWW-Authenticate header, `sent` the Authorization header of the request.
        """
        offered = [one for one in challenges(header) if one.scheme == "digest" and _algorithm(one) is not None]
        if not offered:
            return False
        best = min(offered, key=lambda one: list(_ALGORITHMS).index(_algorithm(one) or ""))
        # A nonce may be stale. If the server refuses an answer to a fresh one, the credentials are wrong.
        if sent.startswith("Digest ") and best.parameters.get("stale", "").lower() != "true":
            with self._lock:
                return self._digest is not None and f'nonce="{self._digest.nonce}"' not in sent
        with self._lock:
            self._digest = _Digest(best)
        return True


class _Digest:
    def __init__(self, challenge: Challenge) -> None:
        parameters = challenge.parameters
        self.nonce = parameters["nonce"]
        self.count = 0
        self._said = parameters
        self._name = _algorithm(challenge) or ""
        self._hash = _ALGORITHMS[self._name]
        self._session = parameters.get("algorithm", "").lower().endswith("-sess")
        self._qop = "auth" if "qop" in parameters else None

    def answer(self, user: str, password: str, method: str, url: str, count: int) -> str:
        realm, cnonce, number = self._said["realm"], secrets.token_hex(16), f"{count:08x}"
        parts = urlsplit(url)
        uri = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        key = self._hash_text(f"{user}:{realm}:{password}")
        if self._session:
            key = self._hash_text(f"{key}:{self.nonce}:{cnonce}")
        middle = f"{number}:{cnonce}:{self._qop}:" if self._qop is not None else ""
        response = self._hash_text(f"{key}:{self.nonce}:{middle}{self._hash_text(f'{method}:{uri}')}")
        hidden = self._said.get("userhash", "").lower() == "true"
        fields = {
            "username": self._hash_text(f"{user}:{realm}") if hidden else user,
            "realm": realm,
            "nonce": self.nonce,
            "uri": uri,
            "response": response,
            **({"cnonce": cnonce} if self._qop is not None or self._session else {}),
            **({"opaque": self._said["opaque"]} if "opaque" in self._said else {}),
        }
        quoted = [f"{name}={_quote(value)}" for name, value in fields.items()]
        quoted += [f"algorithm={self._said['algorithm']}"] if "algorithm" in self._said else []
        quoted += [f"qop={self._qop}", f"nc={number}"] if self._qop is not None else []
        quoted += ["userhash=true"] if hidden else []
        return f"Digest {', '.join(quoted)}"

    def _hash_text(self, text: str) -> str:
        return hashlib.new(self._hash, text.encode(), usedforsecurity=False).hexdigest()


def unsupported_schemes(header: str) -> str | None:
    """Return the login methods that a server offers if Almanac supports none of them; else None."""
    offered = challenges(header)
    if not offered or any(one.scheme == "basic" or _algorithm(one) is not None for one in offered):
        return None
    return ", ".join(dict.fromkeys(_scheme_name(one) for one in offered))[:100]


def _algorithm(challenge: Challenge) -> str | None:
    """Return the algorithm of a Digest challenge that can be answered."""
    parameters = challenge.parameters
    if challenge.scheme != "digest" or not {"realm", "nonce"} <= parameters.keys():
        return None
    if "qop" in parameters and "auth" not in [one.strip().lower() for one in parameters["qop"].split(",")]:
        return None
    name = parameters.get("algorithm", "MD5").upper().removesuffix("-SESS")
    return name if name in _ALGORITHMS else None


def _scheme_name(challenge: Challenge) -> str:
    algorithm = challenge.parameters.get("algorithm") or challenge.parameters.get("qop")
    name = challenge.scheme.capitalize()
    return f"{name} with {algorithm[:20]}" if challenge.scheme == "digest" and algorithm else name


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
