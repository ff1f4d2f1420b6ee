"""A telling name and the value behind it."""

# ruff: noqa: RUF001 - letters of other scripts are the subject

import pytest

from almanac.content.redaction import redact
from tests.unit.content.redaction.made_up import PASSWORD, TOKEN, random_text


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
        "la contraseña es {}",
        "hasło: {}",
        "rootpw {}",
        "Password changed to {}",
        '<ns:password xsi:type="xsd:string">{}</ns:password>',
        'public string Password {{ get; set; }} = "{}";',
        'Dim pwd As String = "{}"',
        "password: !!str {}",
        "sqlplus scott/{}@db",
        "mysqladmin -u root password '{}'",
        'user::setPassword("{}")',
        "das Passwort von ann ist {}",
        "le mdp est {}",
        "- **Password:** `{}`",
        "| root | password | {} |",
        "hey, password's {}",
        "use '{}' as the root password",
        'password: String::from("{}"),',
        "http --auth ann:{} https://h",
        'User.objects.create_user("ann", "a@h", "{}")',
        'bcrypt.hashpw(b"{}", salt)',
        "Set-Variable -Name password -Value '{}'",
        "la contraseña del wifi es {}",
        "clave: {}",
        "Das Passwort lautet {}",
        "Kennwort: {}",
        "Passwort für den Server: {}",
        "mot de passe : {}",
        "Le mot de passe du serveur est {}",
        "login: ann / {}",
        "Zugang: ann / {}",
        "usuario: ann / {}",
        "log in as ann / {}",
        "jdbc:oracle:thin:scott/{}@h:1521/x",
        "htpasswd -b file ann {}",
        "echo '{}' | sudo -S reboot",
        "echo 'ann:{}' | chpasswd",
        "openssl rsa -passin pass:{} -in k.pem",
        "ssh-keygen -t rsa -N '{}'",
        "ldapsearch -D cn=ann -w {} -b dc=x",
        "net use z: \\\\h\\s /user:ann {}",
        "rabbitmqctl add_user ann {}",
        "requirepass {}",
        "EXEC sp_addlogin 'ann', '{}'",
        'mysqli_connect("h", "root", "{}", "db")',
        'smtp.login("ann@example.org", "{}")',
        'requests.get(url, auth=("ann", "{}"))',
        'props.setProperty("db.password", "{}");',
        'if (pass.equals("{}")) {{',
        "define('DB_PASSWORD', '{}');",
        "getenv('DB_PASSWORD') ?: '{}'",
        '<setting name="smtpPassword"><value>{}</value></setting>',
        "cy.get('#password').type('{}')",
        "fill_in 'Password', with: '{}'",
        'let password = r#"{}"#;',
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
        'sa.Column("password", nullable=False)',
        'models.CharField("Password", max_length=128)',
        'click.prompt("Password", hide_input=True, type=Int32)',
        '@click.option("--password", prompt=True, confirmation_prompt=True)',
        'parser.add_argument("--token", action=EnvDefault1, dest="token1")',
        'SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")',
        'KeyGenerator.getInstance("AES256")',
        "public_key_token=b77a5c561934e089",
        "PublicKeyToken=31bf3856ad364e35, Culture=neutral",
        'PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]',
        '"AWS::IAM::AccessKey": "72c2d9dd90025459"',
        "in pass mode the timeout to pass to httplib2",
        "pass `asn1Spec` to the decoder",
        'password.encode("utf-8")',
        'subprocess.run(["openssl", "-passout", "-aes256"])',
        "passValue('str1ng\\x00')",
        "def test_apple_formatting_from_literal_values(self):",
        "def test_interpolationsyntaxerrorinoptions(self):",
        '["Authorization", "CloudFront-Viewer-Country", "Host"]',
        "#define PUBLIC_OWN_PW_DEFAULTS 0X20000000ul",
        '"_mm256_sm4key4_epi32", "_mm256_sm4rnds4_epi32"',
        "password: Uint8Array;",
        "the key is identified by 'code'",
        "--- PASS: TestOutputWithSubtest/sub_test (0.00s)",
        "PASS: tests/test_session1.py (1.2s)",
        "specify either username/password OR privateKey/passphrase, since these pairings are complete",
        "# To account for verbatim / LaTeX-like / and R-like areas",
        "password: change-your-database-password",
        'secret = "ClusterName3"',
        '_PassArg.environment: "environment",',
        '"PasswordLastUsed": "2016-09-08T21:47:36Z",',
        "await read.password('Password:', creds.password)",
        'Token.Name.Builtin.Clef: "bold #08547A",',
        "passwd:x:1000:1000::/home/ann:/bin/bash",
        "user: ann, role2",
        "key = node.children[0].children[0].children[0]",
        "#define xmlSecCryptoAppKeyCertLoad   xmlSecNssAppKeyCertLoad",
        "Let time pass: `wait(days=3)` moves the clock.",
        "Cloud API v1beta4-rev20220310-1.32.1 (com.example:api)",
        "('user', 'password', 'localhost:8022')",
        "if !s.ReadUint16LengthPrefixed(&extensions) {",
        "credentials: Credentials | Iterable[Credentials2] | None = None",
        "authorization = base64.decodebytes(authorization)",
        "('Binary Authorization', k8s_util.GetBinAuthzPolicy(record))",
        "'Authorization': self._basic_creds2.Get()",
        "key_sizes = frozenset([40, 56, 64, 80, 128, 160, 192, 256])",
        "elif token in [19, 23, 21, 25, 29, 27, 30, 32, 34, 35]:",
        "private_key: ed25519.Ed25519PrivateKey,",
        "token_uri=oauth2client_4_0.GOOGLE_TOKEN_URI,",
        "key = self._lib.NID_pbe_WithSHA1And3_Key_TripleDES_CBC",
        "FSDiscriminatorPass P = FSDiscriminatorPass::Pass1)",
        "int X509V3_set_issuer_pkey(X509V3_CTX *ctx, EVP_PKEY *pkey);",
        "machine {hostname} login token password {auth_token}",
        "the type of resource identified by `resource_identifier`",
        "login: 2024-01-01 / 10:30",
        "the password is required",
        "its password is token2, and the other one is user1",
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


