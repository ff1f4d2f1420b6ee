"""The protocol revisions served, oldest first. Their names are dates, so they compare in order.

Up to 2025-11-25 a client opens with a handshake (`initialize`). Since 2026-07-28 every request stands alone.
"""

from typing import Final

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS: Final = ("2026-07-28",)
SUPPORTED: Final = HANDSHAKE + STATELESS

UNNAMED: Final = "2025-03-26"
"""Revision of requests without the version header, as that revision itself prescribes."""

ANNOTATIONS_SINCE: Final = "2025-03-26"
COMPLETIONS_CAPABILITY_SINCE: Final = "2025-03-26"
PROGRESS_MESSAGE_SINCE: Final = "2025-03-26"
TITLES_SINCE: Final = "2025-06-18"
META_SINCE: Final = "2025-06-18"
"""Notes (`_meta`) on resources and on what they hold."""
STRUCTURED_SINCE: Final = "2025-06-18"
ICONS_SINCE: Final = "2025-11-25"
STATELESS_SINCE: Final = "2026-07-28"


def negotiated(requested: str) -> str:
    """The revision that `initialize` answers with: the requested one where it opens by handshake, else the newest."""
    return requested if requested in HANDSHAKE else HANDSHAKE[-1]
