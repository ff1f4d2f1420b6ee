"""Detection of failed commands, and comparison of errors."""

import re

from almanac.families.context.reports.texts import fold

_TOLD = re.compile(
    r"^Traceback \(most recent call last\)"
    r"|\b[A-Z][A-Za-z]{0,60}(?:Error|Exception|Panic)\b(?:[ \t]{0,9}:|[ \t]{0,9}$|[ \t]{1,9}at\b)"
    r"|^[ \t]{0,40}(?:[\w./@:\[\]-]{1,80} )?(?:[Ff]atal|FATAL|[Ee]rror|ERROR|[Pp]anic)(?:\[[A-Z]{1,3}\d{1,5}\])?:"
    r"|\berror [A-Z]{1,4}\d{2,6}:|\bERR!|\bthread '[^'\n]{0,80}' panicked"
    r"|\b(?:E(?:NOENT|ACCES|CONNREFUSED|ADDRINUSE|PERM|EXIST|NOTFOUND|TIMEDOUT|PIPE|RESOLVE))\b"
    r"|command not found|[Nn]o such file or directory|[Pp]ermission denied|[Ss]egmentation fault|core dumped"
    r"|\b[Ss]yntax [Ee]rror\b|(?:[Cc]ompilation|[Bb]uild|[Tt]ests?) failed|^FAIL(?:ED)?\b|^BUILD FAILED"
    r"|\b[1-9]\d{0,6} (?:tests? )?(?:failed|failing|failures?|errors?)\b"
    r"|\bexit(?:ed)?(?: with)? (?:code|status):? [1-9]|\bnon-zero exit",
    re.MULTILINE,
)
_STOPPED = frozenset({130, 131, 137, 143})
"""Exit codes of a command that was stopped on purpose, which is no error."""

_PARTS = re.compile(
    r"(?P<id>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"
    r"|(?P<address>\b0x[0-9a-f]+\b)"
    r"|(?P<path>(?:[a-z]:)?[\w.@~+-]{0,200}[/\\][\w.@~+/\\-]{0,1000})"
    r"|(?P<hash>\b(?=[a-f]{0,63}\d)[0-9a-f]{12,64}\b)"
    r"|(?P<number>\d[\d.,:]*)"
)
_COMPARED = 4000


def has_failed(exit_code: float | None, succeeded: bool | None, output: str, stderr: str) -> bool:
    """Return whether a command failed with an explanation. Without an exit code, the words of its output decide. Exit
    code 0 is no failure. A nonzero code alone, as of grep without a match, explains nothing."""
    if exit_code == 0 or (exit_code is None and succeeded is True) or exit_code in _STOPPED:
        return False
    if exit_code is not None or succeeded is False:
        return bool(stderr) or looks_failed(output)
    return looks_failed(output) or looks_failed(stderr)


def looks_failed(text: str) -> bool:
    return _TOLD.search(text) is not None


def same_error(text: str, file: str | None) -> str:
    """Return the normal form of an error. Numbers, addresses, ids and folders are removed, since they differ between
    runs and machines. The same error in another file is a different one."""
    said = _PARTS.sub(_general, fold(text[:_COMPARED]))
    return f"{base_of(file.casefold()) if file else ''}\n{fold(said)}"


def base_of(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _general(found: re.Match[str]) -> str:
    if found.lastgroup == "path":
        return _PARTS.sub(_general, base_of(found[0])) or "#"
    return "#"
