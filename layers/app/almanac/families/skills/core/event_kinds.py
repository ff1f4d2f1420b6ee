"""Kinds of events of skills, for rules and listeners."""

from almanac.kernel.events import EventKind

SKILL_INSTALLED = "skill_installed"
SKILL_REMOVED = "skill_removed"

KINDS = (
    EventKind(
        SKILL_INSTALLED,
        "A skill was installed, or a new version of it. declared is the version that its author gives it; the "
        "description is cut after 200 characters.",
        {
            "name": "release-notes",
            "version": 2,
            "declared": "1.1",
            "description": "Writes release notes from the commits since the last tag.",
            "valid": True,
            "files": 3,
            "size": 5120,
        },
    ),
    EventKind(
        SKILL_REMOVED,
        "A skill was removed. Its versions are kept; version is the last one.",
        {"name": "release-notes", "version": 2},
    ),
)
