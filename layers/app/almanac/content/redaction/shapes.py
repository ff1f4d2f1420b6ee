"""Tokens without a prefix of their own, recognised by their parts, lengths and separators."""

from base64 import b64decode
from binascii import Error

from almanac.content.redaction.matcher.plausible import is_placeholder, kinds_of_characters, length_of_words, turns
from almanac.content.redaction.rules import Rule

_WORD = "[A-Za-z0-9_-]"
_HEX = "[a-f0-9]"
_TURNS, _OF_WORDS = 4, 3.4
# The alphabet of Django's get_random_secret_key. About 14 of its 50 characters are signs.
_OF_DJANGO = r"[a-z0-9!@#$%^&*(\-_=+)]"
_SIGNS = 5


def _opens_json(secret: bytes) -> bool:
    """Return whether the first part is the beginning of a JSON object in base64, as in every JWT."""
    try:
        return b64decode(secret[: len(secret.split(b".")[0]) // 4 * 4], b"-_").lstrip()[:1] == b"{"
    except (Error, ValueError):
        return False


def _is_snowflake(secret: bytes) -> bool:
    """Return whether the first part is a number in base64, as the user id is in Discord tokens."""
    head = secret.split(b".")[0]
    try:
        return b64decode(head + b"=" * (-len(head) % 4), b"-_").isdigit()
    except (Error, ValueError):
        return False


def _is_numbered(secret: bytes) -> bool:
    """Return whether it is base64 of a 12-digit number, a colon and random bytes, as Jira and Confluence tokens are."""
    number, colon, _ = b64decode(secret).partition(b":")
    return bool(colon) and number.isdigit()


def _mixes_cases(secret: bytes) -> bool:
    return kinds_of_characters(secret[2:]) >= 3 and not is_placeholder(secret)


def _is_mixed(secret: bytes) -> bool:
    return _mixes_cases(secret) and length_of_words(secret[2:]) < _OF_WORDS


def _has_signs(secret: bytes) -> bool:
    return sum(not chr(each).isalnum() for each in secret) >= _SIGNS


def _alternates(secret: bytes) -> bool:
    return turns(secret) >= _TURNS and not is_placeholder(secret)


SHAPES = (
    Rule(
        "jwt",
        rf"(ey[JI]{_WORD}{{8,}}\.(?:ey{_WORD}{{6,}}\.{_WORD}*|{_WORD}*\.{_WORD}*\.{_WORD}*\.{_WORD}+|{_WORD}{{20,}}\.{_WORD}{{20,}}))",
        _opens_json,
    ),
    Rule("grafana_token", r"\b(eyJrIjoi[A-Za-z0-9+/]{40,}={0,2})"),
    Rule("discord_token", rf"\b([MNO][A-Za-z0-9]{{22,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}})", _is_snowflake),
    Rule("firebase_server_key", rf"\b(AAAA{_WORD}{{7}}:APA91b{_WORD}{{100,}})", bits=4),
    Rule("okta_token", rf"\bSSWS[ \t]+(00{_WORD}{{38,42}})\b", bits=3.5),
    Rule("zapier_webhook", r"hooks\.zapier\.com/hooks/catch(/\d{4,}/[a-z0-9]{5,}/?)", bits=1),
    Rule("discord_webhook", rf"discord(?:app)?\.com/api/(?:v\d+/)?webhooks(/\d{{15,20}}/{_WORD}{{40,}})"),
    Rule(
        "slack_webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)(/[A-Z0-9]{6,}/[A-Za-z0-9]{6,}/[A-Za-z0-9/]{16,})",
    ),
    Rule(
        "teams_webhook",
        r"webhook\.office\.com/webhookb2(/[A-Za-z0-9-]{36}@[A-Za-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[A-Za-z0-9-]{36}[A-Za-z0-9/_-]*)",
    ),
    Rule("telegram_token", rf"(?:^|[^0-9])(\d{{7,12}}:AA{_WORD}{{32,34}})"),
    Rule("facebook_token", rf"\b(\d{{13,17}}(?:\||%7[Cc]){_WORD}{{27}})\b"),
    Rule(
        "azure_secret",
        r"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.,-]|$)",
        _mixes_cases,
        3.5,
    ),
    Rule("azure_key", r"\b([A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{26})\b"),
    Rule("azure_devops_token", r"\b([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})\b"),
    Rule(
        "azure_storage_key",
        r"((?:[A-Za-z0-9+/]{76}|[A-Za-z0-9+/]{33})\+?(?:ASt|ABa|AMC|APIM|ACDb|AIoT|AzFu|AzSe|AzCa|ARm)[A-Za-z0-9+/]{4,6}[AQgw]==?)",
        _mixes_cases,
        4.5,
    ),
    Rule("azure_sas", r"[?&]sig=([A-Za-z0-9%+/]{40,}(?:%3[Dd]|=)?)"),
    Rule("mailgun_key", rf"\b({_HEX}{{32}}-{_HEX}{{8}}-{_HEX}{{8}})\b"),
    Rule("mailchimp_key", r"\b([A-Za-z0-9]{32,36}-us\d{1,2})\b", bits=3),
    Rule("twilio_key", r"\b(SK[a-f0-9]{32}|SK[A-F0-9]{32})\b"),
    Rule("dynatrace_token", r"\b(dt0[a-z]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{64})\b", bits=3),
    Rule("payment_key", r"\b((?:live|test)_[A-Za-z0-9]{24,64})\b", _alternates),
    Rule("vault_token", r"(?:^|[^A-Za-z0-9_.])([sbr]\.[A-Za-z0-9]{24})(?:[^A-Za-z0-9_.(]|$)", _is_mixed, 3.6),
    Rule("terraform_token", rf"\b([A-Za-z0-9]{{14}}\.atlasv1\.{_WORD}{{60,}})"),
    Rule("maxmind_key", r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b"),
    Rule("google_oauth_token", r"\b(4/0A[A-Za-z0-9_-]{60,})"),
    Rule("aws_session_token", r"((?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz|AQoDYXdz)[A-Za-z0-9+/=_-]{100,})"),
    Rule(
        "encoded_private_key", r"([A-Za-z0-9+/]*(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)[A-Za-z0-9+/]*={0,2})"
    ),
    Rule(
        "atlassian_token", r"(?:^|[^A-Za-z0-9+/_-])([MNO][A-Za-z0-9+/]{43})(?:[^A-Za-z0-9+/=_-]|$)", _is_numbered, 3.8
    ),
    Rule("nats_seed", r"\b(S[ACNOUX][A-Z2-7]{56})\b", bits=3.8),
    Rule("newrelic_key", r"\b([a-z0-9]{36}NRAL)\b", bits=3),
    Rule("dropbox_token", r"\b([A-Za-z0-9_-]{11}AAAAAAAAAA[A-Za-z0-9_-]{43})\b", _mixes_cases, 3.5),
    Rule("ntlm_token", r"(TlRMTVNTUAAD[A-Za-z0-9+/]{40,}={0,2})"),
    Rule("otp_secret", r"otpauth://[^\s\"'<>]*[?&]secret=([A-Za-z2-7]{16,})"),
    Rule("akamai_token", r"\b(akab-[a-z0-9]{16}-[a-z0-9]{16})\b"),
    Rule("django_secret_key", rf"(django-insecure-{_OF_DJANGO}{{50}})", bits=3),
    Rule(
        "django_secret_key",
        rf"(?i)secret_?key[\"']?[ \t]*[:=][ \t]*[bru]?[\"']({_OF_DJANGO}{{50}})[\"']",
        _has_signs,
        3.5,
    ),
    Rule(
        "ethereum_key",
        r"(?i)(?:private|priv|secret|signer|deployer|wallet)_?key\w{0,8}[\"']?[ \t]*[:=][ \t]*[\"'`]?"
        r"(0x[0-9a-f]{64})\b",
        bits=3,
    ),
    # The 12 to 24 words of a wallet, as in BIP 39.
    Rule(
        "seed_phrase",
        r"(?i)(?:mnemonic|(?:seed|recovery|backup)[ _-]?(?:phrase|words))[\"']?[ \t]*(?:[:=]|is)[ \t]*[\"'`]?"
        r"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b",
    ),
    Rule("jwk_private_key", r'"(?:d|k)"\s*:\s*"([A-Za-z0-9_-]{22,})"', _mixes_cases, 3.6),
)
