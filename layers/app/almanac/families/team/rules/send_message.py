"""The action send_message: what the tool of that name does, on behalf of a rule."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.families.team.messages.delivery import SUBJECT_CHARACTERS, redacted_letter, sending_of
from almanac.families.team.messages.mail_records import Letter
from almanac.kernel.errors import InvalidInput
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.store.port import Change

MOST_RECIPIENTS = 5
"""A rule may send several messages, and all that it does is one write."""


def send_message(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
    """Raises InvalidInput for arguments of other types than those of the tool, and for a message out of bounds."""
    recipients = args["to"]
    given = {**args, "to": [recipients] if isinstance(recipients, str) else recipients}
    try:
        letter = msgspec.convert(given, Letter)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The message cannot be sent. {error}", "Check what fills its templates.") from None
    if len(letter.to) > MOST_RECIPIENTS:
        raise InvalidInput(
            f"A rule's message has {len(letter.to)} recipients, over {MOST_RECIPIENTS}.",
            "Send it to a role.",
            path="to",
        )
    if len(letter.subject) > SUBJECT_CHARACTERS:
        # Subjects of events, such as those of reviews, may be longer than those of mail.
        letter = replace(letter, subject=f"{letter.subject[: SUBJECT_CHARACTERS - 1]}…")
    redacted, findings = redacted_letter(letter)
    more = {"caused_by": msgspec.to_builtins(firing.cause)}
    return sending_of(firing, redacted, at=firing.at, findings=findings, made=firing.made, more=more).changes
