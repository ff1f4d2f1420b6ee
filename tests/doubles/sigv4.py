"""AWS's side of Signature Version 4. It computes the signature that a request must have from its bytes on the wire.

The code follows the published algorithm and does not use botocore, so that it can judge botocore's signatures.
"""

import hmac
import re
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import quote, unquote_to_bytes

ACCESS_KEY = "AKIDEXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, "
    r"SignedHeaders=([^,]+), Signature=([0-9a-f]{64})"
)

Headers = Sequence[tuple[str, str]]


def fault(method: str, target: str, headers: Headers, body: bytes, region: str, service: str) -> str | None:
    """Return why AWS would reject the request, or None. `target` is path and query as the client sent them."""
    named = {name.lower(): value for name, value in headers}
    found = _AUTHORIZATION.fullmatch(named.get("authorization", ""))
    if found is None:
        return "it bears no signature"
    key, day, its_region, its_service, signed, signature = found.groups()
    if (key, its_region, its_service) != (ACCESS_KEY, region, service):
        return f"it is signed by {key} for {its_service} in {its_region}"
    if not named["x-amz-date"].startswith(day):
        return "its date is another than that of its signature"
    if lacking := {"host", "x-amz-date", *(name for name in named if name.startswith("x-amz-"))} - {*signed.split(";")}:
        return f"the signature does not cover {', '.join(sorted(lacking))}"
    if named.get("x-amz-content-sha256", sha256(body).hexdigest()) != sha256(body).hexdigest():
        return "the digest of its body is wrong"
    expected = signature_of(method, target, headers, signed.split(";"), body, region, service)
    return None if hmac.compare_digest(expected, signature) else "its signature is wrong"


def signature_of(
    method: str, target: str, headers: Headers, signed: Sequence[str], body: bytes, region: str, service: str
) -> str:
    """Return the signature with the example key. It covers the headers that `signed` names."""
    path, _, query = target.partition("?")
    values = {name: [value for each, value in headers if each.lower() == name] for name in signed}
    lines = [f"{name}:{','.join(' '.join(value.split()) for value in values[name])}" for name in sorted(signed)]
    canonical = "\n".join(
        [method, _path(path), _query(query), *lines, "", ";".join(sorted(signed)), sha256(body).hexdigest()]
    )
    moment = values["x-amz-date"][0]
    scope = f"{moment[:8]}/{region}/{service}/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
    secret = f"AWS4{SECRET_KEY}".encode()
    for part in scope.split("/"):
        secret = _digest(secret, part)
    return _digest(secret, text).hex()


def _digest(secret: bytes, text: str) -> bytes:
    return hmac.new(secret, text.encode(), sha256).digest()


def _path(path: str) -> str:
    """Return the path normalized and encoded once more, which every service but S3 demands."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    ends = "/" if parts and path.endswith(("/", "/.", "/..")) else ""
    return quote("/" + "/".join(parts) + ends, safe="/-_.~")


def _query(query: str) -> str:
    pairs = [part.partition("=")[::2] for part in query.split("&") if part]
    return "&".join(sorted(f"{_encode(name)}={_encode(value)}" for name, value in pairs))


def _encode(text: str) -> str:
    # A plus stands for itself. Only in forms does it mean a blank.
    return quote(unquote_to_bytes(text), safe="-_.~")
