"""Questions as they were read, the last ones: a caller asks the same of several profiles, and reading one with a model
takes longer than all else about a search."""

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from almanac.platform.search.engine.parts import Derives
from almanac.platform.search.port import Profile

if TYPE_CHECKING:
    from almanac.platform.embedder.port import ContextEmbedder
    from almanac.platform.search.analysis.asked import Asked

REMEMBERED = 32

_Key = tuple[str, bool, int]


class ReadQuestions:
    """One object serves all threads. It remembers as long as one deriver reads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked: OrderedDict[_Key, Asked] = OrderedDict()
        self._deriver: Derives | None = None

    def asked(self, deriver: Derives, text: str, profile: Profile, model: "ContextEmbedder | None") -> "Asked":
        # Talk and documents are read alike, code is not.
        key = (text, profile == "code", id(model))
        with self._lock:
            if deriver is not self._deriver:
                self._asked.clear()
                self._deriver = deriver
            known = self._asked.get(key)
        if known is None:
            known = deriver.asked(text, profile, model)
            self._keep(deriver, key, known)
        return known if known.profile == profile else replace(known, profile=profile)

    def _keep(self, deriver: Derives, key: _Key, asked: "Asked") -> None:
        with self._lock:
            if deriver is self._deriver:
                self._asked[key] = asked
                if len(self._asked) > REMEMBERED:
                    self._asked.popitem(last=False)
