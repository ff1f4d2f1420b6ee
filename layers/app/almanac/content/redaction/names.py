"""Names that indicate a secret: password, api_key, clientSecret."""

from enum import IntEnum

from almanac.content.redaction.matcher.linear import compile_pattern


class Evidence(IntEnum):
    """Strength of the evidence that a name gives of a secret after it."""

    LITTLE = 1
    """Name such as "key", which may hold anything: only a random value counts as a secret."""
    SECRET = 2
    """Name such as "token" or "secret": a value that looks random counts as a secret."""
    PASSWORD = 3
    """Name such as "password": people choose the value, so it need not look random."""


_FOREIGN = (
    r"kennwort|contrase[n\xf1]a|clave(?:[ ](?:secreta|privada|de[ ](?:acceso|api)))?|senha|mot[ _-]de[ _-]passe"
    r"|wachtwoord|parola|haslo|heslo|l[o\xf6]senord|adgangskode|salasana"
)
_CHOSEN = (
    r"pass(?:words?|w(?:or)?d|wort|wd|[ _-]?phrase|code)?|pa+sword|ps+w(?:o?r)?d|pswrd|pwd?|userpwd"
    rf"|{_FOREIGN}|masterauth|psk|mdp"
    r"|(?:key|store|require|db|root|admin|user|smtp|mail|ftp|ssh|wifi|bind|proxy|login)_?pass|rootpw"
)
_OF_A_KEY = (
    r"api|app|access|account|auth\w*|admin|aes|client|consumer|crypt\w*|des|enc\w*|hmac|jwt|licen[cs]e|master|priv(?:ate)?"
    r"|rsa|secret|secure|security|service|session|sign\w*|shared|ssh|storage|stream|subscription|webhook|wpa|write|x-api"
    r"|deploy|user|primary|secondary|bot|root|p"
)
_ISSUED_ELSEWHERE = (
    r"jetons?(?:[ ]d'(?:acc[e\xe8]s|api))?|geheimnis"
    r"|cl[e\xe9]s?[ ](?:secr[e\xe8]te|priv[e\xe9]e|(?:d'|de[ ])?(?:api|acc[e\xe8]s))"
    r"|(?:api|zugriffs|zugangs|geheim|sicherheits)[ _-]?schl(?:\xfc|ue?)ssel"
)
_ISSUED = (
    rf"{_ISSUED_ELSEWHERE}|(?:{_OF_A_KEY})[ _.-]{{0,3}}keys?|secrets?|tokens?|(?:php|j)?sess(?:ion)?id|credentials?"
    r"|creds|salt|nonce|bearer|cookie|passkey|(?:auth|xsrf|csrf)(?:orization|entication)?"
)
_LITTLE = r"keys?|api|signature|sig|seed|iv|pin|otp|client[ _-]?id|app[ _-]?id"
# Groups 1 to 3 are the strengths of evidence, and group 4 is the rest of the name.
NAME = rf"(?:({_CHOSEN})|({_ISSUED})|({_LITTLE}))((?:[_.-]?[A-Za-z0-9]+)*)"

