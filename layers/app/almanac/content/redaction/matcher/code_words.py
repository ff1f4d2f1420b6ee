"""Values that are words of a program: names, types, algorithms, files, members, keyword arguments."""

from almanac.content.redaction.matcher.linear import compile_pattern
from almanac.content.redaction.matcher.plausible import length_of_words

_ALGORITHM = (
    r"(?:with|and|in|pb(?:kdf|e|es|m)|hmac|aes|sha|md|rsa|ecdsa|eddsa|ecdh|ecies|dsa|des(?:ede)?|rc|cbc|gcm|ctr|ecb|ccm|cfb|ofb"
    r"|xts|siv|ocb|eax|pkcs|x|padding|oaep|pss|mgf|no|bcrypt|scrypt|argon|id|blowfish|twofish|serpent|x?chacha|poly"
    r"|x?salsa|camellia|aria|idea|cast|ed|secp|prime|brainpool|curve|p(?:256|384|521)|[hrep]s(?:256|384|512)|shake"
    r"|blake|ripemd|whirlpool|tls|ssl|dhe?|ecdhe|null|mac|[hk]kdf|hkdf|bits?|kw|wrap|ec|jceks|jks|gost|sm|crypt|crc"
    r"|[rkvt]1|modp|ffdhe|siphash|murmur|xxh|scram|plus|digest)"
)
_ALGORITHMS = rf"(?:{_ALGORITHM}[-_/.:+ ]?\d*[-_/.:+ ]?)+"
_TYPE = (
    r"(?:[uU]?[iI]nt|[fF]loat|[uU][tT][fF][-_]?|latin[-_]?|[iI][sS][oO][-_]?8859[-_]|[cC][pP]|[bB]ase"
    r"|[uU]?[sS]hort|[uU]?[lL]ong|[bB]ool|[vV]ec(?:tor)?|[mM]at|[sS]ize|[bB]its?"
    r"|[cC]har|[wW]ord|[bB]yte|[mM]d|[sS]ha|[iI]|[uU]|[fF])\d{1,3}(?:_?[tT]|[A-Z][A-Za-z]*)?"
)
_NUMBER = r"[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|[\d_]+(?:\.[\d_]*)?(?:[eE][+-]?\d+)?)[uUlLfFdDnN]{0,3}"
_FILE = (
    r"[\w./\\:~@ -]*\.(?:pem|key|crt|cer|csr|der|p12|pfx|p8|jks|jceks|keystore|json|ya?ml|toml|txt|pyi?"
    r"|[cm]?[jt]sx?|html?|xml|cfg|conf|ini|env|db|sqlite\d?|png|jpe?g|svg|gif|s?css|sh|sql|log|csv|md|rst|zip|t?gz|tar|pub|so|dll|exe|java|go|rs|cc?|hh?"
    r"|cpp|rb|php|cs|kt|bat|ps1|tf|lock|tmpl|tpl|properties|secret|asc|gpg|sig)(?::\d+)?"
)
# A program name in lower or upper case, with at least two underscores between short words.
_SNAKE = (
    r"_{0,2}(?:[a-z]{1,12}(?:\d{1,4}[a-z]{0,12}){0,2}_){2,}[a-z0-9]{1,12}"
    r"|_{0,2}(?:[A-Z]{1,12}\d{0,4}_){2,}[A-Z0-9]{1,12}"
)
_VERSION = r"v?\d+(?:[.+_-]?(?:alpha|beta|rc|rev|dev|post|snapshot|final|release|build|p|b|a|r)?[.+_-]?\d+)*"
# A Debian package version: 1:4.13+dfsg1-1+deb12u1
_PACKAGED = r"(?:\d+:)?\d+(?:\.\d+)+(?:[+~.-][a-z0-9]*\d)+[a-z]*"
_HOST = (
    r"(?:[a-z0-9-]+\.)+(?:io|com|org|net|dev|local|internal|cloud|app|gov|edu)(?:[/:][\w./-]*)?"
    r"|localhost(?::\d{2,5})?(?:/[\w./-]*)?"
)
_PATH = r"(?:[A-Za-z_]\w*(?:\.|::|->)){2,}[A-Za-z_]\w*(?:\(\))?"
_OF_WORDS = 3.2
_INDEXED = r"[A-Za-z_]\w*(?:\[\w*\]|\(\))*"
_MEMBER = rf"(?:{_INDEXED}(?:\.|::|->))+{_INDEXED}"
_CALL = r"[A-Za-z_][\w.]*\([\w.,:=\"' \t*-]*\)"
_KEYWORD = r"[A-Za-z_][\w.-]*=(?:[^=]|$)"


def is_program_word(value: bytes) -> bool:
    """Return whether `value` is an algorithm, type, number, version, host, file, call, or a member several dots
    deep."""
    if compile_pattern(_PATH).fullmatch(value):
        return length_of_words(value) >= _OF_WORDS
    return any(compile_pattern(pattern).fullmatch(value) for pattern in (_NUMBER, _TYPE, _SNAKE, _CALL)) or any(
        compile_pattern(pattern, ignore_case=True).fullmatch(value)
        for pattern in (_ALGORITHMS, _FILE, _HOST, _VERSION, _PACKAGED)
    )


def is_member(value: bytes) -> bool:
    """Return whether a bare value consists of words joined by dots: `ed25519.PrivateKey`."""
    return compile_pattern(_MEMBER).fullmatch(value) is not None and length_of_words(value) >= _OF_WORDS


def is_keyword_argument(value: bytes) -> bool:
    """Return whether `value` begins with a name and an equals sign, as in `nullable=False`."""
    return compile_pattern(_KEYWORD).match(value) is not None
