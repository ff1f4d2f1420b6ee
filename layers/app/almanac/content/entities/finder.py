"""Finder of entities. It reads a text once, chunk by chunk, and classifies each chunk by its form."""

import re
from collections.abc import Iterator
from functools import cache

from almanac.content.entities.entity import Entity, Kind
from almanac.content.entities.error_codes import error_code_in, normalize_number, number_pattern
from almanac.content.entities.files import file_in, is_known_name, is_product
from almanac.content.entities.symbols import symbol_in

MAX_ENTITIES = 256
MAX_CHUNK = 256
_URL = r"(?:https?|ftps?|ssh|git|file|wss?|s3|gs)://[^\s<>\"'`\x00-\x1f]{1,2000}|\bwww\.[\w-]{1,63}\.[^\s<>\"'`]{2,1000}|git@[\w.-]{1,100}:[\w./~-]{1,200}"
_CHUNK = r"(?:->|[^\s\"'`<>|,;(){}\[\]“”‘’])+"  # noqa: RUF001 - quotes of print
_TICKET = r"(?:[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,6}|(?:[\w.-]{1,40}/[\w.-]{1,60})?#[1-9]\d{0,6}|GH-\d{1,6}|[!][1-9]\d{1,6})"
# Standards and the like, which are written like tickets.
_NO_TICKETS = (
    "UTF-",
    "ISO-",
    "SHA-",
    "RFC-",
    "AES-",
    "HTTP-",
    "IPV-",
    "RS-",
    "MD-",
    "X-",
    "COVID-",
    "GPT-",
    "CIFAR-",
    "UCS-",
    "SHA3-",
    "P-",
)
_TRAILING = ".,:;!?*_~%^&+=…"
_LEADING = "*_~,:;!?=+&%^"
_PARTS = re.compile(r"[^=/:+&]+(?:(?:::|->)[^=/:+&]+)*")


def entities(text: str) -> list[Entity]:
    """Return the first occurrence of every entity, in reading order, at most 256. Takes linear time and never
    raises."""
    found: dict[tuple[str, str], Entity] = {}
    for entity in _find_all(text):
        found.setdefault((entity.kind, entity.normal), entity)
        if len(found) == MAX_ENTITIES:
            break
    return sorted(found.values(), key=lambda entity: (entity.start, -entity.end))


def _find_all(text: str) -> Iterator[Entity]:
    for start, end in _commands_in(text):
        yield _entity("command", text, start, end, _command_normal(text[start:end]))
    for match in number_pattern().finditer(text):
        if normal := normalize_number(match.group(), match.group(1)):
            yield _entity("error_code", text, match.start(1), match.end(1), normal)
    at = 0
    for match in _urls().finditer(text):
        yield from _in_words(text, at, match.start())
        at = match.start() + len(_trim(match.group()))
        yield _entity("url", text, match.start(), at, _url_normal(text[match.start() : at]))
    yield from _in_words(text, at, len(text))


@cache
def _urls() -> re.Pattern[str]:
    return re.compile(_URL)


@cache
def _chunks() -> re.Pattern[str]:
    return re.compile(_CHUNK)


@cache
def _tickets() -> re.Pattern[str]:
    return re.compile(_TICKET, re.ASCII)


def _in_words(text: str, start: int, end: int) -> Iterator[Entity]:
    for match in _chunks().finditer(text, start, end):
        if len(match.group()) <= MAX_CHUNK and not _is_prose(match.group(), text[match.end() : match.end() + 1]):
            yield from _in_chunk(text, match.start(), match.end())


def _is_prose(chunk: str, after: str) -> bool:
    """Return whether a chunk is an ordinary word: letters only, with at most the first one a capital."""
    return chunk.isalpha() and chunk[1:].islower() and after != "(" and not is_known_name(chunk)


def _in_chunk(text: str, start: int, end: int) -> Iterator[Entity]:
    start, end = _strip_punctuation(text, start, end)
    chunk = text[start:end]
    if whole := _classify(chunk, called=text[end : end + 1] == "("):
        yield _entity(whole[0], text, start, end, whole[1])
        return
    if any(sign in chunk for sign in "=/:+&"):
        for part in _PARTS.finditer(chunk):
            begin, after = _strip_punctuation(text, start + part.start(), start + part.end())
            judged = _classify(text[begin:after], called=text[after : after + 1] == "(")
            if judged and judged[0] != "ticket":
                yield _entity(judged[0], text, begin, after, judged[1])


