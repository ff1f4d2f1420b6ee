"""Signals as a terminal leaves them, wherever the suite was started.

A shell without job control starts what runs in the background with SIGINT ignored; a runner may ignore or block more.
All of it is inherited: by this process, and by every server that a test starts and stops with a signal.
"""

import signal


def forget_inherited_signals() -> None:
    """Block no signal, and give those that end or await a process their defaults back. For the main thread."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number, default in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
        (signal.SIGCHLD, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, default)