@pytest.mark.parametrize("name", ["my password", "the passphrase", "our wifi password", "your pin"])
@pytest.mark.parametrize(
    "said",
    [
        *("is weak", "is lousy", "is required", "is garbage", "is toast", "is kaputt", "is next", "is upstairs"),
        *("is case sensitive", "is four random words", "is fine, all lowercase", "is set to expire", "is crooked"),
    ],
)
def test_what_people_say_of_a_password_in_plain_words_stays(name: str, said: str):
    assert redact(f"{name} {said}").text == f"{name} {said}"


def test_a_secret_is_gone_from_everywhere_once_its_name_has_told_of_it():
    text = f"account:{PASSWORD} pw:{PASSWORD} and later {PASSWORD}"

    assert redact(text).text == "account:[REDACTED:password] pw:[REDACTED:password] and later [REDACTED:password]"


def test_a_word_taken_for_a_password_stays_in_the_names_of_code():
    text = 'zf.setpassword(b"unicode")\ndef test_unicode_names(): ...\nopen("unicode")\n'

    assert redact(text).text.count("unicode") == 1
    assert "test_unicode_names" in redact(text).text


def test_only_the_value_is_taken():
    assert redact(f'login(user="ann", password="{PASSWORD}", retry=3)').text == (
        'login(user="ann", password="[REDACTED:password]", retry=3)'
    )


def test_a_google_key_is_gone_from_prose_and_code():
    key = "AIza" + random_text(35)
    for text in (f"ann sent me {key} yesterday", f'x = "{key}"', f"maps: {key}"):
        assert key not in redact(text).text


@pytest.mark.parametrize("value", ["Winter24", "kTzpQwXbVs", "ethae3477x", "Garden947_", "chocolate!", "Kv7$mmZq"])
def test_what_people_make_up_is_gone_where_settings_are_written(value: str):
    for form in (
        "DB_PASSWORD={}",
        "password: {}",
        "Server=h;Password={};",
        "x?user=ann&password={}&y=1",
        "a: 1\npassword: {}\nb: 2\n",
    ):
        assert value not in redact(form.format(value)).text


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("DB_PASSWORD={}", "copper-lantern-candle-orbit"),
        ('"password": "{}"', "copper-lantern-candle-orbit"),
        ("the password is {}", "copper-lantern-candle-orbit"),
        ("my password is {} and his is not", "hunter2secret"),
        ("Das Passwort lautet {}.", "katze7user"),
        ("tool --password {}", "candleRiver25"),
        ('webhook_secret: "{}"', "Harbor9369!"),
        ("private_token={}", "Copper3410*"),
        ("IDENTIFIED BY '{}'", "Wppbrn4izI+ZmQuf/TzWzbBPr0iK9is"),
        ("ansible_become_pass={}", "/bhvM5lHLlXDZP92vj5uPuyLP367UCnl"),
        (r"net use Z: \\srv\x {} /user:ann", "02o4a82td%IUM"),
    ],
)
def test_passwords_of_words_signs_and_numbers_are_gone_where_only_passwords_stand(form: str, value: str):
    assert value not in redact(form.format(value)).text


