"""The words with which people ask to remember, to keep to something from now on, and to forget, by language.

Data only; `requests` reads it. A pattern sees one sentence in lower case, without accents, with quotations and code in
it replaced by one sign, full-width signs by plain ones and dashes by the long one. Lines that begin with two spaces go
on with the pattern above them.

    P          one thing that may politely stand before an order; <P> is the beginning of the sentence without them
    C          the beginning of any clause
    question   a sentence that is a question even without its mark
    remember   a pattern that counts in a statement; with `?` behind the name in a question too, for "could you
               remember that …?" is an order. The same for `standing` and `forget`
    V, W, X    verbs of working, a list: <V> in a pattern is a word of it. Lists, because a pattern that spells out all
               of its verbs takes milliseconds to compile, and a hook has not many
    others     parts that patterns name in angle brackets: "from now on" in its spellings

Where it was in doubt: "remember to run the tests" counts, for the word itself was said; "don't forget to run the tests"
does not, it is about the task at hand. An "always" or "never" counts with a verb of working ("never push"), not with
what code does ("always returns", "must never be stale").
"""

from __future__ import annotations

# Stems of which each order holds one, in each of their spellings: first those of remembering and forgetting, then those
# of standing orders. They decide what an ordinary prompt costs, so a stem
# that other languages hold in the middle of a word has its space.
_STEMS = {
    "en": (
        "remember|remeber|rember|rememebr|remmember|forget|note |note:|notes|future|next time|memory|memori|"
        "in mind|for later| down|unlearn",
        "future|always|never|now on|going f|henceforth|from here|this point|every time|each time|whenever|"
        "any time|anytime| ever|new rule|another rule|house rule|team rule|project rule|hereafter|no more|"
        "as of today|as of now|from today|starting now|starting today|starting immed|effective |circumstance|"
        "in doubt|unsure|upcoming|subsequent|moving forward|no case|no point|before each|before every|after each|"
        "after every| again",
    ),
    "de": (
        "merk|vergiss|vergess|notier|notiz| denk|behalt|dächtnis|dachtnis|daechtnis|speicher|zukunft|fürs|fuers|"
        "furs|schreib|erinner| halt|g dir|für später|notizen|nftig",
        "zukunft|immer| nie|ab jetzt|ab sofort|ab heute|von nun|von jetzt|nftig|fortan|jedes mal|jedesmal|"
        "neue regel|stets|ab nun|ab morgen|ab dieser|zweifel|keinen umst|weiteren|neuen| jede|jeder|jedem",
    ),
    "fr": (
        "souv|rappel|oubli|note|reteni|retien|garde|morise|moire|prochain|écris|ecris|plus tard|notes|futur",
        "prochain|toujours|jamais|sormais|navant|partir d|avenir|chaque fois|nouvelle r|compter d|futur|de doute|"
        "le doute|aucun |s maintenant",
    ),
    "es": (
        "recuerd|recuérd|record|acuér|acuer|acord|olvid|olvíd| nota |anota|anóta|apunt|apúnt|n cuenta|presente|"
        "en mente|memoria|memoriz|memoric|tus notas|futur|próxim|proxim|adelante|toma",
        "futur|siempre|nunca|jamás|jamas|ahora|adelante|cada vez|nueva regla|nueva norma|sucesivo|próxim|proxim|"
        "desde hoy|de hoy|la duda|de duda|ningun|ningún|basta de|este momento|de cada",
    ),
    "pt": (
        "lembr|record|esque| nota |anot|m mente|m conta|considera|memória|memoria|memoriz|futur|próxim|proxim|"
        "tuas notas|suas notas|tome nota|toma nota",
        "futur|próxim|proxim|sempre|antes de|depois de|nunca|jamais|agora|em diante|pra frente|a frente|doravante|"
        "toda vez|cada vez|nova regra|nova norma|hipótese|hipotese|dúvida|duvida|chega de|de hoje|nenhum|"
        "ste momento",
    ),
    "zh": (
        "记|記|忘|备|備|下次|下回|笔记|筆記",
        "以后|以後|今后|今後|往后|往後|从现在|從現在|从今|從今|从此|從此|永远|永遠|绝|絕|千万|千萬|再也|禁止|严禁|"
        "嚴禁|不准|不许|总是|總是|一定要|务必|必须|必須|每次|每当|每當|一律|始终|始終|新规|新規|新的规|统一|統一|"
        "不要再|别再|一直|任何|所有|未来|后续|都要",
    ),
    "ja": (
        "覚え|おぼえ|記憶|忘れ|メモ|念頭|頭に入れ|心に|次回|今後|ノート|書き留め|将来",
        "次回|今後|これから|以後|以降|次から|必ず|絶対|決して|常に|毎回|二度と|たびに|度に|ルール|禁止|厳禁|"
        "今日から|今から|な場合|なる場合|何があ",
    ),
}
CLUES = {language: tuple(tuple(stems.split("|")) for stems in both) for language, both in _STEMS.items()}
