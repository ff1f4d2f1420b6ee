"""Test reading the formats of other programs."""

import json
from io import BytesIO
from typing import Any

import msgspec
import pytest

from almanac.composition.commands.memory_import import CONTENT_BYTES, TurnToImport
from almanac.kernel.errors import InvalidInput
from almanac.local.memory_import import chatgpt, claude_code, codex, own_lines
from tests.unit.local.memory_import.sources import (
    AT,
    AT_MS,
    Json,
    claude_line,
    codex_line,
    codex_message,
    codex_meta,
    conversation,
    message,
    turns,
    units,
)

CLAUDE = {"source": "claude-code", "cwd": "/work/shop", "git_branch": "main"}


def roles_and_texts(found: list[TurnToImport]) -> list[tuple[str, str]]:
    return [(turn.role, turn.content) for turn in found]


# Own lines


def test_a_line_of_our_own_has_the_fields_of_record_turn() -> None:
    line: Json = {
        "role": "user",
        "content": "Grüße, 世界",
        "session_id": "s1",
        "client_turn_id": "c1",
        "occurred_at": AT_MS,
        "tool": "cursor",
        "speaker": "Ann",
        "tags": ["a"],
        "metadata": {"n": 1},
    }
    assert turns(own_lines.read, line) == [msgspec.convert(line, TurnToImport)]


def test_a_line_without_an_id_is_known_by_itself() -> None:
    first, again, other = turns(own_lines.read, {"content": "a"}, {"content": "a"}, {"content": "b"})
    assert first.client_turn_id == again.client_turn_id != other.client_turn_id
    assert first.role == "event"


def test_when_it_occurred_may_be_a_timestamp() -> None:
    assert turns(own_lines.read, {"content": "a", "occurred_at": AT})[0].occurred_at == AT_MS


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"content": "a", "sesion_id": "typo"}, "sesion_id"),
        ({"content": " \n"}, "content is empty"),
        ({"role": "user"}, "content"),
        ({"content": 5}, "content"),
        ({"content": "a", "role": "robot"}, "role"),
        ({"content": "a", "occurred_at": "yesterday"}, "occurred_at"),
        ({"content": "a", "occurred_at": "2026-02-18T09:00:00"}, "occurred_at"),
        ([1, 2], "not a JSON object"),
        (b"{not json", "not JSON"),
        (b'"\xff\xfe"', "not JSON"),
        (b"[" * 5000 + b"]" * 5000, "not JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(line: Any, problem: str) -> None:
    first, bad, last = units(own_lines.read, {"content": "a"}, line, {"content": "b"})
    assert (len(first.turns), bad.turns, len(last.turns)) == (1, (), 1)
    assert bad.place == "line 2"
    assert problem in (bad.problem or "")


def test_empty_lines_and_a_byte_order_mark_are_passed_over() -> None:
    found = units(own_lines.read, b'\xef\xbb\xbf{"content": "a"}', b"", b"  ", {"content": "b"})
    assert [unit.place for unit in found] == ["line 1", "line 4"]
    assert not [unit for unit in found if unit.problem]


def test_a_content_that_is_too_long_is_cut_between_characters_and_says_so() -> None:
    (turn,) = turns(own_lines.read, {"content": "é" * CONTENT_BYTES + "a"})
    assert turn.content == "é" * (CONTENT_BYTES // 2)
    assert turn.metadata == {"cut_from_bytes": 2 * CONTENT_BYTES + 1}


def test_half_a_surrogate_pair_does_not_stop_the_import() -> None:
    found = units(own_lines.read, b'{"content": "a \\ud83d b"}', {"content": "b"})
    assert found[-1].turns[0].content == "b"
    assert all(turn.content.encode() for unit in found for turn in unit.turns)


# Claude Code


def test_what_user_and_assistant_said_to_claude_code_becomes_turns() -> None:
    found = turns(
        claude_code.read,
        claude_line("user", "Why does it fail?"),
        claude_line("assistant", [{"type": "text", "text": "The disk is full."}], uuid="u2"),
    )
    assert found == [
        TurnToImport(
            content="Why does it fail?",
            role="user",
            session_id="5c0f",
            client_turn_id="claude-code:u1",
            occurred_at=AT_MS,
            tool="claude-code",
            metadata=CLAUDE,
        ),
        TurnToImport(
            content="The disk is full.",
            role="assistant",
            session_id="5c0f",
            client_turn_id="claude-code:u2",
            occurred_at=AT_MS,
            tool="claude-code",
            metadata=CLAUDE,
        ),
    ]


def test_calls_and_results_of_tools_name_the_tool() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "df -h"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "100%"}]}
    found = turns(claude_code.read, claude_line("assistant", [call]), claude_line("user", [answer], uuid="u2"))
    assert roles_and_texts(found) == [("tool", 'Bash {"command":"df -h"}'), ("tool", "100%")]
    assert [turn.metadata["tool_name"] for turn in found] == ["Bash", "Bash"]


