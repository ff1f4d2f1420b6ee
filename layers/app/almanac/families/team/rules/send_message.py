"""The action send_message: sends a message for a rule, like the tool of the same name."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.families.team.messages.delivery import SUBJECT_CHARACTERS, plan_message, redact_letter
from almanac.families.team.messages.mail_records import Letter
from almanac.kernel.errors import InvalidInput
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.store.port import Change

MOST_RECIPIENTS = 5
"""Limit per message. A rule may send several messages, and all of its actions are one write."""


def send_message(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
    """Plan a rule's message. Raises InvalidInput for arguments of wrong types and for a message out of bounds."""
    recipients = args["to"]
    arguments = {**args, "to": [recipients] if isinstance(recipients, str) else recipients}
    try:
        letter = msgspec.convert(arguments, Letter)
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
    redacted, findings = redact_letter(letter)
    more = {"caused_by": msgspec.to_builtins(firing.cause)}
    return plan_message(
        firing, redacted, at=firing.at, findings=findings, earlier_changes=firing.made, more=more
    ).changes
