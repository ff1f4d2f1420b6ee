"""Answers to browsers: pages, redirects, files. The headers that keep a page to itself are on every one of them."""

from hashlib import sha256
from importlib import resources
from mimetypes import guess_type

from almanac.protocol.wire.http import Response


def policy(*reached: str) -> str:
    """The policy of a page; its script may connect to the origins `reached` besides its own."""
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
    """The page with a tag of its content, or nothing where the browser has that content already."""
    tag = f'"{sha256(response.body.encode()).hexdigest()[:24]}"'
    if known == tag:
        return Response(304, {**GUARDED, "etag": tag, "cache-control": "no-store"}, "")
    return Response(response.status, {**response.headers, "etag": tag}, response.body)


def secret(text: str) -> Response:
    """A text for a page's own script."""
    return Response(200, {**GUARDED, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store"}, text)


def redirect(path: str, headers: dict[str, str] | None = None) -> Response:
    """Go on to a page of ours, with GET."""
    return Response(303, {**GUARDED, "location": path, "cache-control": "no-store", **(headers or {})}, "")


class StaticFiles:
    """The files of the folder `static`, each under an address with the digest of what it holds."""

    def __init__(self) -> None:
        folder = resources.files(__package__ or "") / "static"
        self._files = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.is_file()}
        self._digests = {name: sha256(text.encode()).hexdigest()[:12] for name, text in self._files.items()}

    def address(self, name: str) -> str:
        return f"/ui/static/{self._digests[name]}/{name}"

    def find(self, path: str) -> Response | None:
        """The file at this path; None where there is none. An address of another version gets today's, uncached."""
        digest, _, name = path.removeprefix("/ui/static/").partition("/")
        text = self._files.get(name)
        if text is None:
            return None
        kept = _YEAR if digest == self._digests[name] else "no-cache"
        media = guess_type(name)[0] or "text/plain"
        return Response(200, {**GUARDED, "content-type": f"{media}; charset=utf-8", "cache-control": kept}, text)
