"""Cyrus, as Debian packages it: it invites and answers by itself (RFC 6638), and stores in mailboxes."""

import imaplib
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.caldav.processes import PASSWORD, USER, folder_of, run, run_as, run_process, runs_as
from tests.ports import reserve_port

_PROGRAMS = Path("/usr/lib/cyrus/bin")
_OWNER = "cyrus"
_SETTINGS = """\
configdirectory: {folder}/state
proc_path: {folder}/state/proc
mboxname_lockpath: {folder}/state/lock
defaultpartition: default
partition-default: {folder}/mail
servername: localhost
httpmodules: caldav
autocreate_quota: 0
delete_mode: immediate
allowplaintext: yes
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: {folder}/passwords
sasl_mech_list: PLAIN
"""
_SERVICES = """\
START {{
  recover cmd="{programs}/ctl_cyrusdb -C {settings} -r"
}}
SERVICES {{
  imap cmd="{programs}/imapd -C {settings}" listen="127.0.0.1:{imap}" prefork=0 maxchild=5
  http cmd="{programs}/httpd -C {settings}" listen="127.0.0.1:{port}" prefork=1 maxchild=40
}}
"""


@contextmanager
def cyrus(_repository: Path, _folder: Path) -> Generator[str]:
    tool = shutil.which("saslpasswd2") or shutil.which("saslpasswd2", path="/usr/sbin")
    if tool is None or not (_PROGRAMS / "httpd").exists() or not (_PROGRAMS / "imapd").exists():
        pytest.skip("Cyrus is not installed (Debian: cyrus-caldav cyrus-imapd sasl2-bin libsasl2-modules).")
    with folder_of(_OWNER) as folder:
        port, imap = reserve_port(), reserve_port()
        settings, services = folder / "imapd.conf", folder / "cyrus.conf"
        settings.write_text(_SETTINGS.format(folder=folder), "utf-8")
        services.write_text(_SERVICES.format(programs=_PROGRAMS, settings=settings, imap=imap, port=port), "utf-8")
        own = {"CYRUS_USER": runs_as(_OWNER)}
        set_password = [tool, "-p", "-c", "-f", str(folder / "passwords"), "-u", "localhost", USER]
        run(run_as(set_password, _OWNER), own, said=PASSWORD)
        master = [str(_PROGRAMS / "master"), "-D", "-C", str(settings), "-M", str(services)]
        with run_process(run_as([*master, "-p", str(folder / "pid")], _OWNER), port, folder / "log", own):
            # Who logs in for the first time is given a mailbox, and calendars lie in it.
            with imaplib.IMAP4("127.0.0.1", imap) as mail:
                mail.login(USER, PASSWORD)
            yield f"http://127.0.0.1:{port}/"
