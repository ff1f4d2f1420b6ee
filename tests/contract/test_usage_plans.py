"""Test that every tier has a usage plan with the key that the authorizer names."""

import re
from typing import Any

import pytest

from almanac.composition.families import EXPENSIVE
from almanac.composition.settings import read_settings
from almanac.identity.records import TIERS
from tests.contract.template import CONFIGURATION, FUNCTIONS, RESOURCES, TEMPLATE, USAGE_PLANS

RESOURCES_OF_PLANS: dict[str, dict[str, Any]] = USAGE_PLANS["Resources"]
API = RESOURCES["Api"]["Properties"]


def test_every_request_needs_a_key_of_a_plan_and_the_authorizer_names_it() -> None:
    assert API["ApiKeySourceType"] == "AUTHORIZER"
    assert API["Auth"]["ApiKeyRequired"] is True


@pytest.mark.parametrize("tier", TIERS)
def test_a_tier_has_a_plan_of_its_own_and_a_key_that_is_called_like_it(tier: str) -> None:
    name = tier.capitalize()
    plan = RESOURCES_OF_PLANS[f"{name}Plan"]["Properties"]
    assert plan["ApiStages"] == [{"ApiId": {"Ref": "Api"}, "Stage": {"Ref": "Stage"}}]
    assert RESOURCES_OF_PLANS[f"{name}Key"]["Properties"] == {
        "Enabled": True,
        "Value": {"Sub": f"{tier}${{KeyEnding}}"},
    }
    joined = RESOURCES_OF_PLANS[f"{name}KeyOfPlan"]["Properties"]
    assert joined == {"KeyId": {"Ref": f"{name}Key"}, "KeyType": "API_KEY", "UsagePlanId": {"Ref": f"{name}Plan"}}


def test_there_are_no_plans_but_those_of_tiers() -> None:
    plans = [name for name, of in RESOURCES_OF_PLANS.items() if of["Type"] == "AWS::ApiGateway::UsagePlan"]
    assert plans == [f"{tier.capitalize()}Plan" for tier in TIERS]


def test_the_authorizer_and_the_plans_agree_on_how_keys_end() -> None:
    ending = RESOURCES["UsagePlans"]["Properties"]["Parameters"]["KeyEnding"]
    told = FUNCTIONS["AuthorizerFunction"]["Properties"]["Environment"]["Variables"]["ALMANAC_USAGE_KEYS"]
    assert told == ending


def test_the_stack_of_plans_is_given_every_parameter_and_no_other() -> None:
    assert set(RESOURCES["UsagePlans"]["Properties"]["Parameters"]) == set(USAGE_PLANS["Parameters"])


def test_only_trials_have_a_bound_for_a_day_and_premium_has_none_at_all() -> None:
    bounded = {name: set(of["Properties"]) & {"Throttle", "Quota"} for name, of in RESOURCES_OF_PLANS.items()}
    assert bounded["TrialPlan"] == {"Throttle", "Quota"}
    assert bounded["StandardPlan"] == {"Throttle"}
    assert bounded["PremiumPlan"] == set()


@pytest.mark.parametrize(
    ("parameter", "variable"),
    [("TenantRequestsPerMinute", "ALMANAC_TIER_RATES"), ("TenantCallsAtOnce", "ALMANAC_TIER_CALLS")],
)
def test_the_authorizer_is_told_the_limits_of_the_tenants_of_each_tier(parameter: str, variable: str) -> None:
    told = FUNCTIONS["AuthorizerFunction"]["Properties"]["Environment"]["Variables"][variable]
    default = TEMPLATE["Parameters"][parameter]["Default"]
    assert told == {"Ref": parameter}
    assert re.fullmatch(TEMPLATE["Parameters"][parameter]["AllowedPattern"], default)
    assert read_settings({variable: default})
    assert len(default.split(",")) == len(TIERS)


def test_no_tenant_may_take_more_than_half_of_what_all_have() -> None:
    """By default: of the plan of its tier, of the stage, and of the places of an expensive function in production."""
    defaults = {name: of["Default"] for name, of in TEMPLATE["Parameters"].items() if "Default" in of}
    shared = [defaults[name] for name in ("TrialRequestsPerSecond", "StandardRequestsPerSecond", "RequestsPerSecond")]
    rates = map(int, defaults["TenantRequestsPerMinute"].split(","))
    assert all(0 < rate <= 60 * whole / 2 for rate, whole in zip(rates, shared, strict=True))
    production = CONFIGURATION["prod"]["deploy"]["parameters"]["parameter_overrides"]
    places = int(dict(each.split("=", 1) for each in production.split())["ExpensiveConcurrency"])
    assert all(0 < int(calls) <= places / 2 for calls in defaults["TenantCallsAtOnce"].split(","))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_serves_an_expensive_family_may_lease_calls_and_nothing_else_may(name: str) -> None:
    serving = {f"{family.capitalize()}Function" for family in ("hub", "dashboard", *EXPENSIVE)}
    assert ("{'Ref': 'CallLeases'}" in str(FUNCTIONS[name]["Properties"]["Policies"])) == (name in serving)