@pytest.mark.parametrize("name", ["api_key", "client_secret", "SECRET_KEY", "bot_token"])
def test_letters_in_no_order_are_gone_behind_a_telling_name(name: str):
    value = "lQzhPraXvzzoSwlJYTweBaEy"
    assert value not in redact(f'{name} = "{value}"').text
    assert redact(f'{name} = "{name}FromTheEnvironment"').text == f'{name} = "{name}FromTheEnvironment"'


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
    lines = "\n".join(random_text(64, seed=seed) for seed in range(6))
    block = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + lines + "\n-----END RSA PRIVATE " + "KEY-----"

    assert redact(f"a\n{block}\nb").text == "a\n[REDACTED:private_key]\nb"
    assert lines[:64] not in redact(block[:200]).text
    assert redact(block.replace("\n", "\\n")).text == "[REDACTED:private_key]"


def test_a_private_key_that_only_shows_its_frame_stays():
    text = "-----BEGIN PRIVATE " + "KEY-----\n...\n-----END PRIVATE " + "KEY-----"

    assert redact(text).text == text


def test_a_basic_header_is_gone_where_it_holds_a_user_and_a_password():
    assert redact("Authorization: Basic YW5uOmhlbGxvMTIz").text == "Authorization: Basic [REDACTED:authorization]"


@pytest.mark.parametrize("quote", ['"', "'", "`"])
def test_an_escaped_quote_does_not_end_a_value(quote: str):
    value = f"{PASSWORD}\\{quote}{random_text(8)}"

    assert redact(f"password = {quote}{value}{quote}; x").text == f"password = {quote}[REDACTED:password]{quote}; x"


def test_a_quote_behind_an_escaped_backslash_ends_a_value():
    text = f'password = "{PASSWORD}\\\\"; user = "ann"'

    assert redact(text).text == 'password = "[REDACTED:password]"; user = "ann"'


@pytest.mark.parametrize(
    "form",
    [
        "clé secrète : {}",
        "la clé API est {}",
        "jeton d'accès : {}",
        "clave secreta: {}",
        "der API-Schlüssel ist {}",
        "Zugriffsschluessel: {}",
        "Geheimnis: {}",
    ],
)
def test_a_key_behind_its_name_in_other_languages_is_gone(form: str):
    secret = random_text(40)
    assert secret not in redact(form.format(secret)).text


@pytest.mark.parametrize(
    "form",
    [
        'variable "db_password" {{\n  type    = string\n  default = "{}"\n}}',
        'DriverManager.getConnection(url, "sa", "{}")',
        "snmpwalk -v3 -u ann -A {} host",
    ],
)
def test_a_password_where_a_language_or_command_puts_it_is_gone(form: str):
    assert PASSWORD not in redact(form.format(PASSWORD)).text


@pytest.mark.parametrize(
    "text",
    [
        'parser.add_argument("--password", required=True, help="of the database")',
        'form.add("password", RepeatedType.class)',
        'setProperty("password", base64Value1)',
        'builder.set_password("password", blank=True, unique=True)',
        'variable "db_password" {\n  type = string\n  default = "password"\n}',
        'DriverManager.getConnection(url, "sa", "password")',
        '"ARN": "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestSecret-a1b2c3",',
        '"KeyArn": "arn:aws:payment-cryptography:us-west-2:111122223333:key/pboipdfzd4mdklya"',
        'SecretArn="arn:aws:secretsmanager:us-west-2:123456789123:secret:secretName-1234f",IAMAuth="DISABLED"',
        "Authorization: AWS4-HMAC-SHA256 Credential=mock_access_key/20220524/us-east-1/s3/aws4_request, Signed=a",
        '"NextToken": "9f4d9f69-275a-41fe-b58e-2b837bd9ba48", "next_page_token": "CAUQAA7kY2Lm4Rz9Qp"',
        "aws acm list-certificates --starting-token 9f4d9f69-275a-41fe-b58e-2b837bd9ba48",
        "apt\tlogin\t1:4.13+dfsg1-1+deb12u1\napt\tpasswd\t1:4.13+dfsg1-1+deb12u1",
        "f({password:e,passwordVerification:t}){super({start(){Object.assign(this,e)}})}",
        "x={password:O,passwordCheck:m&&P&&p>>>8&255,b:1}",
        "Das Geheimnis guter Pasta ist Salzwasser, der Schlüssel ist Geduld.",
        "mnemonic: a word or a phrase that helps one remember something which is otherwise hard to keep in mind",
    ],
)
def test_arguments_behind_a_quoted_name_and_prose_about_keys_stay(text: str):
    assert redact(text).text == text
