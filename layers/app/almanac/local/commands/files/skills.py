"""`almanac skills`"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from almanac.local.listings import printable
from almanac.local.options import json_option

# What reads skills is imported by the command that runs.
if TYPE_CHECKING:
    from almanac.composition.commands.skills import Finding
    from almanac.local.skills.validating import Verdict

_LISTED = 20


@click.group(short_help="Look at skills in files of this machine.")
def skills() -> None:
    """Look at skills (agentskills.io) in files of this machine."""


@skills.command()
@click.argument("paths", metavar="DIR|FILE|ZIP...", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def validate(paths: tuple[Path, ...], as_json: bool) -> None:
    """Say whether skills are valid, and what clients have to assume where they are not.

    A skill is a folder with a SKILL.md, a SKILL.md alone, or a zip file of such a folder. The verdict is that of
    skills-ref, the reference validator. Needs no server.

    Exit status 1 where one of them is not valid.
    """
    import msgspec  # noqa: PLC0415 - see above

    from almanac.local.skills.validating import verdict_on  # noqa: PLC0415 - see above

    verdicts = [verdict_on(path) for path in paths]
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(verdicts), indent=2, ensure_ascii=False))
    else:
        for verdict in verdicts:
            _tell(verdict)
    if not all(verdict.valid for verdict in verdicts):
        sys.exit(1)


def _tell(verdict: "Verdict") -> None:
    about = f"{verdict.name}, {verdict.files} files, {verdict.bytes} bytes" if verdict.name else "no skill"
    outcome = "valid" if verdict.valid else "not valid, but loads" if verdict.loads else "not valid"
    click.echo(f"{printable(verdict.path)}: {outcome} ({printable(about)})")
    for kind, findings in (("error", verdict.errors), ("warning", verdict.warnings)):
        for finding in findings:
            click.echo(f"  {kind}: {_said(finding)}")
    for path in verdict.left_out[:_LISTED]:
        click.echo(f"  left out: {printable(path)}")
    if len(verdict.left_out) > _LISTED:
        click.echo(f"  left out: {len(verdict.left_out) - _LISTED} more")


def _said(finding: "Finding") -> str:
    place = "" if finding.line is None else f"line {finding.line}: "
    field = f"{finding.field}: " if finding.field else ""
    return printable(f"{place}{field}{finding.message}")