def test_several_blocks_of_one_message_are_turns_with_ids_of_their_own() -> None:
    blocks = [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    found = turns(claude_code.read, claude_line("assistant", blocks))
    assert roles_and_texts(found) == [("assistant", "a"), ("assistant", "b")]
    assert [turn.client_turn_id for turn in found] == ["claude-code:u1:1", "claude-code:u1:2"]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "summary", "summary": "A talk", "leafUuid": "u9"},
        {"type": "file-history-snapshot", "messageId": "m1", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "5c0f"},
        {"type": "system", "content": "compacted", "uuid": "u3", "sessionId": "5c0f"},
        claude_line("user", "Caveat", isMeta=True),
        claude_line("user", "This session is being continued …", isCompactSummary=True),
        claude_line("assistant", "API Error", isApiErrorMessage=True),
        claude_line("user", "<local-command-stdout>done</local-command-stdout>"),
        claude_line("user", [{"type": "text", "text": "<system-reminder>todo</system-reminder>"}]),
        claude_line("assistant", [{"type": "thinking", "thinking": "hm"}]),
        claude_line("user", "/clear"),
        claude_line("user", "<command-name>/clear</command-name>\n<command-message>clear</command-message>"),
        claude_line("user", "<command-message>review</command-message>\n<command-name>/review</command-name>"),
        claude_line("user", "<bash-input>ls</bash-input>"),
        claude_line("user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
        claude_line("user", " <system-reminder>one</system-reminder>\n<system-reminder>two</system-reminder>"),
        claude_line("user", [{"type": "text", "text": 5}, None, "x"]),
        {"unknown": True},
    ],
)
def test_what_nobody_said_to_claude_code_is_left_out(line: Any) -> None:
    (unit,) = units(claude_code.read, line)
    assert (unit.turns, unit.problem) == ((), None)


def test_reminders_leave_the_words_around_them() -> None:
    text = "Ship it on Friday.\n<system-reminder>\nThe todo list\nis empty.\n</system-reminder>"
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "12 passed<system-reminder>x</system-reminder>"}]
    found = turns(claude_code.read, claude_line("user", text), claude_line("user", result))
    assert [turn.content for turn in found] == ["Ship it on Friday.", "12 passed"]


def test_words_about_a_command_or_a_path_are_kept() -> None:
    words = ["Use /clear before the demo.", "/etc/hosts is wrong", "What does <system-reminder> mean?"]
    found = turns(claude_code.read, *(claude_line("user", text) for text in words))
    assert [turn.content for turn in found] == words


def test_terminal_codes_are_taken_out_of_every_format() -> None:
    coloured = "\x1b[1;31mFAILED\x1b[0m \x1b]0;zsh\x07tests\x1b[2K\x1b(B\x1b]8;;http://x\x1b\\ [1m stays"
    plain = "FAILED tests [1m stays"
    read = [
        *turns(claude_code.read, claude_line("user", coloured)),
        *turns(codex.read, codex_meta(), codex_message("user", coloured)),
        *talk(conversation("c", message("m", "user", coloured))),
    ]
    assert [turn.content for turn in read] == [plain] * 3


def test_an_image_is_said_to_be_one() -> None:
    picture = {"type": "image", "source": {"data": "aGk="}}
    claude = turns(
        claude_code.read,
        claude_line("user", [{"type": "text", "text": "Look:"}, picture]),
        claude_line("user", [{"type": "tool_result", "tool_use_id": "t", "content": [picture]}]),
    )
    assert [turn.content for turn in claude] == ["Look:", "[image]", "[image]"]
    parts = [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "What is it?"]
    [asked] = talk(conversation("c", message("m", "user", "", content={"parts": parts})))
    assert asked.content == "[image]\nWhat is it?"


