"""Made-up secrets, generated when a test runs."""

from random import Random

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
ALNUM = LETTERS + LETTERS.upper() + DIGITS
WORD = ALNUM + "_-"
HEX = DIGITS + "abcdef"
UPPER = LETTERS.upper() + DIGITS


def random_text(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    """Return random characters, with letters and digits if the alphabet has both."""
    random = Random(seed)
    while True:
        body = "".join(random.choice(alphabet) for _ in range(length))
        if body[0].isalnum() and body[-1].isalnum() and not body.isalpha():
            return body


PASSWORD = "Kv" + "q7Lm" + "!2z"
TOKEN = random_text(20)