def _classify(chunk: str, *, called: bool) -> tuple[Kind, str] | None:
    if len(chunk) < 2:
        return None
    if _tickets().fullmatch(chunk) and not chunk.startswith(_NO_TICKETS):
        return "ticket", chunk.casefold()
    if normal := error_code_in(chunk):
        return "error_code", normal
    if normal := file_in(chunk):
        return "file", normal
    if is_product(chunk):
        return None
    normal = symbol_in(chunk, called)
    return ("symbol", normal) if normal else None


def _strip_punctuation(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of a chunk without the punctuation around it. Names keep their underscores."""
    while start < end and text[start] in _LEADING and not text.startswith(("_", "~/"), start):
        start += 1
    while start < end and text[end - 1] in _TRAILING and text[end - 1] != "_":
        end -= 1
    return start, end


def _trim(url: str) -> str:
    """Remove the punctuation of the surrounding sentence from the end of a URL."""
    while url and (url[-1] in ".,:;!?*_~…]}" or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url


def _url_normal(url: str) -> str:
    scheme, found, rest = url.partition("://")
    return (rest if found and scheme in {"http", "https"} else url).removeprefix("www.").rstrip("/").casefold()


def _entity(kind: Kind, text: str, start: int, end: int, normal: str) -> Entity:
    return Entity(kind, text[start:end], normal, start, end)


_PROGRAMS_NAMED = (
    "alembic ansible ansible-playbook apk apt apt-get aws awk az bash bazel black brew bun bundle cabal cargo "
    "cat cd chmod chown cmake composer conda cp crontab curl dig django-admin docker docker-compose dotnet du "
    "echo elixir env eslint export ffmpeg find flask flutter flyctl gcc gcloud gdb gem gh git go gofmt gpg "
    "gradle gradlew grep gunzip gzip helm heroku hg iptables java javac jest jq julia just kill kubectl ld "
    "ldd ln ls lsof make mkdir mongo mongosh mount mv mvn mvnw mypy mysql mysqldump nc netstat next nginx "
    "ninja node npm npx nvm openssl pacman patch perl php pip pip3 pipenv pipx pkill pm2 pnpm podman poetry "
    "pre-commit prettier ps psql pulumi pwd pyenv pyright pytest python python3 rails rake rbenv redis-cli rm "
    "rsync ruby ruff rustc rustup sam sbt scp sed serverless service sh snap sqlite3 ssh ssh-keygen strace su "
    "sudo supervisorctl svn swift systemctl tail tar tcpdump tee terraform tmux top touch tox tsc unzip uv "
    "uvicorn uvx vagrant vim vite vitest wget which xargs xcodebuild yarn yum zip"
)
_PROGRAMS = _PROGRAMS_NAMED.split()
_START = r"(?:(?:sudo|time|env|nohup)[ \t]+)?(?:[A-Z_]+=\S{1,100}[ \t]+){0,4}(?:\./)?"


@cache
def _commands() -> re.Pattern[str]:
    programs = "|".join(sorted(map(re.escape, _PROGRAMS), key=len, reverse=True))
    begin = rf"{_START}(?:{programs})(?=[ \t`\n]|\Z)"
    return re.compile(
        rf"(?<!`)`({begin}[^`\n]{{0,200}})`(?!`)"
        rf"|^[ \t]*(?:[\w@.~:/-]{{0,40}}[$%#>]|\$|>>?)[ \t]+({begin}[^\n]{{0,200}})",
        re.MULTILINE,
    )


def _commands_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the commands in `text`."""
    for match in _commands().finditer(text):
        group = 1 if match.start(1) >= 0 else 2
        yield match.start(group), match.start(group) + len(match.group(group).rstrip())


def _command_normal(command: str) -> str:
    """Return a command with one blank between words and without sudo: `git rebase -i main`."""
    return " ".join(command.split()).removeprefix("sudo ").casefold()