def test_titles_of_sessions_are_kept() -> None:
    named = turns(
        claude_code.read,
        {"type": "summary", "summary": "Release plan", "leafUuid": "u9"},
        claude_line("user", "One"),
        {"type": "custom-title", "customTitle": "Release 2", "sessionId": "5c0f"},
        claude_line("user", "Two", uuid="u2"),
    )
    assert [turn.metadata["title"] for turn in named] == ["Release plan", "Release 2"]


def test_a_side_chain_is_talk_of_agents() -> None:
    (turn,) = turns(claude_code.read, claude_line("user", "Look for it.", isSidechain=True))
    assert (turn.role, turn.metadata["sidechain"]) == ("agent", True)


@pytest.mark.parametrize("line", [b"{", {"type": "user", "message": "text"}, {"type": 5}, [1]])
def test_a_bad_line_of_claude_code_is_named(line: Any) -> None:
    (unit,) = units(claude_code.read, line)
    assert unit.problem


# Codex


def test_what_was_said_to_codex_becomes_turns() -> None:
    call = {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"}
    answer = {"type": "function_call_output", "call_id": "c1", "output": "a.py"}
    found = turns(
        codex.read,
        codex_meta(),
        codex_message("user", "<environment_context>\n<cwd>/work</cwd></environment_context>"),
        codex_message("developer", "You are careful."),
        codex_message("user", "What is here?"),
        codex_line({"type": "user_message", "message": "What is here?"}, "event_msg"),
        codex_line({"type": "reasoning", "summary": [], "encrypted_content": "x"}),
        codex_line(call),
        codex_line(answer),
        codex_message("assistant", "One file."),
        codex_line({"model": "m"}, "turn_context"),
    )
    assert roles_and_texts(found) == [
        ("user", "What is here?"),
        ("tool", 'shell {"command":["ls"]}'),
        ("tool", "a.py"),
        ("assistant", "One file."),
    ]
    assert [turn.client_turn_id for turn in found] == [f"codex:0199-aa:{line}" for line in (4, 7, 8, 9)]
    assert {turn.session_id for turn in found} == {"0199-aa"}
    assert found[2].metadata == {"source": "codex", "tool_name": "shell", "cwd": "/work/shop"}
    assert found[0].occurred_at == AT_MS


def test_rollouts_of_earlier_versions_are_read_too() -> None:
    found = turns(
        codex.read,
        {"id": "old-1", "timestamp": AT, "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
    )
    assert roles_and_texts(found) == [("user", "Hello")]
    assert (found[0].session_id, found[0].occurred_at) == ("old-1", AT_MS)


def test_other_calls_of_codex_are_read() -> None:
    found = turns(
        codex.read,
        codex_meta(),
        codex_line({"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}),
        codex_line({"type": "custom_tool_call", "call_id": "d", "name": "apply_patch", "input": "*** Begin"}),
        codex_line({"type": "custom_tool_call_output", "call_id": "d", "output": {"content": "Done", "success": True}}),
        codex_line({"type": "function_call_output", "call_id": "e", "output": [{"type": "text", "text": "ok"}]}),
    )
    assert [turn.content for turn in found] == [
        'local_shell_call {"type":"exec","command":["ls"]}',
        "apply_patch *** Begin",
        "Done",
        "ok",
    ]


def test_a_fork_belongs_to_its_own_session() -> None:
    found = turns(codex.read, codex_meta("new"), codex_meta("old"), codex_message("user", "Hello"))
    assert found[0].session_id == "new"


# ChatGPT


def export(*conversations: Any) -> bytes:
    return json.dumps(list(conversations), ensure_ascii=False).encode()


def talk(*conversations: Any) -> list[TurnToImport]:
    found = (turn for unit in chatgpt.read(BytesIO(export(*conversations))) for turn in unit.turns)
    return [turn for turn in found if isinstance(turn, TurnToImport)]


def test_a_conversation_with_chatgpt_becomes_a_session() -> None:
    found = talk(conversation("c1", message("m1", "user", "Grüße"), message("m2", "assistant", "Hello")))
    assert roles_and_texts(found) == [("user", "Grüße"), ("assistant", "Hello")]
    assert found[0] == TurnToImport(
        content="Grüße",
        role="user",
        session_id="c1",
        client_turn_id="chatgpt:m1",
        occurred_at=AT_MS,
        tool="chatgpt",
        metadata={"source": "chatgpt", "title": "A talk"},
    )


def test_only_the_branch_that_is_shown_is_read() -> None:
    made = conversation("c1", message("m1", "user", "Question"), message("m2", "assistant", "Second answer"))
    other: Json = {"id": "x", "message": message("x", "assistant", "First answer"), "parent": "m1", "children": []}
    made["mapping"]["x"] = other
    assert [turn.content for turn in talk(made)] == ["Question", "Second answer"]


def test_a_circle_of_parents_ends() -> None:
    made = conversation("c1", message("m1", "user", "a"), message("m2", "assistant", "b"))
    made["mapping"]["m1"]["parent"] = "m2"
    assert [turn.content for turn in talk(made)] == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": ["a", "", "b"]}, "a\nb"),
        ({"content_type": "code", "language": "python", "text": "print(1)"}, "print(1)"),
        ({"content_type": "execution_output", "text": "1"}, "1"),
        ({"content_type": "multimodal_text", "parts": [{"asset_pointer": "f"}, "What is it?"]}, "What is it?"),
        ({"content_type": "multimodal_text", "parts": [{"content_type": "audio_transcription", "text": "Hi"}]}, "Hi"),
        ({"content_type": "tether_quote", "title": "t", "text": "quoted"}, "quoted"),
    ],
)
def test_texts_are_found_in_every_kind_of_content(content: Any, text: str) -> None:
    assert [turn.content for turn in talk(conversation("c", message("m", "tool", "", content=content)))] == [text]


@pytest.mark.parametrize(
    "one",
    [
        message("m", "system", ""),
        message("m", "user", "x", metadata={"is_visually_hidden_from_conversation": True}),
        message("m", "user", "x", content={"content_type": "user_editable_context", "user_profile": "x"}),
        message("m", "assistant", "x", content={"content_type": "thoughts", "thoughts": []}),
        message("m", "assistant", "x", content={"content_type": "text", "parts": [None, 5]}),
        message("m", "assistant", "x", content=None),
        message("m", "assistant", "x", author=None),
        message("m", "moderator", "x"),
    ],
)
def test_what_was_not_said_to_chatgpt_is_left_out(one: Any) -> None:
    assert talk(conversation("c", one)) == []


def test_what_the_model_says_to_a_tool_is_a_call() -> None:
    (turn,) = talk(conversation("c", message("m", "assistant", "print(1)", recipient="python")))
    assert (turn.role, turn.metadata["tool_name"]) == ("tool", "python")


def test_a_message_without_a_time_has_that_of_its_conversation() -> None:
    (turn,) = talk(conversation("c", message("m", "user", "x", create_time=None), create_time=12.5))
    assert turn.occurred_at == 12_500


def test_a_bad_conversation_is_named_and_the_others_are_read() -> None:
    good = conversation("c1", message("m1", "user", "a"))
    found = list(chatgpt.read(BytesIO(export(good, {"mapping": 5}, 7, "text, [with] {signs}", good))))
    assert [unit.place for unit in found if unit.problem] == ["conversation 2", "conversation 3", "conversation 4"]
    assert [len(unit.turns) for unit in found] == [1, 0, 0, 0, 1]


def test_an_export_that_ends_too_early_gives_what_is_there() -> None:
    cut = export(conversation("c1", message("m1", "user", "a")), conversation("c2", message("m2", "user", "b")))[:-40]
    first, last = chatgpt.read(BytesIO(cut))
    assert (len(first.turns), last.problem is not None) == (1, True)


@pytest.mark.parametrize("text", [b"", b"  ", b'{"a": 1}', b"hello"])
def test_a_file_without_a_list_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidInput, match="no list of conversations"):
        list(chatgpt.read(BytesIO(text)))
