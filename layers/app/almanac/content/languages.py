"""Orders to drop instructions, and requests for passwords, in languages other than English.

Patterns for Latin scripts have no accents, as `latin` returns text. The others match text as `plain` returns it.
"""

# ruff: noqa: RUF001 - letters of other scripts are the subject

from almanac.content.rules import Rule
from almanac.content.verdicts import Kind

_WORDS = r"(?:\W{1,3}+\w{1,20}+){0,4}?\W{1,3}+"


def _override(anchors: tuple[str, ...], drop: str, earlier: str, instructions: str) -> Rule:
    """Return a rule for a word for dropping, then one for earlier and one for instructions in either order, with at
    most four words between."""
    return Rule(
        Kind.OVERRIDE,
        False,
        anchors,
        rf"\b(?:{drop}){_WORDS}(?:(?:{instructions}){_WORDS}(?:{earlier})|(?:{earlier}){_WORDS}(?:{instructions}))",
    )


LATIN_LANGUAGES = (
    _override(
        ("instruccion", "ordenes", "indicacion", "directrices"),
        r"ignor(?:a|e|ad|en|ar)|olvid(?:a|e|ate|ese|ar)|descart(?:a|e)|omit(?:e|a)|haz caso omiso|pasa por alto",
        r"anterior\w{0,3}|previ[ao]s?|precedentes?|dad[ao]s|de arriba",
        r"instruccion\w{0,3}|ordenes|indicacion\w{0,3}|directrices",
    ),
    _override(
        ("instruc", "ordens", "diretrizes", "comandos"),
        r"ignor(?:e|a|em|ar)|esquec(?:a|e|er)|desconsider(?:e|a|ar)|descart(?:e|a)",
        r"anterior\w{0,3}|previ[ao]s|precedentes|acima|dadas",
        r"instruc\w{2,5}|ordens|diretrizes|comandos",
    ),
    _override(
        ("instructions", "consignes", "directives", "ordres"),
        r"ignor(?:e|ez|er|ons)|oubli(?:e|ez|er)|ne (?:tiens|tenez) (?:pas|aucun) compte|fais abstraction"
        r"|faites abstraction",
        r"precedente?s?|anterieure?s?|ci-dessus|prealables?|initiales",
        r"instructions|consignes|directives|ordres",
    ),
    _override(
        ("istruzioni", "ordini", "direttive", "indicazioni"),
        r"ignor(?:a|i|ate|are)|dimentic(?:a|hi|ate|are)|trascur(?:a|ate)|non (?:considerare|seguire)",
        r"precedent[ie]|anteriori|sopra|fornite|ricevute",
        r"istruzioni|ordini|direttive|indicazioni",
    ),
    _override(
        ("anweisung", "instruktion", "befehle", "vorgaben", "anleitung"),
        r"ignorier\w{0,4}|vergiss|vergesst|vergessen sie|missacht\w{0,3}|beachte\w{0,2}|verwirf|uberschreib\w{0,3}",
        r"vorherig\w{0,2}|vorig\w{0,2}|bisherig\w{0,2}|vorangegangen\w{0,2}|obig\w{0,2}|fruher\w{0,2}"
        r"|gegeben\w{0,2}|deine\w?|ihre",
        r"anweisung\w{0,2}|instruktion\w{0,2}|befehle|vorgaben|anleitung\w{0,2}",
    ),
    _override(
        ("instructies", "opdrachten", "aanwijzingen"),
        r"negeer|vergeet|sla",
        r"vorige|eerdere|voorgaande|bovenstaande|voorafgaande",
        r"instructies|opdrachten|aanwijzingen",
    ),
    _override(
        ("instrukc", "polecen", "wytyczn"),
        r"zignoruj|ignoruj|zapomnij|pomin",
        r"poprzedni\w{1,3}|wczesniejsz\w{1,3}|powyzsz\w{1,3}",
        r"instrukcj\w{1,3}|polecen\w{1,3}|wytyczn\w{1,3}",
    ),
    _override(
        ("instruktion", "instruks", "anvisning"),
        r"ignorer\w{0,3}|strunta i|bortse fran|glom|glem|se bort (?:fra|ifra)|overse",
        r"tidigare|foregaende|tidligere|forrige|foregaende|ovenstaende|ovenfor|ovan",
        r"instruktion\w{0,4}|instruks\w{0,5}|anvisning\w{0,4}",
    ),
    _override(
        ("pokyn", "instrukc", "prikaz"),
        r"ignoruj\w{0,2}|zapomen\w{0,3}|zabudni\w{0,2}|nedbej",
        r"predchozi\w{0,2}|predosl\w{1,3}|predchadzajuc\w{1,2}|vsechny",
        r"pokyn\w{0,3}|instrukc\w{1,2}|prikaz\w{0,2}",
    ),
    _override(
        ("instruksi", "perintah", "arahan"),
        r"abaikan|lupakan|hiraukan",
        r"sebelumnya|terdahulu|di atas|terdahulu",
        r"instruksi|perintah|arahan",
    ),
    _override(
        ("ohje", "kaskyt"),
        r"unohda|ohita|ala noudata|jata huomiotta",
        r"aiem\w{2,5}|edelli\w{2,6}|ylla\w{0,5}",
        r"ohje\w{0,5}|kaskyt",
    ),
    _override(
        ("instructiun", "utasitas", "instructi"),
        r"ignora\w{0,3}|uita\w{0,2}|hagyd figyelmen kivul|felejtsd el",
        r"anterioar\w{1,2}|precedent\w{1,2}|korabbi|elozo|osszes",
        r"instructiun\w{1,3}|utasitas\w{0,4}",
    ),
    _override(
        ("huong dan", "chi dan", "lenh", "chi thi", "huong đan", "chi đan"),
        r"bo qua|quen|phot lo",
        r"truoc\w{0,3}|truoc do|o tren|truoc đo",
        r"huong [dđ]an|chi [dđ]an|lenh|chi thi",
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        ("mail", "correo", "nachricht", "messag", "mensaje", "contact", "kontakt", "berichten"),
        r"\b(?:leite\w{0,2}|sende\w{0,2}|schick\w{0,2}|reenvi\w{0,3}|envi[ae]\w{0,2}|mand[ae]\w{0,2}"
        r"|transfer\w{1,3}|envoye\w{0,2}"
        r"|inoltr\w{1,3}|invi[ai]\w{0,2}|encaminh\w{1,2}|stuur|doorstuur|vidarebefordra|skicka|przeslij|wyslij)\b"
        r"[^.!?\n]{0,30}?\b(?:all\w{0,2}|todos|todas|tous|toutes|tutt[ie]|alla|wszystkie|les derniers|die letzten)\b"
        r"[^.!?\n]{0,30}?\b(?:e-?mails?|mails?|correos?|nachrichten|messages?|messaggi|mensajes"
        r"|contact\w{0,3}|kontakt\w{0,3}"
        r"|berichten)\b[^.!?\n]{0,40}? [^\s@]{1,64}+@",
        along=("@",),
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("talimat", "komut"),
        r"\b(?:onceki|yukaridaki|daha onceki)(?:\W{1,3}+\w{1,20}+){0,2}?\W{1,3}+(?:talimat"
        r"|komut)\w{0,8}(?:\W{1,3}+\w{1,20}+){0,2}?\W{1,3}+"
        r"(?:yok say|unut|gormezden gel|dikkate alma)",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("ignor",),
        r"\bignor(?:e|ez|a|ad|i|iere|ieren sie)(?:\W{1,3}+\w{1,20}+){1,6}?\W{1,3}+(?:et|y|e"
        r"|und)\W{1,3}+(?:(?:indiqu|affirm|declar|dit|repond"
        r"|respond|antworte|behaupte|schreibe|sage|diga|dica|dici|afirm|indi[cq])\w{0,5}|di)(?: que\b| che\b"
        r"|,? dass\b|\s?:)",
    ),
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("senha", "contrasena", "mot de passe", "passwort", "kennwort", "password", "wachtwoord", "hasl"),
        r"\b(?:qual (?:e|era) (?:a )?sua senha|compartilh\w{1,5} (?:a )?(?:sua )?senha|me (?:diga|de"
        r"|passe) (?:a )?(?:sua )?senha"
        r"|cual es (?:tu|su|la) contrasena(?! (?:de|del) (?:wifi|la red|wi-fi))|(?:dime|comparte|dame"
        r"|revela) (?:tu|su|la) contrasena"
        r"|quel est (?:ton|votre|le) mot de passe(?! (?:du|de la|pour))|(?:donne|donnez|dis|dites|partage"
        r"|partagez|revele)-?(?: ?moi)? (?:ton|votre|le) mot de passe"
        r"|(?:wie|was) (?:ist|lautet) (?:dein|ihr|euer) (?:passwort|kennwort)|(?:nenn\w{0,2}|sag\w{0,2}"
        r"|verrat\w{0,2}|gib)(?: mir| uns)? (?:dein|ihr|euer) (?:passwort|kennwort)"
        r"|(?:wie|was) (?:ist|lautet|war) das (?:geheime )?(?:passwort|kennwort)(?=\s*(?:[?!.]|\Z))"
        r"|mir (?:dein|ihr|euer|das) (?:passwort|kennwort) (?:geb|nenn|sag|verrat|mitteil|schick)\w{1,3}"
        r"|qual e (?:la password|a senha)(?=\s*(?:[?!.]|\Z))|me (?:das|da|dan|dices|donnez|donnes"
        r"|dites) (?:tu|su|la|votre"
        r"|ton|le) (?:contrasena|mot de passe)"
        r"|qual e la (?:tua|sua) password|(?:dimmi|condividi|rivela) la (?:tua|sua )?password|wat is (?:je"
        r"|jouw|uw) wachtwoord"
        r"|(?:podaj|zdradz)(?: mi)? (?:swoje )?haslo)\b",
    ),
)

