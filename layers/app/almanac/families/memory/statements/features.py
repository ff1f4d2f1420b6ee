"""Features of a sentence for the classifier: words, pairs of words, word pieces, concepts and the sentence's shape.

Concepts are short lists of words with the same effect in any domain, such as words of choosing or of forbidding. They
carry over to domains that the training texts do not cover. Features are hashed to 32 bits, so collisions are rare, and
words that the training texts lack weigh nothing.
"""

import re
from itertools import pairwise
from zlib import crc32

MOST_WORDS = 48
"""Number of first words and signs of a sentence from which features are made."""
_TOKEN = re.compile(r"[^\W_]+(?:['_./:-][^\W_]+)*|[?!:;,.>=\"(]", re.UNICODE)
_PIECE = 4
_NUMBER = re.compile(r"\d")

_CONCEPTS = {
    "choice": "go going take use pick choose chose chosen keep stick stay switch adopt prefer opt have make settle",
    "nth": "first second third fourth last other former latter one two option variant plan number both either",
    "yes": "ok okay yes yep yeah agreed deal fine sure right true good alright sold approved done",
    "no": "no nope nah not don't doesn't without neither nor nothing none nobody never",
    "then": "then instead anyway finally settled final decided period now",
    "ever": "always never ever every each all only nobody anyone anybody everything nothing any whoever",
    "must": "must has have need needs should shall required mandatory obliged gotta mustn't",
    "may": "maybe perhaps might may could would possibly probably theoretically suppose wish imagine pretend",
    "if": "if whether unless suppose case",
    "ask": "what which who whom why how when where should shall can could do does did is are would",
    "i": "i i'm i'd i've i'll me my mine myself",
    "we": "we we're we'll we've us our let's lets",
    "you": "you your you're yours",
    "they": "they their them his her he she theirs they're it's",
    "please": "please pls plz kindly",
    "like": "like love hate prefer dislike favourite favorite rather enjoy stand loathe fan allergic hates loves likes",
    "day": "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun today tomorrow tonight"
    " week month weekend noon midnight morning evening january february march april june july august september october"
    " november december jan feb mar apr jun jul aug sep oct nov dec quarter",
    "by": "by until till before due deadline latest expires ends runs closes ready within later",
    "forbid": "forbidden banned prohibited avoid nobody hands touch never mustn't forbid off-limits without",
    "limit": "max maximum least most limit quota budget cap under over below above more less tops within per ceiling",
    "done": "done finished ready merged fixed closed shipped ticked solved sent paid signed booked ordered renewed gone"
    " complete completed confirmed removed deleted rotated added created moved updated delivered works",
    "fail": "error fails failed failure broken crash crashes crashed bug exception timeout stuck down leak leaks wrong"
    " problem flaky denied refused missing hangs",
    "why": "because since cause caused reason due turns turned therefore otherwise so fix fixes fixed",
    "past": "was were had did used thought said told never last ago yesterday",
    "talk": "let check look think try see wait sorry thanks hello hi bye haha lol noted great nice",
    "todo": "todo task reminder remind remember forget open missing pending left follow-up later",
    "others": "neighbours neighbour sister brother company team vendor competition school cousin landlord teacher"
    " poster article blog docs says said thinks",
    "again": "again still yet already anymore more",
    "rule": "rule rules convention policy standard style guideline naming prefix prefixes format",
}
_CONCEPT_OF: dict[str, list[str]] = {}
for _name, _words in _CONCEPTS.items():
    for _word in _words.split():
        _CONCEPT_OF.setdefault(_word, []).append(_name)


def features_of(sentence: str) -> set[int]:
    """Return the hashed features of a sentence. Case counts only for the first letter of the sentence."""
    tokens = tokens_of(sentence)
    words = [token for token in tokens if token[0].isalnum() or token[0] == "0"]
    features = {f"w {token}" for token in tokens}
    features.update(f"2 {token} {other}" for token, other in pairwise(["^", *tokens, "$"]))
    features.update(f"p {word[:_PIECE]}" for word in words if len(word) > _PIECE)
    features.update(f"s {word[-3:]}" for word in words if len(word) > _PIECE)
    features.update(f"^ {' '.join(tokens[:count])}" for count in (1, 2, 3))
    features.update(f"$ {' '.join(tokens[-count:])}" for count in (1, 2))
    concepts = [_CONCEPT_OF.get(word, ()) for word in words]
    concept_names = sorted({name for names in concepts for name in names})
    features.update(f"c {name}" for name in concept_names)
    features.update(
        f"cc {name} {other}" for place, name in enumerate(concept_names) for other in concept_names[place + 1 :]
    )
    if concepts:
        features.update(f"^c {name}" for name in concepts[0])
        features.update(f"$c {name}" for name in concepts[-1])
    for one, other in pairwise(concepts):
        features.update(f"c2 {first} {second}" for first in one for second in other)
    features.update(_shape(sentence, words))
    return {crc32(feature.encode()) for feature in features}


def tokens_of(sentence: str) -> list[str]:
    """Return the first 48 tokens: words in lower case, with each run of digits as 0, and punctuation that matters."""
    text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")[:600]
    tokens = [_NUMBER.sub("0", token.lower()) for token in _TOKEN.findall(text)]
    return [re.sub("0+", "0", token) for token in tokens[:MOST_WORDS]]


def _shape(sentence: str, words: list[str]) -> set[str]:
    count = len(words)
    length = "1" if count < 2 else "3" if count < 4 else "6" if count < 7 else "12" if count < 13 else "25"
    shape = {f"# words {length}"}
    if sentence[:1].islower():
        shape.add("# small")
    if sentence[:1] in "\"'\N{LEFT DOUBLE QUOTATION MARK}":
        shape.add("# quote")
    if any(map(_NUMBER.search, words)):
        shape.add("# number")
    shape.add(f"# end {sentence.rstrip()[-1:] if not sentence.rstrip()[-1:].isalnum() else 'word'}")
    return shape
