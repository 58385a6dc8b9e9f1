"""Words by which a sentence of the user is weighed (`sentence_score`), in the seven languages that we hear orders in.

Data only. Each list is a plain group of function words: they say how somebody speaks, not what about. A word that is
common in English and means something else there is in no other language's list. Chinese and Japanese put no space
between words, so theirs are looked for anywhere in the sentence.
"""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# How a sentence begins that takes something back or wonders at it.
OPENINGS = _listed(
    "no nah nope wait w8 why actually but hmm hm stop hold not nein halt moment warum eigentlich aber non attends "
    "pourquoi mais espera espere porque pero não nao espere mas"
)
NEGATIONS = _listed(
    "no not never don't dont doesn't doesnt didn't didnt can't cant won't wont shouldn't isn't aren't wasn't without "
    "stop avoid nothing none instead nicht nie niemals kein keine keinen ohne statt ne pas jamais sans aucun aucune "
    "nunca jamás sin ningún ninguna não nao sem nenhum nenhuma"
)
DUTIES = _listed(
    "should must need needs have has always every each only prefer want wanted like supposed ought shall required rule "
    "rules soll sollte sollten muss müssen immer jede jeder jedes nur lieber möchte doit devons faut toujours chaque "
    "seulement préfère veux debe debes debemos siempre cada solo prefiero quiero deve devemos sempre apenas prefiro "
    "quero"
)
YOU = _listed(
    "you your you're you've yours u you'll you'd du dein deine ihr sie tu ton vous votre tú usted tus você voce seu sua"
)
WE = _listed(
    "we our we're we've us we'll i my i'm i've me mine i'd i'll let's lets wir unser unsere ich mein meine mich nous "
    "notre je mon moi nosotros nuestro nuestra yo mi nós nosso nossa eu meu minha"
)
NOTES = _listed(
    "note notes noted document documented documentation docs doc remember memory instructions instruction todo readme "
    "write record rules guideline guidelines notiz notiere merke regel anleitung noter retiens règle consigne anota "
    "recuerda regla instrucciones anote lembre regra instruções"
)
WIDE = {  # the same without spaces, by group
    "openings": ("不", "等等", "为什么", "但", "いや", "違", "待って", "なぜ", "でも"),
    "negations": ("不", "别", "別", "没", "勿", "ない", "ません", "ないで"),
    "duties": ("必须", "必須", "应该", "應該", "总是", "每次", "只", "べき", "必ず", "いつも", "毎回", "ください"),
    "you": ("你", "您", "あなた"),
    "we": ("我", "私", "僕", "俺"),
    "notes": ("记", "記", "文档", "规则", "規則", "メモ", "ルール", "ドキュメント"),
}
