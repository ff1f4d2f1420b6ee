"""Invisible characters, and the neighbours next to which they carry meaning and stay.

Each constant is the inside of a regular expression's character class. Sources: Unicode 16, UAX 9 (bidi), UTS 51
(emoji), UTS 37 (ideographic variation), RFC 5892 appendix A (joiners), Default_Ignorable_Code_Point.
"""

# Tab, line feed and carriage return stay.
CONTROLS = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
LINE_CONTROLS = "\x0b\x0c\x1c\x1d\x1e\x85"

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"

# Default ignorables that no modern text needs: soft hyphen, joiners of graphemes and words, fillers, annotation marks.
INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)

# Lone surrogates and noncharacters. They are not text, and UTF-8 cannot encode surrogates.
BROKEN = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff" + "".join(
    f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(1, 17)
)

# Tags and the rest of their plane's first 4,096 places, except the variation selectors there.
TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"

# These depend on their neighbours.
ZERO_WIDTH_SPACE = "\u200b"
NON_JOINER = "\u200c"
JOINER = "\u200d"
MONGOLIAN_SELECTORS = "\u180b-\u180d\u180f"
STANDARD_SELECTORS = "\ufe00-\ufe0d"
PRESENTATION_SELECTORS = "\ufe0e\ufe0f"
IDEOGRAPHIC_SELECTORS = "\U000e0100-\U000e01ef"
SELECTORS = MONGOLIAN_SELECTORS + STANDARD_SELECTORS + PRESENTATION_SELECTORS + IDEOGRAPHIC_SELECTORS
CONDITIONAL = ZERO_WIDTH_SPACE + NON_JOINER + JOINER + SELECTORS

UNCONDITIONAL = CONTROLS + BIDI + INVISIBLE + BROKEN + TAGS

# Characters that may carry a presentation selector or be joined into one picture; digits only inside a keycap.
EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u20e3\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
KEYCAP = "#*0-9"
KEYCAP_SIGN = "\u20e3"

# Scripts whose letters take another form, or another reading, beside a joiner.
CURSIVE = (
    "\u0600-\u061b\u061d-\u08ff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010d00-\U00010d3f\U00010f30-\U00010f6f"
    "\U0001e900-\U0001e95f"
)
MONGOLIAN = "\u1800-\u180a\u1810-\u18aa"
INDIC = (
    "\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1b00-\u1bff\ua8e0-\ua9df\U00011000-\U000114df"
)
JOINING = CURSIVE + MONGOLIAN + INDIC

# Scripts written without spaces, where a zero width space marks the ends of words.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua980-\ua9ff\uaa60-\uaadf"

IDEOGRAPHS = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
STANDARD_BASES = IDEOGRAPHS + "0\u1000-\u109f\u2200-\u22ff\u2a00-\u2aff\u3001\u3002\ua840-\ua87f\uff01-\uff60"
