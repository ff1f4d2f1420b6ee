"""Pages on which a person signs in and consents to a client: plain HTML without scripts, in light and dark."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape

from msgspec import Struct

from almanac.gateway.oauth.request import AuthorizationRequest
from almanac.identity.oauth.redirects import display_host, form_target, is_loopback
from almanac.identity.oauth.scopes import RequestedAccess
from almanac.protocol.wire.http import Response

LIFETIMES: Sequence[tuple[str, str, int | None]] = (
    ("day", "One day", 86_400_000),
    ("month", "30 days", 30 * 86_400_000),
    ("quarter", "90 days", 90 * 86_400_000),
    ("unlimited", "Until you revoke it, or 30 days unused", None),
)

_STYLE = """
:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#57606a;--line:#8c959f;--act:#0a5cad;--on:#fff;
--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--fg:#e8eaed;--bg:#16181b;--soft:#b3bac2;--line:#7d858e;--act:#8ab8f0;
--on:#10151b;--bad:#ffb4ab}}
body{margin:0;background:var(--bg);color:var(--fg);font:1rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:0 auto;padding:2rem 1rem}
h1{font-size:1.4rem}dt{color:var(--soft)}dd{margin:0 0 .6rem;font-weight:600;overflow-wrap:anywhere}
fieldset{border:1px solid var(--line);margin:1rem 0;padding:.6rem 1rem}label{display:block;padding:.2rem 0}
input[type=password],select{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;
border:1px solid var(--line);background:var(--bg);color:var(--fg)}
button{font:inherit;padding:.6rem 1.4rem;margin:1rem .6rem 0 0;border:1px solid var(--act);
background:var(--bg);color:var(--act);cursor:pointer}
button.main{background:var(--act);color:var(--on)}
.bad{color:var(--bad);font-weight:600}.warn{border-left:.25rem solid var(--bad);padding-left:.8rem}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
""".replace("\n", "")
_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()


class Choice(Struct, frozen=True, kw_only=True):
    """The choices that a person has for a client. `may_write` is True if both the key and the request allow writing."""

    tenant: str
    actor: str
    key_id: str
    key_label: str
    projects: Sequence[str]
    families: Sequence[str]
    wish: RequestedAccess
    may_write: bool


def sign_in_page(request: AuthorizationRequest, sealed: str, problem: str = "", status: int = 200) -> Response:
    """Return the page that asks for the key by which the client will work."""
    wrong = f'<p class="bad" id="problem" role="alert">{escape(problem)}</p>' if problem else ""
    described = ' aria-describedby="problem"' if problem else ""
    return _page(
        "Sign in to Almanac",
        f"""<p>A program asks to use Almanac for you. Show an API key to go on.</p>{_about(request)}{wrong}
<form method="post" action="/authorize"><input type="hidden" name="request" value="{escape(sealed)}">
<label for="key">Your API key</label>
<input id="key" name="key" type="password" autocomplete="off" required spellcheck="false"{described}>
<button class="main" type="submit">Continue</button></form>
<p>The program never sees this key. It gets access of its own, which you can end at any time with
<code>almanac keys revoke-grant</code>.</p>""",
        status,
        request.redirect_uri,
    )


def consent_page(request: AuthorizationRequest, sealed: str, choice: Choice, problem: str = "") -> Response:
    """Return the page that asks what the client may do."""
    named = choice.wish.families
    families = "".join(
        f'<label><input type="checkbox" name="family" value="{escape(family)}" checked> {escape(family)}</label>'
        for family in choice.families
        if named is None or family in named
    )
    projects = "".join(f"<option>{escape(project)}</option>" for project in choice.projects)
    writing = choice.may_write and choice.wish.writes
    write = '<label><input type="radio" name="access" value="write" checked> Read and change</label>' if writing else ""
    lifetimes = "".join(
        f'<option value="{name}"{" selected" if name == "quarter" else ""}>{label}</option>'
        for name, label, _ in LIFETIMES
    )
    read = "" if writing else " checked"
    label = f" ({escape(choice.key_label)})" if choice.key_label else ""
    wrong = f'<p class="bad" role="alert">{escape(problem)}</p>' if problem else ""
    return _page(
        "Allow this program?",
        f"""{_about(request)}{wrong}<dl><dt>Tenant</dt><dd>{escape(choice.tenant)}</dd>
<dt>It writes as</dt><dd>{escape(choice.actor)}</dd><dt>With the key</dt><dd>{escape(choice.key_id)}{label}</dd></dl>
<form method="post" action="/authorize"><input type="hidden" name="request" value="{escape(sealed)}">
<label for="project">Project</label><select id="project" name="project">{projects}</select>
<fieldset><legend>It may use</legend>{families}</fieldset>
<fieldset><legend>It may</legend>{write}<label><input type="radio" name="access" value="read"{read}>
Only read</label></fieldset>
<label for="lifetime">For</label><select id="lifetime" name="lifetime">{lifetimes}</select>
<button class="main" type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
<button type="submit" name="decision" value="other">Use another key</button></form>""",
        200 if not problem else 400,
        request.redirect_uri,
    )


def problem_page(message: str, status: int = 400) -> Response:
    """Return the page that says why a sign-in cannot go on. The client gets no answer, because its identity is not
    verified."""
    return _page("This sign-in cannot go on", f'<p class="bad">{escape(message)}</p>', status)


def redirect(uri: str) -> Response:
    """Redirect the browser to the client. The URI must have been checked."""
    return Response(303, {**_headers(uri), "location": uri}, "")


def _about(request: AuthorizationRequest) -> str:
    host = request.client_host or "not known: the program registered itself"
    name = f"<dt>It calls itself</dt><dd>{escape(request.client_name)}</dd>" if request.client_name else ""
    local = ""
    if is_loopback(request.redirect_uri):
        local = (
            '<p class="warn">The answer goes to a program on this computer. Go on only if you started it just now.</p>'
        )
    return f"""<dl><dt>Published at</dt><dd>{escape(host)}</dd>{name}
<dt>The answer goes to</dt><dd>{escape(display_host(request.redirect_uri))}</dd></dl>{local}"""


def _page(title: str, content: str, status: int, redirect_uri: str = "") -> Response:
    body = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1>{content}</main></body></html>"""
    return Response(status, {**_headers(redirect_uri), "content-type": "text/html; charset=utf-8"}, body)


def _headers(redirect_uri: str) -> dict[str, str]:
    # Chromium checks the redirect that answers a form against form-action too.
    target = f" {form_target(redirect_uri)}" if redirect_uri else ""
    return {
        "cache-control": "no-store",
        "content-security-policy": (
            f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'{target}; "
            "frame-ancestors 'none'; base-uri 'none'"
        ),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
