"""`almanac claims`"""

import posixpath
import shlex
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import iso
from almanac.local.client.tool_calls import Failed, Session, session
from almanac.local.hints import hint, program
from almanac.local.listings import show
from almanac.local.options import api_key, data_option, json_option, url_option

HELD, UNCHECKED = 1, 2
_AT_ONCE = 100
_COLUMNS = ("path", "reason", "held_by", "until", "claim")

offline_option = click.option(
    "--offline",
    type=click.Choice(["refuse", "allow"]),
    envvar="ALMANAC_CLAIMS_OFFLINE",
    default="refuse",
    show_default=True,
    help="Whether to allow the commit if the server does not answer.",
)


@click.group(short_help="Refuse commits of files that another agent has claimed.")
def claims() -> None:
    """Check files against the claims of other agents, e.g. in a pre-commit hook."""


@claims.command()
@click.argument("paths", nargs=-1)
@click.option(
    "--holder", envvar="ALMANAC_HOLDER", help="Holder of your claims, as in claim; without it, every claim counts."
)
@click.option("--token", type=int, envvar="ALMANAC_TOKEN", help="Token of a claim on one of the files.")
@offline_option
@url_option
@data_option
@json_option
def check(
    paths: tuple[str, ...],
    holder: str | None,
    token: int | None,
    offline: Literal["refuse", "allow"],
    url: str,
    data: Path | None,
    as_json: bool,
) -> None:
    """Check PATHS, by default the files that are staged in git, against the claims on them.

    The exit status is 0 if the holder may commit, and 1 if another holder has a file or the token is stale. It is 2 if
    the claims could not be checked, for example because the server does not answer. --offline allow turns the 2 into a
    0 and a warning.
    """
    checked_paths = [_from_the_top(path) for path in paths] if paths else _staged_paths()
    try:
        claims = _refusing_claims(url, api_key(data), checked_paths, {"holder": holder, "token": token})
    except Failed as failed:
        _end_unchecked(hint(str(failed)), offline)
        return
    rows = [
        {
            "path": claim["path"],
            "reason": claim["reason"],
            "held_by": claim.get("held_by", ""),
            "until": iso(claim.get("expires_at")) or "",
            "claim": claim.get("held_key", ""),
        }
        for claim in claims
    ]
    file_count = "1 file" if len(checked_paths) == 1 else f"{len(checked_paths)} files"
    show(rows, _COLUMNS, as_json=as_json, none=f"No other agent has claimed what is committed: {file_count}.")
    if rows:
        click.echo("Wait for their holder, or leave the files out of the commit: git restore --staged FILE", err=True)
        sys.exit(HELD)


@claims.command("install-hook")
@click.option("--holder", help="Holder of the claims of who commits here; by default ALMANAC_HOLDER at each commit.")
@offline_option
@url_option
@data_option
def install_hook(holder: str | None, offline: str, url: str, data: Path | None) -> None:
    """Have git run `almanac claims check` before each commit in this repository."""
    hook = Path(_git("rev-parse", "--git-path", "hooks").rstrip("\n")) / "pre-commit"
    options: dict[str, Any] = {
        "--holder": holder,
        "--offline": offline,
        "--url": url,
        "--data": data and data.absolute(),
    }
    words = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    line = f"{program()} claims check {shlex.join(words)}"
    if hook.exists():
        raise InvalidInput(f"There is a hook already: {hook}", f"Add this line to it: {line} || exit 1")
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {line}\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    click.echo(f"Git now checks claims before each commit: {hook}")


def _refusing_claims(url: str, key: str, paths: Sequence[str], options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the claims that keep some of the paths from being committed. Raises Failed if the server does not
    answer."""
    known = {name: value for name, value in options.items() if value is not None}
    with session(url, key) as calls:
        return [
            one
            for start in range(0, len(paths), _AT_ONCE)
            for one in _check_claims(calls, {"paths": paths[start : start + _AT_ONCE], **known})
        ]


def _check_claims(calls: Session, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    answer = calls.call("check_claims", arguments)
    if answer.is_error:
        raise Failed(answer.text, UNCHECKED)
    return answer.structured.get("refused", [])


def _end_unchecked(problem: str, offline: Literal["refuse", "allow"]) -> None:
    click.echo(f"The claims on the files could not be checked. {problem}", err=True)
    if offline == "refuse":
        click.echo("To commit all the same: ALMANAC_CLAIMS_OFFLINE=allow, or git commit --no-verify", err=True)
        sys.exit(UNCHECKED)


def _staged_paths() -> list[str]:
    """Return the files that the next commit changes, adds or removes, relative to the top of the repository."""
    output = _git("diff", "--cached", "--name-only", "--no-renames", "--no-relative", "--no-ext-diff", "-z")
    return [path for path in output.split("\0") if path]


def _from_the_top(path: str) -> str:
    """Return a path relative to the top of the repository, or unchanged outside of one."""
    if path.startswith(("file:", "/")):
        return path
    try:
        prefix = _git("rev-parse", "--show-prefix").rstrip("\n")
    except InvalidInput:
        return path
    ending = "/" if path.endswith("/") else ""
    return posixpath.normpath(posixpath.join(prefix, path)) + ending


def _git(*arguments: str) -> str:
    """Return git's output. Raises InvalidInput if git fails or is not installed."""
    try:
        completed = subprocess.run(["git", *arguments], capture_output=True, timeout=60, check=True)  # noqa: S603, S607
    except (OSError, subprocess.SubprocessError) as problem:
        raise InvalidInput(
            "There is no git repository here.", "Run it in one, or name the files: almanac claims check PATHS"
        ) from problem
    return completed.stdout.decode("utf-8", "replace")