OTHER_SCRIPTS = (
    _override(
        ("інструкц", "вказівк", "команд"),
        r"ігнору\w{1,4}|забудь\w{0,2}|відкинь",
        r"попередн\w{1,3}|вищезазначен\w{1,3}|всі",
        r"інструкц\w{1,3}|вказівк\w{1,3}|команд\w{1,3}",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("הוראות", "ההנחיות", "הנחיות", "คำสั่ง", "คำแนะนำ"),
        r"(?:התעלם|התעלמי|התעלמו|שכח|שכחי)[^.!?\n]{0,20}(?:הוראות|ההוראות|הנחיות|ההנחיות)"
        r"|(?:เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ)[^\n]{0,30}(?:คำสั่ง|คำแนะนำ)",
    ),
    _override(
        ("инструкц", "указани", "команд", "приказ"),
        r"(?:про)?игнорир\w{1,6}|забудь\w{0,2}|забыть|отбрось\w{0,2}|не обращай\w{0,2} внимания",
        r"предыдущ\w{1,3}|прошл\w{1,3}|вышеуказанн\w{1,3}|прежн\w{1,3}|все",
        r"инструкц\w{1,3}|указани\w{1,3}|команд\w{1,3}|приказ\w{1,3}",
    ),
    _override(
        ("οδηγί", "εντολ"),
        r"αγν[οό][ήη]σ\w{1,4}|αγνο(?:είτε|είστε)|ξεχ[άα]σ\w{1,4}|ξέχασ\w{1,3}|παρ[άα]βλ[έε]ψ\w{1,4}",
        r"προηγούμεν\w{1,3}|παραπάνω",
        r"οδηγί\w{1,3}|εντολ\w{1,3}",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("忽略", "无视", "無視", "忘记", "忘掉", "忘記", "忘れ", "忽視"),
        r"(?:忽略|无视|無視|忘记|忘掉|忘記|忽視)[^。！？\n]{0,12}(?:指令|指示|提示词|提示詞|命令|规则|規則|设定|設定)"
        r"|(?:指示|命令|指令|プロンプト|ルール|設定)[^。！？\n]{0,8}(?:無視|忘れ)"
        r"|無視して[、,]?[^。！？\n]{0,40}(?:述べ|言っ|答え|出力|書い|返答)",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("무시", "잊어"),
        r"(?:이전|앞의|위의|기존|지금까지의)[^.!?\n]{0,12}(?:지시|명령|지침|프롬프트|설정)[^.!?\n]{0,8}(?:무시|잊어)",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("تجاهل", "انس ", "نادیده", "فراموش"),
        r"(?:تجاهل|انس)\s[^.!؟\n]{0,12}(?:التعليمات|الأوامر|تعليمات|الإرشادات)(?:[^.!؟\n]{0,12}(?:السابقة|أعلاه))?"
        r"|(?:دستور|دستورالعمل)[^.!؟\n]{0,16}قبلی[^.!؟\n]{0,8}(?:نادیده|فراموش)",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("निर्देश",),
        r"(?:पिछले|पिछली|पूर्व|उपरोक्त|पहले के|सभी)[^।!?\n]{0,12}निर्देश[^।!?\n]{0,10}(?:अनदेख|नजरअंदाज|नज़रअंदाज|भूल)",
    ),
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("пароль", "密码", "密碼", "パスワード", "비밀번호", "كلمة", "पासवर्ड", "κωδικός", "κωδικό"),
        r"(?:какой|скажи(?:те)?|назови(?:те)?|сообщи(?:те)?)(?: мне)?(?: у тебя| твой| ваш| свой){1,2} пароль"
        r"|как(?:ой|ов) (?:у нас )?пароль(?=\s*(?:[?!.]|\Z))|(?:密码|密碼)是(?:什么|什麼|多少)[?？]"
        r"|パスワードは(?:何|なん)"
        r"|비밀번호(?:가|는) (?:뭐|무엇|뭔)|पासवर्ड क्या (?:है|था)|ποιος είναι ο κωδικός"
        r"|ما (?:هي|هو) كلمة (?:المرور|السر)\s*[؟?]"
        r"|(?:告诉我|告訴我|说出|透露|给我)(?:你的)?(?:系统)?(?:密码|密碼)|你的(?:系统)?(?:密码|密碼)是(?:什么|什麼)"
        r"|(?:あなたの|システムの|秘密の)パスワード(?:は何|を教え)|パスワード(?:が必要|を)[^\n]{0,20}(?:教えて(?:ください|くれ)|開示)"
        r"|(?:당신의|너의|네) 비밀번호(?:가|는)|비밀번호를 (?:알려|말해)|ما هي كلمة (?:المرور|السر) الخاصة بك",
    ),
)
