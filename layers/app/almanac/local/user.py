"""Who types commands: the user of this machine, as the audit trail names them."""

import getpass


def user() -> str:
    """`cli:ann`; `cli` alone where the machine does not say."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "cli"
    return f"cli:{name}" if name.isprintable() else "cli"