# Endings of names that describe a secret instead of holding it: passwordField, token_type, secret-name.
_OF_IT = frozenset(
    (
        b"file path name names type types url uri urls id ids length len size field fields label hint policy "
        b"reset expiry expires expiration exp count index endpoint format version regex pattern prefix suffix "
        b"status state error errors msg message class cls kind required provider manager store factory func "
        b"function method handler helper service strength scope scopes ttl age map dict list set dir folder "
        b"description desc title help env var param params arg args option options input prompt usage budget "
        b"limit ring frame frames code codes press pair pairs column col attr header headers alg algorithm "
        b"hash hashed digest sum encoding position pos start end line lines span order placeholder fingerprint "
        b"thumbprint ref arn location loc source src bytes bits cipher rule rules group mode only changed date "
        b"time at alias words word hasher encoder parser reader validator checker max min default_length "
        b"matches match instance hashers encoders validators checkers algorithms cost rounds iterations length "
        b"encode decode strip lower upper replace split startswith endswith join find search contains check "
        b"verify verification validate "
        b"sh pem crt cer csr der pfx jks json yaml yml toml txt py js ts html md conf cfg ini xml csv bak pub"
    ).split()
)
_PASSWORDS = frozenset(b"password passwd pwd pass passphrase pw".split())
_SECRETS = frozenset(b"secret token key credential credentials salt".split())
# Letters before `pass`, `key` and such that make another word.
_OTHER_WORDS = tuple(
    (
        b"by com tres sur encom over under im mon tur don jo hoc mal whis public public_ pub foreign foreign_ "
        b"cache cache_ sort sort_ partition partition_ hash hash_ dict dict_ hot short lookup host s3_ blob_ "
        b"row_ map_ group_ bucket_ unique_ metric_ should_ must_ will_ can_ test_ render_ shadow_ first_ second_ low_ "
        b"high_ multi_ single_ fast_"
    ).split()
)
_OF_PUBLIC_KEYS = (b"public_key_", b"publickey", b"public-key-")
# A token for the next page of a list opens nothing.
_OF_PAGES = (b"next", b"page", b"continuation", b"starting", b"start", b"sync", b"resume", b"pagination")
_SHORT = 4


def name_patterns() -> tuple[str, str]:
    """Return two patterns, for names whose values are secrets and for weak names. Neither matches names that only
    describe a secret, such as `password_file`."""
    of_it = sorted({word.decode() for word in _OF_IT if len(word) > 2})
    tail = r"(?:[0-9]{0,4}|[_.-][A-Za-z0-9_.-]{0,40}" + "".join(f"(?<!{word})" for word in of_it) + ")"
    return rf"(?:{_CHOSEN}|{_ISSUED}){tail}", rf"(?<![A-Za-z])(?:{_LITTLE}){tail}"


def strength_of_name(tells: Evidence, before: bytes, word: bytes, tail: bytes) -> Evidence | None:
    """Return the strength of a name with `before` and `tail` around its telling `word`, or None if the name means
    something else."""
    if not _is_whole(before, word, tail):
        return None
    last = _last_word(tail)
    if last in _OF_IT or last.removesuffix(b"s") in _OF_IT:
        return Evidence.LITTLE
    if last in _PASSWORDS:
        return Evidence.PASSWORD
    return max(tells, Evidence.SECRET) if last in _SECRETS else tells


def _last_word(tail: bytes) -> bytes:
    """Return the last word of a name in lower case, without digits: id in `_access_id2` and in AccessId."""
    name = tail.strip(b"0123456789_.-")
    start = len(name)
    while start and (chr(name[start - 1]).isalpha() and not (chr(name[start - 1]).isupper() and not name.isupper())):
        start -= 1
    hump = start - 1 if start and chr(name[start - 1]).isupper() else start
    return name[hump:].lower()


def _is_whole(before: bytes, word: bytes, tail: bytes) -> bool:
    """Return whether `word` is a separate word of the name, and not part of a longer one as in `compass`, `pwdump` and
    `monkey`."""
    if word in (b"pass", b"Pass") and tail[:1].isupper():
        return False  # passValue, PassThrough
    if tail[:1].isalpha() and not (tail[:1].isupper() and not word.isupper()):
        return False
    lower = before.lower()
    # The token of a public key opens nothing, and `enclave` is a different word.
    if lower.endswith(_OF_PUBLIC_KEYS) or (before[-1:].isalpha() and word.islower() and _is_foreign(word)):
        return False
    if word.lower() == b"token" and lower.rstrip(b"_-.").endswith(_OF_PAGES):
        return False
    if len(word) > _SHORT:
        return True
    if lower.endswith(_OTHER_WORDS) and word.lower() != b"salt":
        return False
    if not before[-1:].isalpha():
        return True
    # MYSQLPASS, ANYpass, DbPass
    return len(word) > 2 and (before.isupper() or (word[:1].isupper() and before[-1:].islower()))


def _is_foreign(word: bytes) -> bool:
    return compile_pattern(_FOREIGN, ignore_case=True).fullmatch(word) is not None
