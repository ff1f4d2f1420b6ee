"""What Lambda takes back from a function: 6 MB of JSON, in which the body is a string."""

MAX_ANSWER_BYTES = 6 * 1024 * 1024
"""Of the answer as Lambda's runtime writes it. More ends as a 502 of the gateway that says nothing."""

_ROOM_FOR_HEADERS = 4096
# What a string in JSON grows by: a backslash each, and \u2028 for three bytes.
_GROWTH = {b'"': 1, b"\\": 1, b"\n": 1, "\u2028".encode(): 3, "\u2029".encode(): 3}


def fits(body: bytes) -> bool:
    """Whether an answer with this body, which is JSON text or an event stream of it, is taken. The laptop keeps to the
    same, so that what works there works on AWS."""
    room = MAX_ANSWER_BYTES - _ROOM_FOR_HEADERS
    if 2 * len(body) <= room:  # nothing more than doubles; counting would cost a list more than sending it
        return True
    written = len(body) + sum(body.count(each) * more for each, more in _GROWTH.items())
    return written <= room
