"""Readings of one text without the disguises of its letters. Each undoes one more disguise.

plain(visible)     full width, mathematical and other compatibility forms as ordinary letters, lower case
latin(plain)       the same without accents, look-alike letters of other scripts as Latin ones
undo_leet(latin)   digits and signs that stand for letters as those letters
squeeze(latin)     separate letters joined, without anything else; empty if no letters are separate
"""

# ruff: noqa: RUF001 - letters of other scripts are the subject

import re
import unicodedata

# A Latin letter, then its look-alikes: Cyrillic, Greek, Armenian, small capitals, letters with strokes.
_TAKEN_FOR = (
    "aаαաɑᴀ bʙ cсᴄ dԁđᴅ eеεᴇ fꜰ gԍɡցɢ hнһհħʜ iіїιɩıɪ jјᴊ kкκᴋ lӏʟł mмᴍ nпηոɴ oоοօøᴏ pрρᴘ qԛքզ rгʀ sѕꜱ "
    "tтτŧᴛ uυսᴜ vνѵᴠ wԝωᴡ xхχ yуγʏ zᴢ"
)
_LOOK_ALIKES = {ord(other): group[0] for group in _TAKEN_FOR.split() for other in group[1:]} | {
    first + place: chr(ord("a") + place) for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)
}
# Combining marks: accents, Cyrillic ones, those around symbols.
_MARKS = ((0x0300, 0x0370), (0x0483, 0x048A), (0x1AB0, 0x1B00), (0x1DC0, 0x1E00), (0x20D0, 0x2100), (0xFE20, 0xFE30))
_TO_LATIN = _LOOK_ALIKES | {mark: None for first, end in _MARKS for mark in range(first, end)}
_LEET = tuple(zip("013457@$|!", "oieastasli", strict=True))
_INSIDE_WORDS = re.compile(r"[a-z][013457@$|!]{1,3}+[a-z]")
_APART = re.compile(r"(?<![a-z0-9])(?:[a-z0-9][^a-z0-9]{1,3}+){6}")
_NOT_LETTERS = re.compile(r"[^a-z]+")


def plain(visible: str) -> str:
    if visible.isascii():
        return visible.lower()
    return unicodedata.normalize("NFKC", visible).lower()


def latin(text: str) -> str:
    """Return the text with look-alikes as Latin letters and without accents. Letters that resemble no Latin one
    stay."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).translate(_TO_LATIN)


def undo_leet(text: str) -> str:
    if not _INSIDE_WORDS.search(text):
        return text
    # Ten passes, each a search in C, are quicker than one translation of a text that has few of these or is not ASCII.
    for sign, letter in _LEET:
        text = text.replace(sign, letter)
    return text


def squeeze(text: str) -> str:
    return _NOT_LETTERS.sub("", text) if _APART.search(text) else ""
