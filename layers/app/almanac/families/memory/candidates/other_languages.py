"""Regular expressions for plain statements in languages other than English.

The model of statements knows English only, so these forms are all that finds statements in other languages. They are
few and plain, and rather miss a sentence than match a remark. In Japanese and Korean the verb ends the sentence, so
their forms match the sentence from its start.
"""

# ruff: noqa: RUF001 - letters of other scripts are the subject

import re
from collections.abc import Mapping

from almanac.families.memory.candidates.records import CandidateKind

Table = Mapping[str, Mapping[CandidateKind, str]]
"""Forms by language and kind. Each line is a form of its own."""

OWN: Table = {
    "German": {
        "preference": r"""
            \bich (?:bevorzuge|(?:nutze|verwende|benutze) (?:immer|nie|lieber))\b
            \bmir (?:ist|sind|wäre|wären) .{3,80} lieber\b
            (?:^|[,;:] )bitte (?:immer|nie|niemals)\b
            """,
        "decision": r"\bich habe mich (?!.{0,80}\b(?:nicht|nie)\b).{1,120}\bentschieden\b",
    },
    "French": {
        "preference": r"""
            \bje (?:préfère|préférerais|n'utilise jamais|utilise toujours)\b
            \bj'aimerais mieux\b
            \b(?:s'il (?:te|vous) pla[iî]t|merci de),? (?:ne jamais|toujours)\b
            """,
        "decision": r"\bj'ai (?:enfin |finalement )?(?:décidé|choisi|opté) (?:de |d'|que |pour |la |le |les )",
    },
    "Spanish": {
        "preference": r"""
            \b(?:prefiero|preferiría)\b
            \bpor favor,? (?:nunca|siempre)\b
            \bsiempre uso\b
            """,
        "decision": r"\bhe (?:decidido|elegido) \w",
    },
    "Portuguese": {
        "preference": r"""
            \b(?:prefiro|preferiria)\b
            \bpor favor,? (?:nunca|sempre)\b
            \b(?:sempre|nunca) uso\b
            """,
    },
}
"""Forms in the Latin alphabet for people who speak of themselves."""

