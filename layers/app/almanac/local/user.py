"""Name of the user who types commands on this machine, for the audit trail."""

import getpass


def user() -> str:
    """Return the name, such as `cli:ann`, or `cli` if the machine does not report one."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "cli"
    return f"cli:{name}" if name.isprintable() else "cli"
