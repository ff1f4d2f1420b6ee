"""The command line. It imports a command's code only when the command runs, so help appears at once."""

import importlib
import keyword
from typing import Any

import click

import almanac
from almanac.kernel.errors import AlmanacError
from almanac.local.hints import IN_USE, spell_commands

_COMMANDS = {
    "serve": "Serve every family on this machine.",
    "connect": "Connect coding agents of this machine: MCP server, hooks and keys.",
    "open": "Open the dashboard in the browser, signed in.",
    "demo": "Serve example data to look around in.",
    "tools": "List the tools of all families.",
    "call": "Call a tool on a running server.",
    "watch": "Show what happens in a project, as it happens.",
    "channel": "Notify a running client of mail, broadcasts, granted claims and reviews.",
    "stdio": "Serve over standard input and output, for clients that start servers.",
    "keys": "Issue, list, edit, revoke and rotate API keys.",
    "tenants": "Create, list, edit and delete tenants.",
    "projects": "Create, list, edit and delete a tenant's projects.",
    "claims": "Refuse commits of files that another agent has claimed.",
    "roles": "Set and list the roles of agents and people.",
    "calendar": "Connect and subscribe to calendars; import and export .ics files.",
    "code": "Index working trees for code search.",
    "memory": "Import conversations from files.",
    "skills": "Install, list, check and export skills.",
    "events": "Show and retry events that a reaction gave up on.",
    "embedder": "Install the model that compares meanings in search.",
    "search": "Show, check and rebuild the search index.",
    "redactions": "Show and review secrets that were removed, and scan for more.",
    "usage": "Count the calls of each tenant in a month, on AWS.",
    "audit": "Show which tools and commands changed something, and who ran them.",
    "export": "Export a tenant into a file.",
    "import": "Import data of other programs, or restore a tenant.",
}
_NAMED = {"open": "open_"}
"""Commands whose function has another name, because Python's own function has theirs."""
_WITH = {"tools": "call", "code": "files.code", "memory": "files.memory", "skills": "files.skills"}
"""Commands that are in a module of another name."""

_FOR_AWS = frozenset({"aws_lambda_powertools", "boto3", "botocore", "opensearchpy", "pynamodb"})
"""Packages that the extra `aws` installs."""
_NO_AWS = "Packages for AWS are not installed. Install Almanac with its extra: pip install 'almanac-mcp[aws]'."


class CommandFailure(click.ClickException):
    """Failure of a command, shown as one line on standard error; the exit status is 2."""

    exit_code = 2


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        member = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        return getattr(
            importlib.import_module(f"almanac.local.commands.{_WITH.get(member, member)}"), _NAMED.get(member, member)
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except AlmanacError as refused:
            raise CommandFailure(spell_commands(str(refused), ctx.meta.get(IN_USE, {}), self)) from refused
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] not in _FOR_AWS:
                raise
            raise CommandFailure(_NO_AWS) from missing


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(almanac.__version__, prog_name="almanac")
def cli() -> None:
    """Time, calendars, planning, memory and coordination for AI agents, as MCP tools."""


def main() -> None:
    cli(prog_name="almanac")
