"""Test similarities: the fit for a profile and kind of evidence, and none where nothing is near."""

from math import exp, log

import numpy as np
import pytest

from almanac.search.port import Profile
from almanac.search.ranking import calibration
from almanac.search.ranking.calibration import Fit, similarities
from almanac.search.ranking.parts import Evidence, Part, ScoredRows

NEAR, OWN, SCORE = 0.5, 0.4, 2.0
JUDGED_BY = ("words", "table", "bits")


def row_judged_by(by: str, near: float = NEAR) -> ScoredRows:
    """One row that was judged by words, by the table of vectors or by context bits."""
    evidence = Evidence(
        near=np.array([near], np.float32),
        own=np.array([OWN], np.float32),
        by_bits=np.array([by == "bits"]),
        by_table=np.array([by == "table"]),
    )
    return ScoredRows(np.array([0]), [Part("words", "words", SCORE, np.ones(1, np.float32))], evidence)


def expected_similarity(fit: Fit) -> float:
    """A probability of one in twenty is a similarity of .7."""
    log_odds = fit.base + fit.near * NEAR + fit.own * OWN + fit.score * SCORE
    return 1 / (1 + exp(-(log(0.7 / 0.3) + 0.6 * (log_odds - log(0.05 / 0.95)))))


@pytest.mark.parametrize("by", JUDGED_BY)
@pytest.mark.parametrize(
    ("profile", "fits"),
    [("talk", calibration.TALK), ("documents", calibration.DOCUMENTS), ("code", calibration.CODE)],
)
def test_a_similarity_comes_of_the_fit_of_its_profile_and_of_what_it_was_judged_by(
    profile: Profile, fits: calibration.Fits, by: str
):
    fit: Fit = getattr(fits, by)

    assert similarities(row_judged_by(by), profile)[0] == pytest.approx(expected_similarity(fit), abs=1e-4)


def test_no_two_fits_are_the_same():
    profiles: list[Profile] = ["talk", "documents", "code"]
    found = [round(float(similarities(row_judged_by(by), profile)[0]), 3) for profile in profiles for by in JUDGED_BY]

    assert len(set(found)) == len(found)


@pytest.mark.parametrize("by", JUDGED_BY)
def test_what_comes_half_as_near_as_it_should_is_half_as_alike_as_it_looks(by: str):
    fit: Fit = getattr(calibration.TALK, by)
    near = fit.nearest / 2
    log_odds = fit.base + fit.near * near + fit.own * OWN + fit.score * SCORE
    looks = 1 / (1 + exp(-(log(0.7 / 0.3) + 0.6 * (log_odds - log(0.05 / 0.95)))))

    assert similarities(row_judged_by(by, near), "talk")[0] == pytest.approx(looks / 2, abs=1e-4)
