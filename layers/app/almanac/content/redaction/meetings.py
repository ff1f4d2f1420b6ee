"""Codes of online meetings: they let those in who were invited, and an invitation without its code invites nobody."""

from almanac.content.redaction.matching.linear import Match, compiled

_LOOK_BACK = 300
_HOSTS = (
    r"(?:zoom(?:gov)?\.(?:us|com|com\.cn)|webex\.com|gotomeet(?:ing\.com|\.me)|bluejeans\.com|chime\.aws"
    r"|ringcentral\.com)"
)
# A parameter of a link to a meeting.
_IN_LINK = rf"(?i)://(?:[\w-]+\.)*{_HOSTS}/[^\s\"'<>]*[?&]$"
# What invitations write below the link.
_BELOW = rf"(?i)(?:{_HOSTS}/|meeting[ -]?(?:id|number))"


def opens_meeting(data: bytes, name: Match) -> bool:
    """Whether the pair whose name was found is the code of an online meeting."""
    before = data[max(0, name.start() - _LOOK_BACK) : name.start()]
    if compiled(_IN_LINK).search(before):
        return True
    is_code = (name.group() or b"").lower().startswith(b"passcode")
    return is_code and compiled(_BELOW).search(before) is not None
