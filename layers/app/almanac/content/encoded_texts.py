"""Decoder of texts hidden inside a text, in encodings that a model reads as easily as letters.

The encodings are base64, hexadecimal, binary, ROT13, reversed letters, character references, percent escapes, Unicode
tags, and bytes in variation selectors. Each pass is linear in the text's length.
"""

import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations

# 20 characters of base64 hold 15 letters. Shorter runs hold no sentence.
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}+={0,2}")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:(?:\\x|0x)?[0-9A-Fa-f]{2}[ :,]?+){12,}+")
_BINARY = re.compile(r"(?<![01])(?:[01]{8}[ ,]?+){8,}+")
_BYTE = re.compile(r"(?:\\x|0x)?([0-9A-Fa-f]{2})")
_REFERENCE = re.compile(r"&(?:#([0-9]{1,7}+)|#[xX]([0-9A-Fa-f]{1,6}+)|(lt|gt|amp|quot|colon|Tab|NewLine));?")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "colon": ":", "Tab": "\t", "NewLine": "\n"}
_PERCENT = re.compile(r"%([2-7][0-9A-Fa-f])")
_TAGGED = re.compile("[\U000e0020-\U000e007e]+")
_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]{64,}")
_PROSE = re.compile(r"\b[^\W\d_]{2,24}+(?:[,;:.!?'-]{0,2}+ [\"'(]?[^\W_]{1,24}+){2}")

_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_TELLING = ("ignore", "disregard", "forget", "override", "instruction", "password", "system prompt", "what ", "reveal")
# Text written backwards contains two or more of these, and no other text does.
_BACKWARDS = re.compile(
    r"\b(?:eht|dna|uoy|ruoy|siht|htiw|morf|esaelp|lla|ot|dnes|drawrof|eteled|lecnac|llac|liame|sliame|erongi|drawssap"
    r"|drowssap|sdrowssap|snoitcurtsni|suoiverp|laever|ksa|loot|stneve|sgniteem|rof|ton|tpmorp)\b"
)
_LOOKED_AT = 20_000
_RUN = re.compile(r"\w{2,40}+")
_TURNED = tuple(word.translate(_ROT13) for word in _TELLING)
_REVERSED = tuple(word[::-1] for word in _TELLING)


def encoded_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield (encoding, decoded text) for each part of `text` that decodes to prose, in encodings that people cannot
    read."""
    for pattern, encoding, decode in _forms(text):
        decoded = " ".join(filter(None, (_as_prose(decode(match.group())) for match in pattern.finditer(text))))
        if decoded:
            yield encoding, decoded


def escaped_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield (encoding, unescaped text) of `text`, for escapes that are ordinary in links and markup."""
    if "&" in text and (referenced := _REFERENCE.sub(_character, text)) != text:
        yield "character references", referenced
    if "%" in text and (unescaped := _PERCENT.sub(lambda byte: chr(int(byte[1], 16)), text)) != text:
        yield "percent escapes", unescaped


def smuggled_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield (encoding, decoded text) of prose in invisible characters."""
    tagged = " ".join("".join(chr(ord(tag) - 0xE0000) for tag in run) for run in _TAGGED.findall(text))
    if _PROSE.search(tagged):
        yield "tag characters", tagged
    for run in _ZERO_WIDTH.findall(text):
        if zero_width := _from_zero_width(run):
            yield "zero width characters", zero_width
    selectors = _SELECTOR.findall(text)
    hidden = _as_prose(bytes(ord(s) - 0xFE00 if s < "\U000e0000" else ord(s) - 0xE0100 + 16 for s in selectors))
    if hidden:
        yield "variation selectors", hidden


def turned_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield (encoding, decoded text) if words of the lower-case `text` indicate ROT13 or reversed letters."""
    if any(word in text for word in _TURNED):
        yield "ROT13", text.translate(_ROT13)
    if any(word in text for word in _REVERSED) or len(_BACKWARDS.findall(text, 0, _LOOKED_AT)) > 1:
        yield "reversed letters", text[::-1]
        yield "reversed words", _RUN.sub(lambda word: word[0][::-1], text)


def _forms(text: str) -> Iterator[tuple[re.Pattern[str], str, Callable[[str], bytes]]]:
    """Yield the encodings for which `text` has enough digits. Any ASCII letter may be a digit in base64."""
    bits = text.count("0") + text.count("1")
    if bits >= 64:
        yield _BINARY, "binary", _from_binary
    if bits >= 12 or bits + sum(map(text.count, "234567")) >= 12:
        yield _HEX, "hexadecimal", _from_hex
    yield _BASE64, "base64", _from_base64


def _from_base64(run: str) -> bytes:
    letters = run.rstrip("=").replace("-", "+").replace("_", "/")
    whole = letters[: len(letters) - (len(letters) % 4 == 1)]
    try:
        return binascii.a2b_base64(whole + "=" * (-len(whole) % 4))
    except (binascii.Error, ValueError):
        return b""


def _from_hex(run: str) -> bytes:
    return bytes.fromhex("".join(_BYTE.findall(run)))


def _from_binary(run: str) -> bytes:
    bits = run.replace(" ", "").replace(",", "")
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8))


def _from_zero_width(run: str) -> str:
    """Decode bits from two of these characters, with a third one between letters."""
    common = [sign for sign, _ in Counter(run).most_common(3)]
    for zero, one in permutations(common[:2] if len(common) == 2 else common, 2):
        bits = "".join("0" if sign == zero else "1" for sign in run if sign in (zero, one))
        if text := _as_prose(_from_binary(bits)):
            return text
    return ""


def _as_prose(raw: bytes) -> str:
    """Return `raw` as text if it contains several words in a row, else an empty text, as for hashes, pictures and
    keys."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return ""
    return text if _PROSE.search(text) else ""


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
