"""Markup that stands for a turn, a tool call or the end of a prompt. Applied to lower-case text."""

from almanac.content.rules import Rule
from almanac.content.verdicts import Kind

_TURN = r"^[ \t>*_#\-]{0,6}+(?:the )?"

MARKERS = (
    Rule(
        Kind.ROLE_MARKER,
        True,
        ("<|", "|>", "[inst]", "[/inst]", "<<sys", "<</sys", "_of_turn>", "</s>", "<bos>", "<eos>"),
        r"<\|[a-z_]{2,40}+(?:\|>|:)|<\|?(?:im_start|im_end|endoftext|eot_id|end_header_id)\|?>|\[/?inst\]"
        r"|<</?sys>>|<(?:start|end)_of_turn>"
        r"|</s>\s*(?:<s>|\[|\Z)|<(?:bos|eos)>",
    ),
    Rule(
        Kind.ROLE_MARKER,
        True,
        ("tool", "function", "invoke", "antml:", "parameter name"),
        r"<\s*/?\s*(?:tool_?calls?|tool_?use|tool_?results?|tool_?responses?|tool_?outputs?|function_?calls?"
        r"|function_?results?"
        r"|function_?responses?|antml:[a-z_]{1,40}+)\b[^<>\n]{0,120}>"
        r"|<\s*/?\s*(?:invoke|parameter)\s+name\s*=|<function\s*=|\[/?tool_(?:calls?|results?)\]|\[available_tools\]"
        r"|\"?(?:tool_calls|function_call)\"\s*:\s*[\[{]",
    ),
    Rule(
        Kind.ROLE_MARKER,
        True,
        ("system", "sys>", "role"),
        r"<\s*/?\s*(?:system|sys|system[ _-](?:mode|message|prompt|override|instructions?|reminder|note))\s*/?>"
        r"|\[\s*/?\s*system(?:[ _-](?:mode|message|prompt|override|instructions?|note))\s*\]|^\s{0,4}+\[system\]"
        r"|[\"']role[\"']\s*:\s*[\"'](?:system|assistant|developer|tool)[\"']",
        along=("<", "[", "role"),
    ),
    Rule(
        Kind.ROLE_MARKER,
        False,
        ("system", "prompt", "instruction", "user", "untrusted", "assistant"),
        r"<\s*/?\s*(?:prompt|instructions?|user_?(?:input|query|message|prompt|data)|untrusted\w{0,20}+)\s*/?>"
        r"|\b(?:begin|start|end) of (?:the )?(?:system prompt|system message|user (?:input|query|prompt)"
        r"|untrusted (?:data|content|input|text))(?=\s{0,2}(?:[\]>=#:.\n-]|\Z))"
        r"|[-=#]{3,}+ ?(?:begin|start|end)(?: of)? (?:system|user|assistant) (?:prompt|message|input)",
        along=("<", " of ", "---", "===", "###"),
    ),
    Rule(
        Kind.ROLE_MARKER,
        False,
        ("system", "developer", "###"),
        rf"{_TURN}(?:system|developer)(?: (?:message|prompt|note|instructions?|override"
        rf"|update))?[*_ ]{{0,3}}+:[*_ ]{{0,3}}+(?:"
        r"you (?:are|must|will|should|can)(?: now| an?| the| only| not)\b"
        r"|(?:ignore|disregard|forget|override) (?:all|any|every|previous|prior|your|the (?:above|previous|user))"
        r"|(?:new|updated) (?:instructions?|rules?|directives?)|the user (?:has|is|wants|asked"
        r"|authori[sz]ed)\b|from now on|you must (?:forward|send|share|reveal|ignore|call|delete|cancel|transfer)\b)"
        r"|^\s{0,3}+#{2,4}\s?(?:system (?:prompt|message|instructions?)|human|assistant)\s{0,2}:",
    ),
    Rule(
        Kind.ROLE_MARKER,
        False,
        ("assistant:", "assistant :", "assistant**", "\nai:", "\nchatgpt:", "\nclaude:", "### response"),
        rf"{_TURN}(?:human|user)[*_ ]{{0,3}}+:[^\n]{{1,2000}}(?:\n[^\n]{{0,2000}}){{1,4}}?"
        rf"\n[ \t>*_#\-]{{0,6}}+(?:assistant|ai|chatgpt|claude)[*_ ]{{0,3}}+:"
        r"|^\s{0,3}+#{2,4}\s?instructions?\s{0,2}:[^#]{1,2000}\n\s{0,3}+#{2,4}\s?response\s{0,2}:",
    ),
)
