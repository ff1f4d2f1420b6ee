"""Error codes of systems, compilers, databases and HTTP, and names of exceptions."""

import re
from functools import cache

_ERRNO_NAMED = (
    "eacces eaddrinuse eaddrnotavail eagain ealready ebadf ebadmsg ebusy ecanceled echild econnaborted "
    "econnrefused econnreset edeadlk edestaddrreq edom edquot eexist efault efbig ehostunreach eidrm eilseq "
    "einprogress eintr einval eio eisconn eisdir eloop emfile emlink emsgsize emultihop enametoolong enetdown "
    "enetreset enetunreach enfile enobufs enodata enodev enoent enoexec enolck enolink enomem enomsg "
    "enoprotoopt enospc enosys enotconn enotdir enotempty enotfound enotrecoverable enotsock enotsup enotty "
    "enxio eopnotsupp eoverflow eownerdead eperm epipe eproto eprotonosupport eprototype erange eresolve "
    "erofs espipe esrch estale etimedout etxtbsy ewouldblock exdev eai_again eintegrity elifecycle eusage "
    "epublishconflict eneedauth eotp eauthip ebadengine ebadplatform"
)
_ERRNO = frozenset(_ERRNO_NAMED.split())
_CODE = (
    r"TS\d{4,5}|CS\d{4}|E\d{4}|C\d{4,5}|LNK\d{4}|MSB\d{4}|NU\d{4}|NETSDK\d{4}|CA\d{4}|SA\d{4}|RUF\d{3}|PLR\d{4}|SC\d{4}|MD\d{3}"
    r"|ORA-\d{5}|TNS-\d{5}|PLS-\d{5}|SQLSTATE\[?\w{5}\]?|SQL\d{4,5}N?|PGRST\d{3}|P\d{4}|AADSTS\d{5,6}|KB\d{6,7}|BC\d{5}|FS\d{4}"
    r"|GHC-\d{5}|EPSG-\d+|CVE-\d{4}-\d{4,7}|RUSTSEC-\d{4}-\d{4}|GHSA(?:-[a-z0-9]{4}){3}|0x[89A-Fa-f][0-9A-Fa-f]{7}"
    r"|ERR_[A-Z][A-Z0-9_]+|E_[A-Z][A-Z_]+|SIG(?:SEGV|KILL|TERM|INT|ABRT|BUS|FPE|HUP|ILL|PIPE|QUIT|TRAP|STOP|CHLD|USR[12])"
    r"|NS_ERROR_[A-Z_]+|NG0?\d{3,4}|HTTP[/_-]?[1-5]\d\d|STATUS_[A-Z_]{6,}|ABI\d{3,4}|DEP0\d{3}|OOMKilled|CrashLoopBackOff|ImagePullBackOff"
)
_EXCEPTION = (
    r"(?:[a-zA-Z_]\w*(?:\.|::|\\))*[A-Z]\w{0,80}?"
    r"(?:Error|Exception|Warning|Failure|Fault|Interrupt|Panic)(?:\(\))?"
)
# A number that becomes an error by the words before it: HTTP 503, status code 404, exit code 137, errno 13.
_NUMBERED = (
    r"(?:\bHTTP(?:/\d(?:\.\d)?)?(?:\s+(?:status|error|code|response)){0,2}|\b(?:status|response|error|exit|return)(?:\s+(?:code|status))?"
    r"|\berrno|\berror|\bsignal|\breturns?(?: an?)?|\bthrows?(?: an?)?|\b(?:got|get|gives|gave)(?: an?)?)"
    r"[\s:=#]{1,3}(-?\d{1,5})\b(?!\.\d|%|\s*(?:ms|seconds|minutes|items|times|bytes|rows|results|files|lines)\b)"
)


def error_code_in(chunk: str) -> str | None:
    """Return the lookup form of `chunk` if it is an error code or the name of an exception, else None."""
    if chunk.casefold() in _ERRNO and chunk.isupper():
        return chunk.casefold()
    if not _codes().fullmatch(chunk):
        return None
    name = chunk.removesuffix("()").replace("::", ".").rpartition(".")[2]
    return (
        None if name in {"Error", "Exception", "Warning", "Failure", "Fault", "Interrupt", "Panic"} else name.casefold()
    )


@cache
def _codes() -> re.Pattern[str]:
    return re.compile(f"{_CODE}|{_EXCEPTION}", re.ASCII)


@cache
def number_pattern() -> re.Pattern[str]:
    """Return the pattern of error numbers, in group 1, with the words that identify them."""
    return re.compile(_NUMBERED, re.IGNORECASE)


def normalize_number(text: str, number: str) -> str | None:
    """Return the lookup form of a numbered error: `http 503`, `exit 137`, `errno 13`."""
    word = text[:4].casefold()
    if word.startswith(("exit", "errn", "sign")):
        return f"{'errno' if word == 'errn' else 'signal' if word == 'sign' else 'exit'} {number}"
    return f"http {number}" if len(number) == 3 and number[0] in "12345" and int(number[:1]) >= 3 else None
