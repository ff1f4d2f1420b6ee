"""Passwords in commands, at the positions that the commands' manuals document."""

from almanac.content.redaction.matcher.passwords import is_made, is_option, is_password
from almanac.content.redaction.matcher.spans import PLACE
from almanac.content.redaction.rules import Rule

COMMANDS = (
    Rule(
        "command_password",
        r"(?i)\bsqlplus\b[^\n|;]*?\s[\w$]{1,30}/([^\s@\"'/<>]{4,})(?:[@\s\"']|$)",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bmysqladmin\b[^\n|;]*?\spassword[ \t]+[\"']?([^\s\"'$<>-][^\s\"'<>]{3,})",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bhttp[ \t][^\n|;]*?(?:-a|--auth)[ =][\"']?([^\s:\"'$<>{}]+:[^\s\"'{}]+)",
        is_option,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bcurl\b[^\n]*?\s(?:-u|--user|--proxy-user|-U)[ =]?[\"']?([^\s:\"'$<>{}]*:[^\s\"'{}]+)",
        is_option,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)curlopt_(?:\w*userpwd|\w*password|\w*bearer|\w*passwd)\s*(?:,|=>|=)\s*[\"']([^\"'\n]+)",
        is_option,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)convertto-securestring(?:\s+-(?:string|force|asplaintext|a\w*))*\s+\\?[\"']?([^\s\"'\\$()\[\]-][^\s\"'\\]{3,})",
        is_password,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\b(?:mysql(?:dump|admin)?|sshpass|mongo(?:sh|dump)?)\b[^\n|;&]*?\s-p ?[\"']?([^\s\"'$<>-][^\s\"'<>]{3,})",
        is_password,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\b(?:docker login|redis-cli|az login|podman login)\b[^\n|;&]*?\s(?:-p|-a)[ =]?[\"']?"
        r"([^\s\"'$<>-][^\s\"'<>]{3,})",
        is_password,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bhtpasswd[ \t]+(?:-\w+[ \t]+){0,6}(?:-\w*b\w*[ \t]+)(?:-\w+[ \t]+){0,6}(?:[^\s-]\S*[ \t]+){1,2}"
        r"[\"']?([^\s\"'$<>-][^\s\"'<>]{3,})",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\becho[ \t]+(?:-\w+[ \t]+)?[\"']?([^\s\"'$|<>]{4,})[\"']?[ \t]*\|"
        r"[ \t]*(?:sudo[ \t][^\n|]*-S|docker login|kinit|passwd)\b",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)[\"' \t](?:-pass(?:in|out|word)?[ \t=]*)?pass:([^\s\"'$<>:,;]{4,})",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\b(?:ssh-keygen|sqlcmd|ldap(?:search|add|modify|delete|whoami|passwd)|mosquitto_(?:pub|sub)|zip|7z|unzip)\b"
        r"[^\n|;&]*?\s-[NPwp][ \t]*[\"']?([^\s\"'$<>/.-][^\s\"'<>]{3,})",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bnet[ \t]+use\b[^\n]*?/user:\S+[ \t]+[\"']?([^\s\"'/*$<>%][^\s\"'<>]{3,})",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bnet[ \t]+use[ \t]+(?:\w:|\*)[ \t]+\\\\\S+[ \t]+[\"']?([^\s\"'/*$<>%][^\s\"'<>]{3,})[\"']?[ \t]+/user:",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\b(?:net[ \t]+user|rabbitmqctl[ \t]+(?:add_user|change_password))[ \t]+[\w.-]+[ \t]+"
        r"[\"']?([^\s\"'/*$<>%-][^\s\"'<>]{3,})",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\becho[ \t]+[\"']?[\w.-]+:([^\s\"'$|<>]{4,})[\"']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd\b",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bsnmp(?:walk|get|getnext|bulkwalk|set|trap|inform|table|usm)\b[^\n|;&]*?\s-[AX][ \t]*"
        r"[\"']?([^\s\"'$<>-][^\s\"'<>]{3,})",
        is_made,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\bsmbclient\b[^\n|;]*?-U[ \t]*[\"']?[\w\\.@-]+%([^\s\"'$<>]{3,})",
        is_made,
        rank=PLACE,
    ),
)
