"""A pass on its way through API Gateway."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import from_context, to_context
from almanac.kernel.caller import Caller, Scope

NAMES = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True)
PASSES = st.builds(
    Principal,
    st.builds(
        Caller,
        st.builds(Scope, NAMES, NAMES),
        NAMES,
        NAMES,
        st.none() | st.frozensets(NAMES),
        st.booleans(),
        st.none() | st.sampled_from(["UTC", "America/New_York"]),
        st.sampled_from(["monday", "sunday"]),
        project_timezone=st.none() | st.sampled_from(["UTC", "Asia/Tokyo"]),
        is_person=st.booleans(),
    ),
    *[st.none() | st.integers(1, 10**9) for _ in range(6)],
)


@given(PASSES)
def test_a_pass_arrives_as_it_was_sent(allowed: Principal) -> None:
    assert from_context(to_context(allowed)) == allowed


@given(PASSES)
def test_the_context_is_flat_text(allowed: Principal) -> None:
    assert all(isinstance(value, str) for value in to_context(allowed).values())


@pytest.mark.parametrize("context", [{}, {"tenant": "acme"}, {"principalId": "x", "integrationLatency": 3}])
def test_without_an_authorizer_there_is_no_pass(context: dict[str, object]) -> None:
    assert from_context(context) is None


def test_a_damaged_context_does_not_widen_a_key(caller: Caller) -> None:
    context = to_context(Principal(replace(caller, families=frozenset({"time"}), readonly=True)))
    del context["families"], context["readonly"]
    arrived = from_context(context)
    assert arrived is not None
    assert arrived.caller.readonly
    assert arrived.caller.families == frozenset()


@pytest.mark.parametrize("said", [None, "", "false", "1", "yes"])
def test_an_authorizer_that_does_not_say_that_memory_is_shared_keeps_it_apart(caller: Caller, said: str | None) -> None:
    context = to_context(Principal(replace(caller, shares_memory=True)))
    assert context["shares_memory"] == "true"
    if said is None:
        del context["shares_memory"]
    else:
        context["shares_memory"] = said
    arrived = from_context(context)
    assert arrived is not None
    assert not arrived.caller.shares_memory


@pytest.mark.parametrize("said", [None, "", "false", "1", "yes"])
def test_an_authorizer_that_does_not_say_that_a_person_calls_lets_an_agent_call(
    caller: Caller, said: str | None
) -> None:
    context = to_context(Principal(replace(caller, is_person=True))) | ({} if said is None else {"is_person": said})
    if said is None:
        del context["is_person"]
    arrived = from_context(context)
    assert arrived is not None
    assert not arrived.caller.is_person


@pytest.mark.parametrize("trusted", [(), ("ci",), ("ann@x.org", "Ben.Lee+work@Example.ORG", "o'neil%x#y@example.org")])
def test_whose_skills_are_trusted_arrives_as_it_was_said(caller: Caller, trusted: tuple[str, ...]) -> None:
    allowed = Principal(replace(caller, trusted_installers=frozenset(trusted)))
    assert from_context(to_context(allowed)) == allowed


@pytest.mark.parametrize(
    "said", [None, "", ",", "*", "true", "ann@x.org,", "ann@x.org, ci", "ann@x.org\nci", "[]", 1, ["ci"]]
)
def test_a_damaged_context_trusts_nobody(caller: Caller, said: object) -> None:
    context: dict[str, object] = {**to_context(Principal(replace(caller, trusted_installers=frozenset({"ann@x.org"}))))}
    assert context["trusted_installers"] == "ann@x.org"
    if said is None:
        del context["trusted_installers"]
    else:
        context["trusted_installers"] = said
    arrived = from_context(context)
    assert arrived is not None
    assert "ann@x.org" not in arrived.caller.trusted_installers
    assert arrived.caller.trusted_installers <= {"true"}
