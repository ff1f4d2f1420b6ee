"""Name of the user who types commands on this machine, for the audit trail."""

import getpass


def user() -> str:
    """`cli:ann`; `cli` alone where the machine does not say."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "cli"
    return f"cli:{name}" if name.isprintable() else "cli"
