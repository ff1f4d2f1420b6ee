"""The tool that configures other clients."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from almanac.families.context.client_setup import (
    NEVER_WRITTEN,
    ConfigurationWrite,
    Target,
    about_address,
    about_key,
    snippet,
    write,
)
from almanac.families.context.core.types import CliType
from almanac.kernel.clock import Clock
from almanac.platform.clients.server import ClientMachine, Server
from almanac.platform.services import Services
from almanac.protocol.tool import Effect, tool

_NO_PROGRAM = " serverPath and useDocker were ignored: clients reach Almanac at an address."
_ELSEWHERE = "This server cannot write to your machine: paste the snippet into the configuration of {cli} yourself."
_ON_REQUEST = "This is what would be added to your {cli} MCP config. Call context_setup without preview to write it."
_NEVER = "Paste this into the MCP configuration of the client; nothing is written for {cli}."


class SetupResult(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`config_file` has our server in it now. `unchanged`: it had it already. `backup_file`: copy of the former
    file."""

    success: Literal[True]
    cli: str
    config_file: str
    message: str
    backup_file: str | None = None
    unchanged: bool = False


class SetupPreview(Struct, frozen=True, rename="camel", kw_only=True):
    """A preview of a configuration; nothing was written. Paste `snippet` into the client's configuration."""

    preview: Literal[True]
    cli: str
    use_docker: bool
    snippet: str
    message: str


@tool(title="Set up a client", effect=Effect.SETS, aliases=["context.setup"], naming="camel")
def context_setup(
    cli: Annotated[Target, Meta(description="Which client; docker: snippets for all.")],
    server_path: Annotated[str, Meta(description="Not needed.", max_length=4096)] | None = None,
    use_docker: Annotated[bool, Meta(description="Not needed.")] = False,
    preview: Annotated[bool, Meta(description="Only show what would be written.")] = False,
    *,
    services: Services,
    server: Server,
    clock: Clock,
) -> SetupResult | SetupPreview:
    """Connect or install Almanac (this MCP server) in another coding client or editor, such as Cursor, or preview its
    configuration. For the settings of the project use configure_project.
    """
    machine = services.find(ClientMachine)
    said = _NO_PROGRAM if server_path is not None or use_docker else ""
    if preview or machine is None or not machine.may_write or cli in NEVER_WRITTEN:
        message = f"{_why_not_written(cli, machine, preview=preview)} {about_key(cli, server)}{about_address(server)}"
        return SetupPreview(
            preview=True, cli=cli, use_docker=use_docker, snippet=snippet(cli, server), message=message + said
        )
    return _setup_result(cli, write(cli, machine, clock.now()), f"{about_key(cli, machine.server)}{said}")


def _setup_result(cli: CliType, written: ConfigurationWrite, more: str) -> SetupResult:
    what = "is configured" if written.changed else "was configured already"
    return SetupResult(
        success=True,
        cli=cli,
        config_file=written.file,
        message=f"Almanac {what} for {written.title}. {more} Restart {written.title} to activate.",
        backup_file=written.backup,
        unchanged=not written.changed,
    )


def _why_not_written(cli: Target, machine: ClientMachine | None, *, preview: bool) -> str:
    if cli in NEVER_WRITTEN:
        return _NEVER.format(cli=cli)
    if machine is None or not machine.may_write:
        return _ELSEWHERE.format(cli=cli)
    return _ON_REQUEST.format(cli=cli) if preview else ""
