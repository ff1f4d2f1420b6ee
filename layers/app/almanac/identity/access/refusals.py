"""Refusals of requests: bad keys, missing permissions and exceeded limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The answer to a request that is not admitted.

    `status` is 401, 403 or 429, and `code` is stable. `needed_scope` names the permission that the key lacks. `scope`
    is the OAuth scope that a signed-in client should ask for.
    """

    status: int
    code: str
    message: str
    hint: str
    needed_scope: str | None = None
    retry_after_seconds: int | None = None
    scope: str | None = None


# One value for unknown, wrong, revoked and expired keys, because the answer must not tell which it was.
BAD_KEY = Refusal(
    status=401,
    code="unauthorized",
    message="The API key is not valid.",
    hint="Check the key, or ask for a new one: `almanac keys issue`.",
)

# One value for unknown, expired and revoked tokens, and for tokens of another server.
BAD_TOKEN = Refusal(
    status=401,
    code="unauthorized",
    message="The access token is not valid.",
    hint="Refresh it, or sign in again.",
)

NO_KEY = Refusal(
    status=401,
    code="unauthorized",
    message="No API key was sent.",
    hint="Send one in the header x-api-key, or as Authorization: Bearer.",
)


def outside_families(family: str) -> Refusal:
    return Refusal(
        status=403,
        code="forbidden",
        message=f"This key may not use the family {family}.",
        hint=f"Use a key with the scope family:{family}.",
        needed_scope=f"family:{family}",
    )


def outside_grant(scope: str) -> Refusal:
    return Refusal(
        status=403,
        code="insufficient_scope",
        message="This sign-in does not allow that.",
        hint=f"Sign in again and allow {scope}.",
        needed_scope=scope,
        scope=scope,
    )


def outside_project(project: str) -> Refusal:
    return Refusal(
        status=403,
        code="forbidden",
        message=f"This key may not use the project {project}, or there is no such project.",
        hint=f"Correct the header x-almanac-project, or use a key with the scope project:{project}.",
        needed_scope=f"project:{project}",
    )


PROJECT_NEEDED = Refusal(
    status=403,
    code="project_required",
    message="This key is for several projects, and the request names none.",
    hint="Send the project in the header x-almanac-project.",
    needed_scope="project:<name>",
)


def too_many(what: str, retry_after_seconds: int) -> Refusal:
    return Refusal(
        status=429,
        code="limit_exceeded",
        message=f"Too many requests: {what}.",
        hint=f"Repeat the request in {retry_after_seconds} seconds.",
        retry_after_seconds=retry_after_seconds,
    )
