"""Contexts that always contain a secret: addresses with a password, headers, logins, SQL statements."""

from almanac.content.redaction.matcher.passwords import (
    is_chosen,
    is_credential,
    is_made,
    is_mixed,
    is_password,
    is_strong,
    is_user_and_password,
)
from almanac.content.redaction.matcher.spans import PLACE
from almanac.content.redaction.rules import Rule

PLACES = (
    Rule(
        "url_password",
        r"(?i)(?:[a-z][a-z0-9+.-]*|%\w+)://[^\s/?#:\"'<>()\[\]{}`\\,;|]*:([^\s/\"'<>`\\|]+)@[\w\[\-]",
        is_password,
        rank=PLACE,
    ),
    Rule("authorization", r"(?i)bearer[\"']?[ \t:=]{1,4}[\"'`]?([a-z0-9._~+/=%-]{8,})", is_credential, rank=PLACE),
    Rule(
        "authorization",
        r"(?i)(?:^|[^a-z:])authorization[\"']?\s*[:=,]\s*[\"'`]?(?:(?:token|apikey|api-key|key|digest"
        r"|negotiate|sso-key|pat|bot|oauth|genie\w*|splunk)[ =]+)?"
        r"([a-z0-9._~+/=:%-]{16,})(?:[^a-z0-9._~+/=:%(-]|$)",
        is_credential,
        rank=PLACE,
    ),
    Rule("authorization", r"(?i)\bbasic[ \t]+([a-z0-9+/_-]{8,}={0,2})", is_user_and_password, rank=PLACE),
    Rule(
        "login",
        r"(?i)(?:^|[^0-9.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?[ \t,/|(]+"
        r"(?:[\w.@-]{2,32}[ \t,/|:]+)?([^\s,/|(){}<>\"']{6,24})(?:[\s,)]|$)",
        is_strong,
        rank=PLACE,
    ),
    Rule("url_password", r"(?i)\bjdbc:oracle:\w+:[\w$#]{1,30}/([^\s/@\"'<>]+)@", is_password, rank=PLACE),
    Rule(
        "login",
        r"(?i)(?:mysqli?_connect|pg_connect|new[ \t]+(?:mysqli|pdo)|sp_addlogin|sp_password|pscredential"
        r"|networkcredential|credentials\.basic|http(?:basic|digest)auth|basic_?auth|passwordauthentication|\.login|\.authenticate"
        r"|create_(?:super)?user|set_password|wifi\.begin|\.credentials"
        r"|\bauth[ \t]*=)[ \t]*\(?(?:[ \t]*[\"'][^\"'\n]{0,100}[\"'][ \t]*,){1,2}[ \t]*[\"']([^\"'\s]{4,})[\"']",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "login",
        r"(?i)\b(?:log[ _-]?[io]n|user(?:[ _-]?name|[ _-]?id)?|account|zugang(?:sdaten)?|anmeldung|benutzer(?:name)?"
        r"|acceso|usuario|identifiants?|utilisateur|connexion|creds?|credentials?)"
        r"(?:[ \t]*[:=]|[ \t]+(?:with|as|for|is|are|mit|con|avec))?[ \t]+[\w.@+-]{2,64}[ \t]*/[ \t]*"
        r"[\"'`]?([^\s\"'`<>,;|:=()\[\]{}/]{6,64})(?:[\s\"'`,;.)]|$)",
        is_chosen,
        rank=PLACE,
    ),
    Rule(
        "login",
        r"(?i)\b(?:hash|check|verify|encrypt)_?(?:pw|password|passwd)\([ \t]*(?:\w+[ \t]*=[ \t]*)?"
        r"b?[\"']([^\"'\s]{4,})[\"']",
        is_chosen,
        rank=PLACE,
    ),
    Rule(
        "login",
        r"(?i)[\"'`]([^\"'`\s]{6,64})[\"'`][ \t]+as[ \t]+(?:(?:the|a|your|my|its|our)[ \t]+)?(?:\w+[ \t]+)?"
        r"(?:password|passphrase)\b",
        is_chosen,
        rank=PLACE,
    ),
    Rule(
        "login",
        r"(?i)\bgetconnection\([^,\n]{1,200},[ \t]*[\"'][^\"'\n]{0,60}[\"'][ \t]*,[ \t]*[\"']([^\"'\s]{4,})[\"']",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "password",
        r"(?i)\bvariable[ \t]+\"[\w-]{0,60}(?:password|passwd|pwd|passphrase|secret|token|api_?key)\"[ \t]*\{"
        r"[^{}]{0,400}?\bdefault[ \t]*=[ \t]*\"([^\"\s]{6,})\"",
        is_chosen,
        rank=PLACE,
    ),
    Rule(
        "netrc_password", r"(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s\"'`<>{}$]+)", is_password, rank=PLACE
    ),
    Rule(
        "npm_token",
        r"(?i)(?:^|[:\s])_(?:authtoken|auth|password)\s*=\s*[\"']?([a-z0-9+/=_-]{8,})",
        is_credential,
        rank=PLACE,
    ),
    Rule(
        "sql_password",
        r"(?i)\b(?:user|role|grant|to)\b[^;\n]*?\bidentified\s+(?:with\s+\S+\s+)?(?:by|as)\s+(?:password\s+)?"
        r"[\"'`]([^\"'`\n]{3,})",
        is_password,
        rank=PLACE,
    ),
    Rule("sql_password", r"(?i)\bidentified\s+by\s+(?:password\s+)?[\"'`]([^\"'`\s]{4,})", is_chosen, rank=PLACE),
    Rule(
        "sql_password",
        r"(?i)\b(?:alter|create)\s+(?:user|role|login)\b[^;\n]*?\bpassword\s*=?\s*'([^'\n]{3,})'",
        is_password,
        rank=PLACE,
    ),
    Rule("sql_password", r"(?i)\bidentified\s+by\s+[\"']?([^\s\"'`;()]{6,})", is_mixed, rank=PLACE),
)