ANY: Table = {
    "German": {
        "decision": r"""
            \bwir haben (?!.{0,80}\b(?:nicht|nie)\b)(?:.{1,120} )?(?:entschieden|beschlossen|geeinigt|vereinbart)\b
            \bwir bleiben bei \w
            """,
        "convention": r"""
            \bwir (?:verwenden|nutzen|benutzen|schreiben|committen|benennen) (?:immer|nie|niemals|grundsätzlich|stets)\b
            \bper konvention\b
            \b(?:unsere|die) konvention (?:ist|lautet)\b
            (?:^|[,;:] )ab (?:jetzt|sofort) (?:immer|nie|nur|wird|werden|gilt|bitte)\b
            """,
        "constraint": r"""
            \b(?:darf|dürfen)\b.{0,60}\b(?:nie|niemals|auf keinen fall|unter keinen umständen)\b
            \b(?:muss|müssen)\b.{0,60}\b(?:immer|stets|unbedingt|zwingend)\b
            """,
    },
    "French": {
        "decision": r"""
            \b(?:nous avons|on a) (?:enfin )?(?:décidé|convenu|choisi|opté) (?:de |d'|que |pour |la |le |les )
            \b(?:on|nous) (?:part|partons|reste|restons) sur \w
            ^décision ?: \w
            """,
        "convention": r"""
            \b(?:nous|on) (?:n'|ne )?(?!avons\b|a\b|est\b)\w{3,20} (?:toujours|jamais)\b
            \bpar convention\b
            ^règle ?: \w
            (?:^|[,;:] )(?:à partir de maintenant|désormais|dorénavant),? \w
            ^(?:toujours|ne jamais) \w{2,20}(?:er|ir|re)\b
            """,
        "constraint": r"""
            \bne (?:doi(?:t|vent)|peu(?:t|vent)) (?:jamais|en aucun cas|surtout pas)\b
            \bil ne faut (?:jamais|en aucun cas|surtout pas)\b
            \bil faut (?:toujours|absolument|impérativement)\b
            \bdoi(?:t|vent) (?:toujours|absolument|impérativement|obligatoirement)\b
            \b(?:est|sont) (?:strictement )?interdite?s?\b
            """,
        "deadline": r"""
            \b(?:doi(?:t|vent)|faut|à (?:rendre|livrer|envoyer))\b.{0,80}\b(?:avant|d'ici|au plus tard) (?:le )?<DAY>
            \b(?:date limite|échéance)\b.{0,40}(?:est|:) (?:le )?<DAY>
            """,
    },
    "Spanish": {
        "decision": r"""
            \b(?:hemos (?:decidido|acordado|elegido)|decidimos|acordamos) \w
            \bnos quedamos con (?:el|la|los|las|un|una)\b
            ^decisión: \w
            """,
        "convention": r"""
            \b(?:siempre|nunca) (?:usamos|utilizamos|ponemos|escribimos|subimos|desplegamos|firmamos|guardamos)\b
            \b(?:usamos|utilizamos|ponemos|escribimos|guardamos) siempre\b
            \bpor convención\b
            ^regla: \w
            (?:^|[,;:] )(?:a partir de ahora|de ahora en adelante|desde ahora),? \w
            ^(?:usad?|usen?|pon|pongan|escribe|escriban|haz|hagan) siempre\b
            """,
        "constraint": r"""
            \b(?:nunca|jamás) (?:se )?(?:debe|deben|puede|pueden)\b
            \bno (?:se )?(?:debe|deben|puede|pueden)\b.{0,60}\b(?:nunca|jamás|bajo ningún|en ningún caso)\b
            \bsiempre (?:debe|deben|tiene que|tienen que|hay que)\b
            \b(?:debe|deben|hay que) \w{2,20} siempre\b
            \b(?:está|están|queda|quedan) (?:terminantemente )?prohibid[oa]s?\b
            """,
        "deadline": r"""
            \b(?:tiene|tienen|hay|debe|deben)\b.{0,80}\b(?:antes del?|para el|a más tardar|como muy tarde) (?:el )?<DAY>
            \b(?:entregar|enviar|presentar)\b.{0,80}\b(?:antes del?|a más tardar|como muy tarde) (?:el )?<DAY>
            \b(?:fecha límite|plazo)\b.{0,40}(?:es|termina|vence|:) (?:el )?<DAY>
            """,
    },
    "Portuguese": {
        "decision": r"""
            \b(?:decidimos|combinamos|optamos por|resolvemos) \w
            \b(?:ficou|está) (?:decidido|combinado|acertado)(?: que|:)
            \bvamos ficar com (?:o|a|os|as|um|uma)\b
            ^decisão: \w
            """,
        "convention": r"""
            \b(?:sempre|nunca) (?:usamos|utilizamos|colocamos|escrevemos|publicamos|guardamos|assinamos)\b
            \b(?:usamos|utilizamos|escrevemos|guardamos) sempre\b
            \bpor convenção\b
            ^regra: \w
            (?:^|[,;:] )(?:a partir de agora|daqui para (?:a )?frente|de agora em diante),? \w
            ^(?:use|usem|coloque|coloquem|escreva|escrevam) sempre\b
            """,
        "constraint": r"""
            \b(?:nunca|jamais) (?:se )?(?:deve|devem|pode|podem)\b
            \bnão (?:se )?(?:deve|devem|pode|podem)\b.{0,60}\b(?:nunca|jamais|em hipótese alguma|de jeito nenhum)\b
            \b(?:deve|devem) (?:sempre|obrigatoriamente)\b
            \b(?:tem|têm) que \w{2,20} sempre\b
            \b(?:é|está|são|estão) (?:terminantemente )?proibid[oa]s?\b
            """,
        "deadline": r"""
            \b(?:tem|têm|precisa|precisam|deve|devem)\b.{0,80}\b(?:até|antes d[eao]|no máximo) (?:a |o |à )?<DAY>
            \b(?:entregar|enviar|terminar)\b.{0,80}\b(?:até|no máximo) (?:a |o |à )?<DAY>
            \b(?:o prazo|data limite)\b.{0,40}(?:é|termina|vence|acaba|:) (?:n?[ao] |em )?<DAY>
            """,
    },
}
"""Forms in the Latin alphabet for every speaker."""

