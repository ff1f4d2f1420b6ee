"""Responses to browsers: pages, redirects and files. Each carries the headers that isolate a page."""

from hashlib import sha256
from importlib import resources
from mimetypes import guess_type

from almanac.protocol.wire.http import Response


def policy(*reached: str) -> str:
    """Return a page's content security policy. Its script may connect to its own origin and to `reached`."""
    reached = ("'self'", *reached)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src {' '.join(reached)}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


GUARDED = {
    "content-security-policy": policy(),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_YEAR = "public, max-age=31536000, immutable"


def html(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    private = {"content-type": "text/html; charset=utf-8", "cache-control": "no-store"}
    return Response(status, {**GUARDED, **private, **(headers or {})}, text)


def unless_known(response: Response, known: str) -> Response:
    """Return the page with an entity tag, or an empty response if the browser already has this content."""
    tag = f'"{sha256(response.body.encode()).hexdigest()[:24]}"'
    if known == tag:
        return Response(304, {**GUARDED, "etag": tag, "cache-control": "no-store"}, "")
    return Response(response.status, {**response.headers, "etag": tag}, response.body)


def secret(text: str) -> Response:
    """Return a text that only the page's own script may read."""
    return Response(200, {**GUARDED, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store"}, text)


def redirect(path: str, headers: dict[str, str] | None = None) -> Response:
    """Redirect to another page of the dashboard, with GET."""
    return Response(303, {**GUARDED, "location": path, "cache-control": "no-store", **(headers or {})}, "")


class StaticFiles:
    """The files of the folder `static`. The address of each contains the digest of its content."""

    def __init__(self) -> None:
        folder = resources.files(__package__ or "") / "static"
        self._files = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.is_file()}
        self._digests = {name: sha256(text.encode()).hexdigest()[:12] for name, text in self._files.items()}

    def address(self, name: str) -> str:
        return f"/ui/static/{self._digests[name]}/{name}"

    def find(self, path: str) -> Response | None:
        """Return the file at this path, or None. An address with another digest gets the current file, uncached."""
        digest, _, name = path.removeprefix("/ui/static/").partition("/")
        text = self._files.get(name)
        if text is None:
            return None
        kept = _YEAR if digest == self._digests[name] else "no-cache"
        media = guess_type(name)[0] or "text/plain"
        return Response(200, {**GUARDED, "content-type": f"{media}; charset=utf-8", "cache-control": kept}, text)
