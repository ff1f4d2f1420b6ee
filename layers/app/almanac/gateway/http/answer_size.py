"""What Lambda takes back from a function: 6 MB of JSON, in which the body is a string."""

MAX_ANSWER_BYTES = 6 * 1024 * 1024
"""Of the answer as Lambda's runtime writes it. More ends as a 502 of the gateway that says nothing."""

_ROOM_FOR_HEADERS = 4096
# What a string in JSON grows by: a backslash each, and \u2028 for three bytes.
_GROWTH = {'"': 1, "\\": 1, "\n": 1, "\u2028": 3, "\u2029": 3}


def fits(body: str) -> bool:
    """Whether an answer with this body, which is JSON text or an event stream of it, is taken. The laptop keeps to the
    same, so that what works there works on AWS."""
    room = MAX_ANSWER_BYTES - _ROOM_FOR_HEADERS
    most = 2 if body.isascii() else 6  # bytes of a character; counting would cost a list more than sending it
    if most * len(body) <= room:
        return True
    written = len(body.encode()) + sum(body.count(each) * more for each, more in _GROWTH.items())
    return written <= room
