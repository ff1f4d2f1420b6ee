"""Kinds of files by path and bytes. The table is our own, so the result is the same on every machine."""

import re

BINARY = "application/octet-stream"
TEXT = "text/plain"

_KINDS = {
    "text/markdown": "md markdown mdx",
    "text/html": "html htm",
    "text/css": "css scss",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "text/javascript": "js mjs cjs jsx",
    "text/x-typescript": "ts mts cts tsx",
    "text/x-python": "py pyi",
    "text/x-shellscript": "sh bash zsh",
    "text/x-ruby": "rb",
    "text/x-go": "go",
    "text/x-rust": "rs",
    "text/x-java": "java",
    "text/x-c": "c h",
    "text/x-c++": "cc cpp cxx hpp",
    "text/x-csharp": "cs",
    "text/calendar": "ics",
    "application/json": "json",
    "application/x-ndjson": "jsonl ndjson",
    "application/yaml": "yaml yml",
    "application/toml": "toml",
    "application/xml": "xml xsd xsl",
    "application/sql": "sql",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/gzip": "gz tgz",
    "application/wasm": "wasm",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "image/png": "png",
    "image/jpeg": "jpg jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "image/x-icon": "ico",
    "font/ttf": "ttf",
    "font/otf": "otf",
    "font/woff": "woff",
    "font/woff2": "woff2",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "video/mp4": "mp4",
}
_BY_SUFFIX = {suffix: kind for kind, suffixes in _KINDS.items() for suffix in suffixes.split()}
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def is_text(data: bytes) -> bool:
    """Return whether bytes are UTF-8 text without control characters, except those for lines and terminals."""
    if _NOT_TEXT.search(data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def mime_type_of(path: str, *, text: bool) -> str:
    """Return the MIME type by the file's extension. If that is unknown, or wrongly says text, decide by `text`
    alone."""
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    kind = _BY_SUFFIX.get(suffix.lower(), "") if dot else ""
    if not text and kind.startswith("text/"):
        return BINARY
    return kind or (TEXT if text else BINARY)
