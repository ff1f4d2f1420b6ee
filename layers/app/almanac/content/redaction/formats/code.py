"""Tokens of services that store and build code, packages and images."""

from zlib import crc32

from almanac.content.redaction.formats.format import ALNUM, BASE64, HEX, UPPER, UUID, WORD, Format, tokens

_BASE62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKED = 6


def has_github_checksum(body: bytes) -> bool:
    """Return whether the last 6 characters are the CRC-32 of the others in base 62, as at GitHub and npm."""
    return _base62(crc32(body[:-_CHECKED])) == body[-_CHECKED:]


def _base62(number: int) -> bytes:
    digits = b""
    while number:
        number, digit = divmod(number, 62)
        digits = _BASE62[digit : digit + 1] + digits
    return digits.rjust(_CHECKED, b"0")


_GITLAB = "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt- GR1348941"

CODE = (
    Format("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{ALNUM}{{36,}}", 3, has_github_checksum),
    tokens("github_token", "ghs_", r"[A-Za-z0-9_]{36,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", 3),
    tokens("github_token", "github_pat_", r"[A-Za-z0-9_]{60,}", 3),
    tokens("gitlab_token", _GITLAB, r"[A-Za-z0-9_.-]{18,}", 3),
    tokens("gitlab_session", "_gitlab_session=", rf"{HEX}{{32}}"),
    tokens("bitbucket_token", "BBDC-", r"[A-Za-z0-9+/@_-]{40,}"),
    tokens("bitbucket_token", "ATBB", r"[A-Za-z0-9]{24,}", 3.2),
    tokens("atlassian_token", "ATATT3 ATCTT3 ATSTT3", r"[A-Za-z0-9_=%\\-]{60,}"),
    Format("npm_token", ("npm_",), rf"{ALNUM}{{36}}", 3.5, has_github_checksum),
    tokens("pypi_token", "pypi-AgE", rf"{WORD}{{50,}}"),
    tokens("rubygems_token", "rubygems_", rf"{HEX}{{48}}"),
    tokens("crates_token", "cio", rf"{ALNUM}{{32}}", 3.8),
    tokens("clojars_token", "CLOJARS_", rf"{ALNUM}{{60}}"),
    tokens("docker_token", "dckr_pat_ dckr_oat_ dckr_sat_", rf"{WORD}{{24,}}"),
    tokens("docker_swarm_token", "SWMTKN-1-", r"[a-z0-9]{40,}-[a-z0-9]{20,}"),
    tokens("docker_swarm_key", "SWMKEY-1-", r"[A-Za-z0-9+/_-]{40,}"),
    tokens("artifactory_key", "AKCp", rf"{ALNUM}{{60,}}", 3.5),
    tokens("artifactory_token", "cmVmdGtuO", rf"{BASE64}{{50,}}={{0,2}}"),
    tokens("sonar_token", "squ_ sqp_ sqa_", rf"{HEX}{{40}}"),
    tokens("snyk_token", "snyk_uat. snyk_sat.", r"[a-z0-9.]{8,}[A-Za-z0-9_.-]{40,}"),
    tokens("circleci_token", "CCIPAT_ CCIPRJ_", rf"{ALNUM}{{16,}}_{HEX}{{40}}"),
    tokens("buildkite_token", "bkua_ bkpt_ bkaj_ bkct_", rf"{ALNUM}{{36,}}"),
    tokens("launchdarkly_key", "sdk- api- mob-", UUID, 2.8),
    tokens("postman_key", "PMAK-", rf"{HEX}{{24}}-{HEX}{{34}}"),
    tokens("postman_key", "PMAT-", rf"{UPPER}{{26}}", 3),
    tokens("octopus_key", "API-", rf"{UPPER}{{25,36}}", 3.2),
    tokens("ory_token", "ory_pat_ ory_at_ ory_rt_ ory_ac_", r"[A-Za-z0-9_.-]{32,}", 3),
    tokens("wakatime_key", "waka_ waka_sec_ waka_tok_", rf"{UUID}|{ALNUM}{{60,}}"),
    tokens("figma_token", "figd_ figu_ figur_ figo_", rf"{WORD}{{36,}}"),
    tokens("linear_key", "lin_api_ lin_oauth_ lin_wh_", rf"{ALNUM}{{32,}}"),
    tokens("notion_token", "ntn_", rf"\d{{9,}}{ALNUM}{{30,}}", 3.8),
    tokens("notion_token", "secret_", rf"{ALNUM}{{43}}", 4),
    tokens("airtable_token", "pat", rf"{ALNUM}{{14}}\.{HEX}{{64}}"),
    tokens("readme_key", "rdme_", r"[a-z0-9]{60,}"),
    tokens("sourcegraph_token", "sgp_ sgd_", rf"(?:{HEX}{{16}}_|local_)?{HEX}{{40}}|{HEX}{{64}}_{HEX}{{64}}"),
    tokens("sourcegraph_token", "slk_", rf"{HEX}{{64}}"),
    tokens("jetbrains_token", "perm: perm- perm-", r"[A-Za-z0-9+/=]{8,}\.[A-Za-z0-9+/=]{2,}\.[A-Za-z0-9+/=]{20,}"),
    tokens("deno_token", "ddp_ ddo_", rf"{ALNUM}{{36,}}"),
    tokens("valtown_token", "vtwn_", rf"{ALNUM}{{24,}}"),
    tokens("openvsx_token", "ovsxat_", rf"{UUID}|{WORD}{{30,}}"),
    tokens("phabricator_token", "cli-", r"[a-z0-9]{28}", 3.5),
    tokens("onepassword_token", "ops_eyJ", r"[A-Za-z0-9_+/=-]{200,}", 3),
    tokens("onepassword_key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    tokens("age_key", "AGE-SECRET-KEY-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{40,}"),
    tokens("wundergraph_key", "cosmo_", rf"{HEX}{{32}}"),
    tokens("harness_token", "pat. sat.", rf"{WORD}{{22}}\.{HEX}{{24}}\.{ALNUM}{{20}}"),
    tokens("shortcut_token", "sct_rw_ sct_ro_", rf"{WORD}{{20,}}"),
    tokens("trello_token", "ATTA", rf"{HEX}{{64,}}"),
    tokens("clickup_token", "pk_", rf"\d{{6,}}_{ALNUM}{{32}}"),
    tokens("asana_token", "1/ 2/", rf"\d{{15,}}(?:/\d{{15,}})?:{HEX}{{32}}"),
    tokens("ngrok_token", "cr_ ak_ ngrok_", rf"{ALNUM}{{27,}}", 3.8),
)
