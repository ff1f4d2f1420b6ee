"""Test that plain statements in other languages are found, and that questions, suppositions and reports are not."""

import pytest

from almanac.families.memory.candidates.finder import find_statements
from tests.cpu_time import takes_under
from tests.unit.families.memory.candidates.test_finder import turn

STATEMENTS = (
    ("decision", "Ich habe mich für den roten Bus entschieden."),
    ("decision", "Wir bleiben bei Hafer für die Ponys."),
    ("constraint", "Die Ponys dürfen unter keinen Umständen auf die Straße."),
    ("constraint", "Das Tor muss nachts immer verriegelt sein."),
    ("decision", "Nous avons choisi la salle du port pour le bal."),
    ("decision", "On part sur du chêne pour la table."),
    ("convention", "On ne paie jamais en espèces."),
    ("convention", "Désormais, chaque facture porte un numéro."),
    ("preference", "Je préfère les réponses courtes."),
    ("constraint", "Les bougies ne doivent jamais rester allumées la nuit."),
    ("constraint", "Il est interdit de fumer dans l'atelier."),
    ("deadline", "Le devis doit partir avant vendredi."),
    ("decision", "Hemos acordado pintar la barca de verde."),
    ("decision", "Nos quedamos con la imprenta de Lugo."),
    ("convention", "Siempre guardamos las llaves en el cajón azul."),
    ("convention", "A partir de ahora, cada pedido lleva un número."),
    ("preference", "Prefiero las reuniones por la tarde."),
    ("constraint", "Nunca se debe dejar el horno encendido."),
    ("constraint", "Está prohibido entrar con zapatos."),
    ("deadline", "Hay que entregar el informe antes del viernes."),
    ("decision", "Decidimos alugar o barco pequeno."),
    ("decision", "Ficou decidido que a festa é no jardim."),
    ("convention", "Nunca usamos sal grosso na massa."),
    ("convention", "A partir de agora, cada caixa leva uma etiqueta."),
    ("preference", "Prefiro mensagens curtas."),
    ("constraint", "O forno nunca pode ficar ligado à noite."),
    ("constraint", "É proibido estacionar na frente do portão."),
    ("deadline", "O relatório precisa chegar até sexta."),
    ("decision", "会場は港のホールに決めました。"),
    ("decision", "来年から新しい窯を使うことにしました。"),
    ("convention", "領収書には必ず番号を付けてください。"),
    ("preference", "長い説明より短い返事のほうがいいです。"),
    ("constraint", "作業場で火を使ってはいけません。"),
    ("constraint", "鍵は絶対に外に置かないでください。"),
    ("deadline", "見積書は金曜日までに提出してください。"),
    ("deadline", "締め切りは11月20日です。"),
    ("decision", "우리는 작은 배를 빌리기로 했습니다."),
    ("decision", "행사 장소는 항구 회관으로 정했어요."),
    ("convention", "영수증에는 반드시 번호를 붙입니다."),
    ("preference", "저는 짧은 답변을 선호합니다."),
    ("constraint", "열쇠를 절대 밖에 두지 마세요."),
    ("constraint", "작업장에서 담배를 피우면 안 됩니다."),
    ("deadline", "견적서는 금요일까지 제출해야 합니다."),
    ("decision", "قررنا استئجار القارب الصغير."),
    ("decision", "اتفقنا على دهن الباب باللون الأخضر."),
    ("convention", "نضع المفاتيح في الدرج الأزرق دائمًا."),
    ("preference", "أنا أفضل الرسائل القصيرة."),
    ("constraint", "لا تترك الفرن مشتعلا في الليل أبدًا."),
    ("constraint", "يجب على الجميع توقيع القائمة."),
    ("deadline", "الموعد النهائي هو يوم الجمعة."),
)
REMARKS = (
    "Haben wir uns für den roten Bus entschieden?",
    "Vielleicht bleiben wir bei Hafer.",
    "Es hieß, das Tor müsse immer zu sein.",
    "Wenn wir bei Hafer bleiben, reicht das Geld.",
    "Wir haben gestern lange geschlafen.",
    "On part sur du chêne ?",
    "Peut-être qu'on reste sur du chêne.",
    "Si on part sur du chêne, il faut attendre.",
    "Il paraît qu'on ne paie jamais en espèces là-bas.",
    "On a toujours bien ri chez toi.",
    "Le train est parti avant midi.",
    "¿Hemos acordado pintar la barca?",
    "Quizás decidimos pintarla mañana.",
    "Si decidimos pintarla, compro pintura.",
    "Según Ana, siempre usamos sal.",
    "Nunca he estado en Lugo.",
    "Ayer llegamos tarde al puerto.",
    "Será que decidimos alugar o barco?",
    "Talvez optamos por um barco menor.",
    "Se decidimos alugar, ligo para ele.",
    "Ouvi dizer que é proibido estacionar ali.",
    "Nunca estive em Faro.",
    "Ontem choveu o dia inteiro.",
    "会場は港のホールに決めましたか。",
    "たぶん新しい窯にします。",
    "もし来年使うことにしましたら教えてください。",
    "彼は「火を使ってはいけません」と言っていました。",
    "心配しないでください。",
    "昨日は雨でした。",
    "まだ決めていません。",
    "작은 배를 빌리기로 했나요?",
    "만약 배를 빌리기로 했다면 알려 주세요.",
    "아직 정하지 않기로 했습니다.",
    "담배를 피우면 안 된다고 들었어요.",
    "걱정하면 안 돼요.",
    "어제는 비가 왔습니다.",
    "هل قررنا استئجار القارب؟",
    "ربما قررنا ذلك بسرعة.",
    "لو اتفقنا على اللون لكان أسهل.",
    "قال جارنا: يجب على الجميع الدفع.",
    "يجب أن أذهب الآن.",
    "كان الجو جميلا أمس.",
)


@pytest.mark.parametrize(("kind", "said"), STATEMENTS)
def test_a_plain_statement_is_found_as_it_is(kind: str, said: str) -> None:
    assert [(one.kind, one.content) for one in find_statements(turn(said))] == [(kind, said)]


@pytest.mark.parametrize("said", REMARKS)
def test_what_is_asked_supposed_or_reported_is_left(said: str) -> None:
    assert find_statements(turn(said)) == []


def test_the_german_word_for_if_is_none_in_english() -> None:
    assert find_statements(turn("We always close the shop when the temperature falls below zero."))
    assert find_statements(turn("Falls es regnet, wir haben beschlossen, in der Halle zu bleiben.")) == []
    assert find_statements(turn("Wir haben beschlossen, falls nötig in der Halle zu bleiben.")) == []


def test_two_decisions_of_one_form_are_two() -> None:
    ships, halls = find_statements(turn("작은 배를 빌리기로 했습니다. 행사는 항구에서 하기로 했습니다."))
    assert ships.digest != halls.digest


@pytest.mark.parametrize(
    "part",
    [
        "ないで絶対に",
        "기로 항상 ",
        "يجب أن لا ت",
        "no se debe ",
        "on ne ",
        "ことに",
        "até ",
        "doit ",
        "までに1",
        "まで 까지 ",
    ],
)
def test_no_text_takes_long(part: str) -> None:
    text = part * (60_000 // len(part))
    texts = [text, "\n".join([part * (300 // len(part))] * 200)]
    assert takes_under(1.5, lambda: [find_statements(turn(each)) for each in texts])