SCRIPTS: Table = {
    "Japanese": {
        "preference": r"""
            ^.{2,120}?(?:ほうが|方が)(?:好き|好み|いいです|良いです)
            ^.{2,120}?(?:を好みます|が好みです)
            """,
        "decision": r"""
            ^.{2,160}?(?:に決めました|に決めた(?![いらの])|に決定しました|に決定です|でいきます|でいきましょう)
            ^.{2,160}?(?:ことにしました|ことに決まりました|ことになりました|を採用します|を採用しました)
            ^(?!(?:それ|これ|あれ|そう|そちら|こちら))[^、。]{2,80}?にします(?:。|$)
            ^決定[:：].{2}
            """,
        "convention": r"""
            ^.{0,80}?(?:必ず|常に|毎回|今後は).{1,80}?(?:します|してください|すること|しましょう)
            ^.{0,80}?(?:必ず|常に|毎回|今後は).{1,80}?(?:使い|書き|付け|入れ)ます
            ^.{0,80}?(?:必ず|常に|毎回|今後は).{1,80}?(?:使って|書いて|付けて|入れて)ください
            """,
        "constraint": r"""
            ^(?!.{0,40}(?:心配|気に|遠慮|無理|忘れ)).{0,80}?(?:絶対に|決して|一切).{1,80}?(?:ないで|しません|ないこと)
            ^.{2,120}?(?:てはいけません|てはいけない|てはなりません|てはならない|は禁止です|を禁止します)
            """,
        "deadline": r"""
            ^.{0,80}?(?:\d|曜日?|明日|今週|来週|今月|来月|月末|週末).{0,12}?までに.{1,60}?(?:提出|送|出し|完成|納品)
            ^.{0,80}?(?:\d|曜日?|明日|今週|来週|今月|来月|月末|週末).{0,12}?までに.{1,60}?(?:終え|終わらせ|仕上げ)
            ^.{0,80}?(?:締め?切り?|〆切|期限|納期)は.{0,20}?(?:\d|曜|明日|今週|来週|今月|来月|月末)
            """,
    },
    "Korean": {
        "preference": r"^.{2,120}?(?:선호합니다|선호해요|선호한다|더 좋아합니다|더 좋아해요|더 좋아한다)",
        "decision": r"""
            ^(?!(?:그렇게|이렇게|그걸로) )(?!.{0,100}(?:아직|않|못)).{2,120}?기로 (?:했|결정했|정했|합의했)
            ^(?!.{0,100}(?:아직|않|못)).{2,120}?로 (?:결정했|정했|결정됐|확정했)(?:습니다|어요|다|음)
            ^결정 ?: .{2}
            """,
        "convention": r"""
            ^.{0,80}?(?:항상|반드시|무조건|매번|앞으로는?) .{1,80}?(?:합니다|하세요|해 ?주세요|하십시오)
            ^.{0,80}?(?:항상|반드시|무조건|매번|앞으로는?) .{1,80}?(?:씁니다|쓰세요|붙입니다|해야)
            """,
        "constraint": r"""
            ^.{0,80}?절대(?:로)? .{1,80}?(?:마세요|마십시오|말 것|안 ?됩니다|안 ?돼요|안 ?된다|금지|않습니다)
            ^(?!.{0,60}걱정).{2,120}?면 안 ?(?:됩니다|돼요|된다)
            ^.{2,120}?금지(?:입니다|합니다|예요)
            """,
        "deadline": r"""
            ^.{0,80}?(?:\d|요일|내일|이번 주|다음 주|월말).{0,8}?까지 .{0,60}?(?:해야|제출|보내|끝내|완료)
            ^.{0,80}?(?:마감일?|기한)(?:은|이|:) .{0,20}?(?:\d|요일|내일|이번 주|다음 주|월말)
            """,
    },
    "Arabic": {
        "preference": r"""
            \b(?:أفضّل|أُفضّل)\b
            \bأنا أفضل\b
            ^أفضل (?:أن|عدم|استخدام)\b
            """,
        "decision": r"(?:^|\s)و?(?:قررنا|قرّرنا|اتفقنا|اعتمدنا|سنعتمد|اخترنا)\s\w",
        "convention": r"""
            \b(?:نستخدم|استخدم|استخدموا|نكتب|اكتب|اكتبوا|نراجع|راجع|نضع|ضع|نحفظ|احفظ)\b.{0,80}\bدائم[ًا]{1,3}
            \bدائم[ًا]{1,3}\s(?:نستخدم|استخدم|استخدموا|نكتب|اكتب|نراجع|راجع|نضع|ضع|نحفظ|احفظ)\b
            \bمن الآن فصاعد
            """,
        "constraint": r"""
            \bيجب (?:أن (?!أ)|ألا|عدم|على)
            \bلا يجوز\b
            \b(?:ممنوع|يُمنع|لا يُسمح)\b
            (?:^|\s)لا (?:ت|ن|ي)\w{2,20}\b.{0,60}\b(?:أبد|إطلاق|مطلق)[ًا]{1,3}
            """,
        "deadline": r"""
            \b(?:يجب|نسلم|نسلّم|تسليم|سلّم|سلم|أرسل|إرسال|إنهاء)\b.{0,80}\b(?:قبل|بحلول|في موعد أقصاه)\b
            \b(?:الموعد النهائي|آخر موعد|المهلة)\b.{0,40}(?:هو|يوم|:|\d)
            """,
    },
}
"""Forms in other scripts. They show less clearly who speaks, so they apply to people only."""

