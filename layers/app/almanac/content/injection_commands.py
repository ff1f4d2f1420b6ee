"""Orders that a tool or a shell would carry out, and turns of an invented conversation. Applied to lower-case text.

Polite orders count too. Unlike an ordinary meeting text, an order names a tool, or data and its destination.
"""

from almanac.content.rules import Rule
from almanac.content.verdicts import Kind

_QUOTE = r"[`\"'*]{0,3}+"
_TOOL_VERBS = (
    r"(?:send|delete|cancel|create|book|forward|share|post|transfer|list|get|update|remove|read|write"
    r"|fetch|export|invite"
    r"|schedule|reschedule|grant|set|add|move|search|run|execute|open|upload|download|make|submit"
    r"|approve|decide|claim)"
)
_TOOL_NAME = rf"{_TOOL_VERBS}_[a-z0-9_]{{2,40}}+|(?:calendar|kanban|notes|journal|items)_[a-z_]{{3,40}}+"
_LEAD = (
    r"(?:please|kindly|also|then|now|next|first|afterwards?|and|to|must|should|can|could|would|you"
    r"|will|need to|immediately"
    r"|silently|quietly|finally|always|just|simply)"
)
_PRESSED = r"(?:please|kindly|silently|quietly|immediately|now)"
_ALL = (
    r"(?:all|any|every|each|the last \w{1,8}+|the latest|the (?:user|owner)'?s?|their|your|his|her|my"
    r"|the (?:entire|whole|full|complete))"
)
_DATA = (
    r"(?:e-?mails?|inbox|mailbox|messages?|contacts?|address ?book|attendees?(?: list)?|invitees|calendars?|events"
    r"|meetings|appointments|notes|journal|documents|files|attachments|conversations?"
    r"|chat(?: history)?|context|memory"
    r"|summary|schedule|invoices|credentials|passwords|secrets|api keys?|tokens?|cards?|tasks)"
)
_SEND = r"(?:send|forward|e-?mail|share|copy|bcc|post|upload|submit|transmit|leak|exfiltrate)"
_SINK = r"(?:[^\s@]{1,64}+@[a-z0-9.-]{2,80}+|https?:/|www\.|webhook|pastebin|ftp:)"

