"""Entities: what a text of developers names that others will look up by its name.

    entities(text) -> [Entity(kind, text, normal, start, end)]

Symbols, files, error codes, commands, URLs and tickets, by their form alone: the same text gives the same entities.
"""

from almanac.content.entities.entity import Entity, Kind
from almanac.content.entities.finder import MAX_ENTITIES, entities

__all__ = ["MAX_ENTITIES", "Entity", "Kind", "entities"]
