"""Composition of the language model in the settings."""

from almanac.composition.settings import Settings
from almanac.platform.language_model.port import ChosenModel


def open_language_model(settings: Settings) -> ChosenModel:
    """Return the language model in the settings. Without one, nothing is loaded and no model is ever called."""
    if settings.language_model is None:
        return ChosenModel()
    from almanac.platform.language_model.bedrock import open_bedrock  # noqa: PLC0415 - most installations have none

    return ChosenModel(open_bedrock(settings.language_model, settings.region, settings.endpoint))
