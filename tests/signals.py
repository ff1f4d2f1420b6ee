"""Signal handling as a terminal sets it, wherever the suite was started.

A shell without job control starts background jobs with SIGINT ignored, and a runner may ignore or block more signals.
This process inherits that, and so does every server that a test starts and stops with a signal.
"""

import signal


def forget_inherited_signals() -> None:
    """Unblock all signals, and restore default handlers of SIGINT, SIGTERM and SIGCHLD. Call it on the main thread."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number, default in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
        (signal.SIGCHLD, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, default)
