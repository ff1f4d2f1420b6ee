"""Stored records of where memories come from, for asking backwards: a memory itself names its sources.

P#<tenant>#<project>#memory_sources#<source>   <memory>   MemorySource
"""

from almanac.platform.store.records import Record, Table


class MemorySource(Record, frozen=True, kw_only=True):
    """`memory` was made of `source`, a turn or another memory."""

    source: str
    memory: str


SOURCES = Table(MemorySource, "memory_sources", partition=("source",), sort=("memory",))
