"""A telling name and the value behind it."""

# ruff: noqa: RUF001 - letters of other scripts are the subject

import pytest

from almanac.content.redaction import redact
from tests.unit.content.redaction.made_up import PASSWORD, TOKEN, made_up


@pytest.mark.parametrize(
    "form",
    [
        "password: {}",
        "password={}",
        'password = "{}"',
        "passwd='{}'",
        "PW:{} ID:ann",
        "ID:ann/PW:{}",
        "id/pw : ann/{}",
        "(pw:{})",
        "my password is {}",
        "my password `{}` is known",
        "the password for ann is {}",
        "DB_PASSWORD={}",
        "export PGPASSWORD={}",
        "ENV MYSQL_ROOT_PASSWORD {}",
        '{{"password": "{}"}}',
        '{{\\"password\\": \\"{}\\"}}',
        "<password>{}</password>",
        '<add key="Password" value="{}"/>',
        "- name: DB_PASSWORD\n  value: {}",
        "'password' => '{}',",
        "--password {}",
        "--password={}",
        "sshpass -p {} ssh a@b",
        "mysql -u root -p{} db",
        "postgres://ann:{}@db.example.org/x",
        "redis://:{}@localhost:6379",
        "jdbc:mysql://h/db?user=ann&password={}&x=1",
        "Server=h;User Id=sa;Password={};",
        "curl -u ann:{} https://h",
        "CREATE USER ann IDENTIFIED BY '{}';",
        "ALTER LOGIN ann WITH PASSWORD = '{}';",
        'password = os.environ.get("PASSWORD") or "{}"',
        'if (password !== "{}") {{',
        'val password: String = "{}"',
        '#define PASSWORD "{}"',
        'user.setPassword("{}")',
        "CREATE USER ann IDENTIFIED BY {};",
        'title="password: &quot;{}&quot;"',
        "password = '''{}",
        "비밀번호: {}",
        "密码：{}",
        "пароль: {}",
        "contraseña: {}",
        "ｐａｓｓｗｏｒｄ＝{}",
    ],
)
def test_a_password_behind_its_name_is_gone(form: str):
    assert PASSWORD not in redact(form.format(PASSWORD)).text


@pytest.mark.parametrize(
    "form",
    [
        "token: {}",
        'api_key = "{}"',
        'apiKey: "{}"',
        "X-Api-Key: {}",
        "Authorization: Bearer {}",
        "Authorization: token {}",
        "client_secret={}",
        "https://h/?access_token={}&page=2",
        "https://h/?key={}",
        "https://h/?next=%3Ftoken%3D{}%26page%3D2",
        "aws_secret_access_key = {}",
        'SECRET_KEY = "{}"',
        "my token is {}",
        'signing_secret: "{}"',
        'oauth_token="{}"',
        'headers.set("X-Api-Key", "{}")',
        'API_TOKEN = os.getenv("API_TOKEN", "{}")',
        '#define API_KEY "{}"',
        'const char* token = "{}";',
        "--token {}",
        "//registry.example.org/:_authToken={}",
    ],
)
def test_a_random_word_behind_a_telling_name_is_gone(form: str):
    assert TOKEN not in redact(form.format(TOKEN)).text


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "Pass `context.Context` as the first argument.",
        "pass 'http.StatusText' to it",
        "password=password",
        "password: string;",
        'password = os.environ["PASSWORD"]',
        'password = ""',
        'password = "********"',
        'api_key = "YOUR_API_KEY"',
        'api_key="your-api-key-here"',
        'token = "<token>"',
        "password: ${DB_PASSWORD}",
        "password: {{ vault_password }}",
        "password: [Redacted]",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "token = self.next_token(line2)",
        'key = "user_id"',
        "key: d41d8cd98f00b204e9800998ecf8427e",
        "the password is required",
        "password must be at least 8 characters",
        "token expired at 2024-01-01T00:00:00Z",
        "max_tokens: 4096",
        "#define PASSWORD 0x0badcafe1234",
        'PASSWORD_HASHER = "argon2id"',
        'token_type="bearer"',
        "key=lambda x: x[1]",
        "passengers: 12a34b56",
        "bypass=Route66b",
        "pwdump=n0NeKreD1x",
        "https://user:password@example.com",
        "secretName: tls-cert-2024",
        "basic understanding of authentication",
        "a password",
        "token:",
        "secret='",
    ],
)
def test_names_calls_words_and_placeholders_stay(text: str):
    assert redact(text).text == text


def test_a_secret_is_gone_from_everywhere_once_its_name_has_told_of_it():
    text = f"account:{PASSWORD} pw:{PASSWORD} and later {PASSWORD}"

    assert redact(text).text == "account:[REDACTED:password] pw:[REDACTED:password] and later [REDACTED:password]"


def test_only_the_value_is_taken():
    assert redact(f'login(user="ann", password="{PASSWORD}", retry=3)').text == (
        'login(user="ann", password="[REDACTED:password]", retry=3)'
    )


@pytest.mark.parametrize(
    "text",
    [
        "static const uint8_t AESKEY[] = {0x35, 0x34, 0x65, 0x9b, 0x1c, 0x2e, 0x17, 0x08};",
        "Secret: []byte{33, 9, 100, 114, 245, 164, 155, 217,225,26,0, 12}",
    ],
)
def test_a_key_as_a_list_of_bytes_is_gone(text: str):
    redacted = redact(text)

    assert "0x9b" not in redacted.text
    assert "155" not in redacted.text
    assert len(redacted.findings) == 1


def test_a_private_key_is_gone_whole_and_cut_short():
    lines = "\n".join(made_up(64, seed=seed) for seed in range(6))
    block = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + lines + "\n-----END RSA PRIVATE " + "KEY-----"

    assert redact(f"a\n{block}\nb").text == "a\n[REDACTED:private_key]\nb"
    assert lines[:64] not in redact(block[:200]).text
    assert redact(block.replace("\n", "\\n")).text == "[REDACTED:private_key]"


def test_a_private_key_that_only_shows_its_frame_stays():
    text = "-----BEGIN PRIVATE " + "KEY-----\n...\n-----END PRIVATE " + "KEY-----"

    assert redact(text).text == text


def test_a_basic_header_is_gone_where_it_holds_a_user_and_a_password():
    assert redact("Authorization: Basic YW5uOmhlbGxvMTIz").text == "Authorization: Basic [REDACTED:authorization]"