UNCERTAIN: Mapping[str, str] = {
    "German": r"""
        \b(?:vielleicht|eventuell|würden?|könnten?|angeblich|hieß es)\b
        \bfalls (?:ich|du|er|sie|es|wir|ihr|man|jemand|niemand|d(?:er|ie|as|en|em)|(?:dies|k?ein|mein|unser)\w*)\b
        \bfalls (?:nötig|möglich|nicht)\b
        ^(?:wenn|ob)[ ]
        """,
    "French": r"""
        \b(?:peut-être|probablement|pourrai(?:t|ent)|pourrions|devrai(?:t|ent)|devrions)\b
        \b(?:dit|disent|paraît|écrit) (?:que|qu')
        ^(?:si|est-ce|est-ce que)[ ]
        \bsi (?:on|nous)[ ]
        """,
    "Spanish": r"""
        \b(?:quizás?|tal vez|a lo mejor|podríamos|deberíamos|dijo que|dicen que|según)\b
        ^(?:¿|si )
        """,
    "Portuguese": r"""
        \b(?:talvez|poderíamos|deveríamos|será que|disse que|dizem que|ouvi dizer)\b
        ^se[ ]
        """,
    "Japanese": r"""
        ^もし
        たぶん|多分|おそらく|かもしれ|でしょうか|らしい|とのこと|によると|」と|と言って
        (?:です|ます|ません|した)か(?:。|$)
        (?:かな|そうです)(?:。|$)
        """,
    "Korean": r"""
        ^(?:만약|만일|혹시|아마)
        (?:까요|나요|습니까|인가요|을까|할까|대요)\W*$
        (?:다|라)고 (?:합니다|해요|했|하더|들었|말)
        것 같
        """,
    "Arabic": r"""
        ^(?:لو|إذا|هل|إن)\s
        \b(?:ربما|لعل|قال|قالت|يقول|سمعت|بحسب)\b
        """,
}
"""Questions, suppositions and reports by language."""

_DAYS = """
lundi mardi mercredi jeudi vendredi samedi dimanche demain lunes martes miércoles jueves viernes sábado domingo mañana
segunda terça quarta quinta sexta amanhã dia fin final fim
"""
_DAY = rf"(?:{'|'.join(_DAYS.split())}|la fin|\d)"


def pattern_of(lines: str) -> re.Pattern[str]:
    """Return a pattern that matches what one of the lines matches. `<DAY>` stands for a day in a Romance language."""
    forms = [line.lstrip() for line in lines.replace("<DAY>", _DAY).splitlines()]
    return re.compile("|".join(form for form in forms if form), re.IGNORECASE)


def forms_of(table: Table) -> tuple[tuple[CandidateKind, re.Pattern[str]], ...]:
    """Return the forms of a table, one pattern for each language and kind."""
    return tuple((kind, pattern_of(lines)) for kinds in table.values() for kind, lines in kinds.items())
