"""Symbols: names in the forms that code uses."""

import re
from functools import cache

_NAME = r"[A-Za-z_$][\w$]*"
_JOINED = rf"[@#&*!]?\$?(?:{_NAME})(?:(?:\.|::|->|\#|\?\.|\\){_NAME})*(?:[!?](?=$))?"
_SNAKE = r"_*[a-zA-Z0-9]+(?:_+[a-zA-Z0-9]+)+_*|__?[a-zA-Z]\w*"
_HUMPS = (
    r"[a-z$][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"
    r"|[A-Z]{2,}[a-z0-9]+(?:[A-Z][a-z0-9]*)*[a-z]|[A-Z](?:[A-Z][a-z]+){2,}"
)
_MARKED = rf"(?:@|\$|--){_NAME}[\w-]*"
# Product names that look like camel case.
_PRODUCTS_NAMED = (
    "github gitlab javascript typescript postgresql mysql mongodb dynamodb youtube linkedin facebook macos "
    "ios ipados stackoverflow openai chatgpt wordpress powershell devops webassembly graphql nodejs latex "
    "bitbucket paypal cloudformation cloudwatch dockerhub pytorch tensorflow openssl openssh opencv sqlite "
    "mariadb circleci iphone ipad icloud vscode webstorm pycharm intellij coffeescript ebay whatsapp "
    "jetbrains hubspot mailchimp eslint numpy scipy opengl webgl webrtc websocket websockets vmware "
    "virtualbox freebsd openbsd netbsd youtu hashicorp macbook airbnb"
)
_PRODUCTS = frozenset(_PRODUCTS_NAMED.split())
_PROSE_NAMED = "e.g i.e a.m p.m etc.a u.s u.k vs.a ph.d e.g. and/or w.r.t"
_PROSE = frozenset(_PROSE_NAMED.split())
_HOSTS_NAMED = "com org net io dev co uk de edu gov info app ai me eu fr nl ru cn jp br in"
_HOSTS = frozenset(_HOSTS_NAMED.split())


def symbol_in(chunk: str, called: bool) -> str | None:
    """Return the lookup form of `chunk` if it is a symbol, else None. `called` means that parentheses follow at
    once."""
    if chunk.casefold() in _PROSE or not _joined_pattern().fullmatch(chunk):
        return None
    bare = chunk.strip("@#&*!$?")
    if bare.casefold() in _PRODUCTS:
        return None
    if _is_dotted(bare) or _shape_pattern().fullmatch(bare) or (called and len(bare) > 1):
        return bare.casefold()
    return bare.casefold() if _marked_pattern().fullmatch(chunk) and len(bare) > 1 and chunk[0] == "$" else None


def _is_dotted(name: str) -> bool:
    """Return whether a name has parts, as os.path.join, Foo::bar and user->name do. Hosts and abbreviations do not
    count."""
    parts = [part for part in _joint_pattern().split(name) if part]
    if len(parts) < 2 or all(len(part) < 2 for part in parts):
        return False
    if "::" in name or "->" in name or "#" in name:
        return True
    return parts[-1].casefold() not in _HOSTS and not (
        len(parts) == 2 and parts[0].islower() and parts[1].istitle() and len(parts[1]) < 4
    )


@cache
def _joined_pattern() -> re.Pattern[str]:
    return re.compile(_JOINED)


@cache
def _joint_pattern() -> re.Pattern[str]:
    return re.compile(r"\.|::|->|#|\?\.|\\")


@cache
def _shape_pattern() -> re.Pattern[str]:
    return re.compile(f"{_SNAKE}|{_HUMPS}")


@cache
def _marked_pattern() -> re.Pattern[str]:
    return re.compile(_MARKED)
