"""Entities, the names in a developer's text that others will look up.

entities(text) -> [Entity(kind, text, normal, start, end)]

Symbols, files, error codes, commands, URLs and tickets are recognised by their form alone, so the same text always
gives the same entities.
"""

from almanac.content.entities.entity import Entity, Kind
from almanac.content.entities.finder import MAX_ENTITIES, entities

__all__ = ["MAX_ENTITIES", "Entity", "Kind", "entities"]