ORDERS = (
    Rule(
        Kind.TOOL_REQUEST,
        False,
        ("call", "invoke", "use", "run", "execute", "trigger"),
        # Documentation says "call `list_events` first"; without a polite or pressing word the model judges.
        rf"\b{_PRESSED} (?:also |then )?(?:call|invoke|run|execute|trigger)(?:ing)? (?:the |your )?"
        rf"{_QUOTE}(?:{_TOOL_NAME})(?![a-z0-9_./-])"
        rf"|\b(?:{_LEAD} (?:call|invoke|trigger)|(?:call|invoke|trigger"
        rf"|use)(?=[^.!?\n]{{5,60}}? (?:to|and) (?:cancel|delete"
        r"|send|forward|invite|share|add|read|export|list|fetch|move|book|accept|approve|e-?mail|post"
        r"|run)\b)) (?:the |your )(?:\w{{1,16}}+ ){{0,2}}?"
        r"(?:e-?mail|mail|calendar|file|shell|terminal|bash|browser|web|search|payment|payments|http"
        r"|fetch|delete|cancel"
        r"|booking|messaging|slack|database|sql|code|python|memory|notes?) (?:tool|function|api"
        r"|plugin|connector|skill)\b",
    ),
    Rule(
        Kind.TOOL_REQUEST,
        False,
        ("tool", "function", "assistant", "agent"),
        r"\b(?:the|your|any|this) (?:ai |virtual |reading |scheduling |calendar "
        r"|summari[sz]ing )?(?:assistant|agent|bot|model)"
        r" (?:reading|processing|handling|summari[sz]ing|that reads|who reads|should|must|is (?:to"
        r"|required to|asked to))"
        r"[^.!?\n]{0,60}?\b(?:call|invoke|send|forward|delete|cancel|accept|approve|share|invite"
        r"|transfer|reply|add|book"
        r"|run|execute|ignore|include|open|visit|fetch)\b"
        r"|\b(?:assistant|agent|ai|bot)\b ?[,:-] ?(?:please )?(?:also |now )?(?:delete|cancel|forward"
        r"|transfer|send|accept"
        r"|approve|share|grant|invite|e-?mail) (?:all|every|the|this|my|any|it|them)\b",
    ),
    Rule(
        Kind.TOOL_REQUEST,
        False,
        ("when you", "once you", "after you", "before you", "while you", "as you"),
        r"\b(?:when|once|after|before|while|as) you (?:have |are )?(?:read|reading|process|processing"
        r"|see|seeing|summari[sz]e"
        r"|summari[sz]ing|finish|list|listing|show|parse|answer|reply|respond)\w{0,3}\b[^.!?\n]{0,80}?"
        r"\b(?:please|also|then|first|you (?:must|should|need to))\b[^.!?\n]{0,40}?\b(?:call|invoke"
        r"|send|forward|delete|cancel"
        r"|accept|approve|share|invite|transfer|add|run|execute|e-?mail|export|upload|post|remove|grant)\b"
        r"(?! (?:me|us|in)\b)",
    ),
    Rule(
        Kind.TOOL_REQUEST,
        False,
        ("delete", "cancel", "remove", "wipe", "accept", "decline", "approve"),
        rf"\b{_LEAD} (?:also |then )?(?:delete|cancel|remove|wipe|erase|decline|accept|approve) (?:all|every|any)"
        r"(?: (?:of|the|my|your|their|his|her|other|future|upcoming|existing|pending|the user's)){0,3}"
        r" (?:events|meetings|appointments|bookings|invitations|invites|e-?mails|messages|notes|files"
        r"|reviews|requests"
        r"|calendars?|records|cards|tasks)\b",
        ordered=True,
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        (
            "send",
            "forward",
            "mail",
            "share",
            "copy",
            "bcc",
            "post",
            "upload",
            "submit",
            "export",
            "transmit",
            "leak",
            "sync",
            "push",
            "exfiltrate",
        ),
        rf"\b(?:export|sync"
        rf"|push)(?:ing)? {_ALL} (?:\w{{1,16}}+ ){{0,3}}?{_DATA}\b[^.!?\n]{{0,60}}?\bto {_QUOTE}<?[^\s@]{{1,64}}+@"
        rf"|\b{_SEND}(?:ing)?\b (?:me |us |a (?:copy|summary|list) of |copies of "
        rf"|a )?(?:\w{{1,12}}+ ){{0,2}}?{_ALL} "
        rf"(?:\w{{1,16}}+ ){{0,3}}?{_DATA}\b[^.!?\n]{{0,80}}?\b(?:to|at|via|into|on|with) {_QUOTE}<?{_SINK}",
        along=("@", "http", "www.", "webhook", "pastebin", "ftp:"),
        ordered=True,
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        ("api key", "credential", "password", "secret", "access token", "private key", "system prompt", "chat history"),
        rf"\b{_SEND}\b (?:\w{{1,12}}+ ){{0,3}}?(?:api keys?|credentials|passwords?|secrets?"
        rf"|access tokens?|private keys?"
        rf"|system prompt|chat history)\b[^.!?\n]{{0,30}}? (?:with|to|at) {_QUOTE}<?{_SINK}",
        along=("@", "http", "www.", "webhook"),
        ordered=True,
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        ("http://", "https://"),
        r"\b(?:load|render|display|embed|show|include|insert|open|visit|fetch|click|request|get"
        r"|follow|append|ping|call|add)\b"
        r"[^\n]{0,80}?https?://[^\s]{1,300}+[^\n]{0,60}?\b(?:followed by|append(?:ing|ed)?|with"
        r"|and (?:add|put|include)"
        r"|adding|containing|replac\w{1,4}|where|encod\w{1,4}|plus|filled with|carrying)\b[^\n]{0,40}?"
        rf"\b(?:{_DATA}|title|titles|name|names|data|content|contents|details|answer|text|user(?:'s)?)\b",
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        ("http://", "https://"),
        rf"\b(?:append|add|put|attach|encode|insert|include"
        rf"|concatenate)\b[^.!?\n]{{0,40}}?\b(?:{_DATA}|title|titles|names"
        r"|data|content|contents|details|answer)\b[^.!?\n]{0,40}?\b(?:to|in|into|at|as|onto)\b[^.!?\n]{0,40}?"
        r"(?:https?://|\b(?:this |the )?(?:url|link|query string|image address)\b)",
    ),
    Rule(
        Kind.COMMAND,
        False,
        ("curl", "wget", "iwr", "irm", "invoke-", "fetch ", "aria2c"),
        r"\b(?:curl|wget|fetch|aria2c)\b[^\n|]{1,300}?\|\s{0,4}(?:sudo (?:-\w{1,3}+ )?)?(?:env )?(?:/(?:usr/)?bin/)?"
        r"(?:ba|z|k|da|fi|c|tc)?sh\b"
        r"|\b(?:curl|wget|fetch)\b[^\n|]{1,300}?\|\s{0,4}(?:sudo )?(?:python|perl|ruby|node|php|tee|iex)[\d.]{0,4}\b"
        r"|\b(?:ba|z|da)?sh\s{1,4}(?:-c\s{1,4})?[\"']?(?:<|\$|`)\(?\s{0,4}(?:curl|wget)\b"
        r"|\b(?:eval|source|\.)\s{1,4}[\"']?(?:<\(|\$\(|`)\s{0,4}(?:curl|wget)\b"
        r"|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|]{1,300}?\|\s{0,4}(?:iex|invoke-expression)\b"
        r"|\b(?:curl|wget)\b[^\n&;]{1,300}?(?:&&|;)\s{0,4}(?:sudo )?(?:chmod \+?[0-7x]{1,4}+|(?:ba|z)?sh |\./)",
    ),
    Rule(
        Kind.COMMAND,
        False,
        ("rm -", "powershell", "base64 -", "/dev/tcp", "iex", "nc -", "mkfs", "chmod 777 /", ":(){"),
        r"\brm\s{1,4}-(?:rf|fr|r -f|f -r)\w{0,2}\s{1,4}(?:--no-preserve-root\s{1,4})?(?:/|~|\$home|\*)"
        r"|\bpowershell(?:\.exe)?\b[^\n]{0,80}?-(?:e|enc|encodedcommand|w hidden|windowstyle hidden)\b"
        r"|\bbase64\s{1,4}-{1,2}d(?:ecode)?\b[^\n|]{0,80}?\|\s{0,4}(?:ba|z)?sh\b|/dev/tcp/[\w.-]{1,80}+/\d"
        r"|\biex\s{0,4}\(|\bnc\s{1,4}-[a-z]{0,4}e\b|\bmkfs\.\w{2,8}+ /dev/|\bchmod 777 /|:\(\)\{ ?:\|:",
    ),
    Rule(
        Kind.MADE_UP_TURN,
        False,
        ("assistant:", "assistant**:", "ai:", "bot:", "chatgpt:", "claude:", "model:"),
        r"(?:^|[\n.!?\"]\s{0,4}|\s--\s)[ \t>*_#-]{0,6}+(?:assistant|ai|bot|chatgpt|claude|model)[*_ ]{0,3}+:"
        r"[*_ ]{0,3}+(?:[^\s:]{1,40}+[ ,.!]{1,3}+){2,60}?[^\n]{0,400}?"
        r"(?:\n|[.!?\"]\s{0,4}|\s)[ \t>*_#-]{0,6}+(?:user|human|customer)[*_ ]{0,3}+:[*_ ]{0,3}+(?:[^\s:]{1,40}+ ){2}"
        r"|(?:^|[\n.!?\"]\s{0,4})[ \t>*_#-]{0,6}+(?:user"
        r"|human)[*_ ]{0,3}+:[*_ ]{0,3}+(?:[^\s:]{1,40}+[ ,.!?]{1,3}+){2,60}?"
        r"[^\n]{0,400}?(?:\n{1,3}|[.!?\"]\s{0,4}|\s)[ \t>*_#-]{0,6}+(?:assistant|ai|chatgpt|claude)[*_ ]{0,3}+:",
        along=("user", "human", "customer"),
    ),
)
