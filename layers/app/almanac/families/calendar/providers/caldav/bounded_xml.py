"""Parser of untrusted XML with bounds: UTF-8 only, without a document type, and without expansion in memory.

It feeds the parser in pieces, so that it refuses XML that is too deep, too large or not allowed before reading the
rest.
"""

from xml.etree.ElementTree import Element
from xml.parsers import expat

_PIECE = 64 * 1024
_LONGEST_TOKEN = 256 * 1024
_MAX_BYTES = 48 * 1024 * 1024
_MAX_DEPTH = 32
_MAX_ELEMENTS = 300_000
_MAX_NAMES = 1_000
_MAX_ATTRIBUTES = 50_000
_ATTRIBUTES_OF_ONE = 16
_SPACE = "}"
_ENCODINGS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


class _Refused(Exception):
    pass


def parse_xml(body: bytes) -> Element | None:
    """Return the root element with all texts; None for malformed or refused XML.

    The limits are 32 levels and 300,000 elements with 1,000 different names: many times what a calendar server needs.
    """
    if len(body) > _MAX_BYTES:
        return None
    reading = _Reading()
    try:
        for begin in range(0, len(body), _PIECE):
            reading.feed(body[begin : begin + _PIECE])
        return reading.end()
    except (_Refused, expat.ExpatError, ValueError):
        return None


class _Reading:
    def __init__(self) -> None:
        parser = expat.ParserCreate("UTF-8", _SPACE)
        parser.buffer_text = True
        parser.buffer_size = _PIECE
        parser.ordered_attributes = True
        parser.XmlDeclHandler = self._on_declaration
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse
        parser.StartNamespaceDeclHandler = self._on_namespace
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.CharacterDataHandler = self._on_text
        self._parser = parser
        self._fed = 0
        self._root: Element | None = None
        self._open: list[tuple[Element, list[str]]] = []
        self._names: dict[str, str] = {}
        self._prefixes: set[str | None] = set()
        self._elements = self._attributes = 0

    def feed(self, piece: bytes) -> None:
        # The parser accepts UTF-16 whatever encoding it is told, and refuses all others.
        if b"\0" in piece:
            raise _Refused
        self._parser.Parse(piece, False)
        self._fed += len(piece)
        # The parser buffers an unfinished tag for as long as it continues.
        if self._fed - max(0, self._parser.CurrentByteIndex) > _LONGEST_TOKEN + _PIECE:
            raise _Refused

    def end(self) -> Element | None:
        self._parser.Parse(b"", True)
        return self._root

    def _on_declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            raise _Refused

    def _on_namespace(self, prefix: str | None, _uri: str | None) -> None:
        self._prefixes.add(prefix)
        if len(self._prefixes) > _MAX_NAMES:
            raise _Refused

    def _on_start(self, name: str, attributes: list[str]) -> None:
        self._elements += 1
        self._attributes += len(attributes) // 2
        if (
            len(self._open) >= _MAX_DEPTH
            or self._elements > _MAX_ELEMENTS
            or len(attributes) // 2 > _ATTRIBUTES_OF_ONE
            or self._attributes > _MAX_ATTRIBUTES
        ):
            raise _Refused
        # As ElementTree writes it: {space}name.
        tag = self._names.setdefault(name, f"{{{name}" if _SPACE in name else name)
        if len(self._names) > _MAX_NAMES:
            raise _Refused
        element = Element(tag, {key: attributes[at + 1] for at, key in enumerate(attributes) if at % 2 == 0})
        if self._open:
            self._open[-1][0].append(element)
        else:
            self._root = element
        self._open.append((element, []))

    def _on_end(self, _name: str) -> None:
        element, texts = self._open.pop()
        if texts:
            element.text = "".join(texts)

    def _on_text(self, text: str) -> None:
        _, texts = self._open[-1]
        if texts or not text.isspace():
            texts.append(text)


def _refuse(*_: object) -> None:
    raise _Refused
