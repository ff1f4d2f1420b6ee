"""The focus map finds the claims that cover a file without comparing each file with each claim."""

from hypothesis import given
from hypothesis import strategies as st

from almanac.families.team.claims.key_syntax import file_key, parse_key
from almanac.families.team.core.records import ClaimRecord, Sighting
from almanac.families.team.presence.focus import focus_map

PARTS = st.sampled_from(["src", "lib", "a.py", "[id].ts", "b.ts"])
GLOBS = st.sampled_from(["*", "**", "*.py", "{a,b}.*", "[id].ts", "?.py", "src", "a.py"])
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
KEYS = st.lists(GLOBS, min_size=1, max_size=3).map("/".join)


def make_sighting(path: str) -> Sighting:
    return Sighting(bucket=0, id=path, path=path, actor="ann", tool="codex", heartbeats=1, last_at=1, expires_at=2)


def claim_record(key: str) -> ClaimRecord:
    return ClaimRecord(
        id=parse_key(key).id,
        key=key,
        holder="codex@bob#1",
        actor="bob",
        token=1,
        acquired_at=1,
        updated_at=1,
        lapses_at=2,
    )


@given(st.sets(PATHS, max_size=8), st.sets(KEYS | PATHS, max_size=8))
def test_a_file_has_the_claims_that_overlap_with_it_and_no_others(paths: set[str], keys: set[str]):
    claims = {claim.id: claim for claim in map(claim_record, sorted(keys))}
    found = {focus.path: focus for focus in focus_map(map(make_sighting, sorted(paths)), list(claims.values()))}

    for path in paths:
        covering = {id_ for id_, claim in claims.items() if parse_key(claim.key).overlaps(file_key(path))}
        assert {claim.id for claim in found[file_key(path).name].claims} == covering
