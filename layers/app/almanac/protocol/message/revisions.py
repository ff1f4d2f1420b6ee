"""Supported protocol revisions, oldest first. Their names are dates, so they compare in order.

Up to 2025-11-25 a client opens with a handshake (`initialize`). Since 2026-07-28 every request stands alone.
"""

from typing import Final

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS: Final = ("2026-07-28",)
SUPPORTED: Final = HANDSHAKE + STATELESS

UNNAMED: Final = "2025-03-26"
"""Assumed revision of a request without the version header, as this revision prescribes."""

ANNOTATIONS_SINCE: Final = "2025-03-26"
COMPLETIONS_CAPABILITY_SINCE: Final = "2025-03-26"
PROGRESS_MESSAGE_SINCE: Final = "2025-03-26"
TITLES_SINCE: Final = "2025-06-18"
META_SINCE: Final = "2025-06-18"
"""`_meta` on resources and on their contents."""
STRUCTURED_SINCE: Final = "2025-06-18"
ICONS_SINCE: Final = "2025-11-25"
STATELESS_SINCE: Final = "2026-07-28"


def negotiate(requested: str) -> str:
    """Return the revision for the answer to `initialize`: the requested one if it has a handshake, else the newest that
    has."""
    return requested if requested in HANDSHAKE else HANDSHAKE[-1]
