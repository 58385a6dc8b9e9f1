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
        "remember|remeber|rember|rememebr|forget|note |note:|notes|future|next time|memory|memori|in mind|"
        "for later| down|unlearn|rmemb|remme|remembr|remenb|rembem|noting|save t|store t|record t|log this|"
        "log that|keep t|keep it|put this|put that|put it|stash t|file this|persist t|heads|so you know|"
        "that you know|for your info|remind yourself|learn this|learn that|learn from|lesson|for you to |"
        "up again|need this again|need that again|need it again|disregard|rule|instruction|preference|"
        "convention|guideline|what i |what we |everything|thing i|next session|another time",
        "future|always|never|now on|going f|henceforth|from here|this point|every time|each time|any time|"
        "anytime| ever|hereafter|no more|as of today|as of now|from today|starting now|starting today|"
        "starting immed|effective |circumstance|in doubt|unsure|upcoming|subsequent|moving forward|no case|"
        "no point|before each|after each| again|rule|default|unless|principle|convention|all cases|"
        "at all times|exception|for good|this repo|our repo|the repo|this project|our project|the project|"
        "codebase|code base|monorepo|our team|this team|the team|workspace|consistently|permanently|"
        "exclusively|systematically|strictly|religiously|stop |quit |cease|refrain|enough with|knock off|"
        "cut out|anymore|any longer|any more|next time|habit|get used|allowed to|permitted to|let's agree|"
        "lets agree|off limits|off-limits|banned|no-go|taboo|prefer|without asking|without my|without telling|"
        "without checking|without consult|ask me|ask us|check with me|consult me|don't want to see|any new|"
        "all new|every new|each new",
    ),
    "de": (
        "merk|vergiss|vergess|notier|notiz| denk|behalt|dächtnis|dachtnis|daechtnis|speicher|zukunft|fürs|"
        "fuers|furs|schreib|erinner| halt|g dir|für später|nftig|wissen|weißt|weisst|protokoll|festhalt|"
        "hinterleg|präg|praeg|prag|ohren|lektion|gelernt|lehre:|fest |fest,|fest:|regel|vorgabe|anweisung|"
        "vorliebe|konvention|memory|nächst|naechst|nachst|streich",
        "zukunft|immer| nie|ab jetzt|ab sofort|ab heute|von nun|von jetzt|nftig|fortan|jedes mal|jedesmal|"
        "stets|ab nun|ab morgen|ab dieser|zweifel|keinen umst|weiteren|neuen| jede|jeder|jedem|hör|hoer|mehr|"
        "regel|gilt|grundsätzlich|grundsaetzlich|grundsatzlich|ausschließ|ausschliess|durchgehend|generell|"
        "prinzipiell|konsequent|systematisch|standardmä|standardma|diesem repo|diesem projekt|im repo|"
        "im projekt|unserem|dieses projekt|dieses repo|bei uns|dem projekt|dem repo|nächste|naechste|nachste|"
        "keinen fall|tabu|finger weg|gewöhn|gewoehn|gewohn|anderes sage|anders sage|explizit|ausdrück|"
        "es sei denn|ohne mich|ohne rück|ohne vorher|ohne mein|ohne nachzu|ohne zu fragen|bevor du|bevorzug|"
        "lieber|ausnahm|nur noch|nichts",
    ),
    "fr": (
        "souv|rappel|oubli|note|reteni|retien|garde|morise|moire|prochain|écris|ecris|plus tard|futur",
        "prochain|toujours|jamais|sormais|navant|partir d|avenir|chaque fois|nouvelle r|compter d|futur|"
        "de doute|le doute|aucun |s maintenant",
    ),
    "es": (
        "recuerd|recuérd|record|acuér|acuer|acord|olvid|olvíd| nota |anota|anóta|apunt|apúnt|n cuenta|"
        "presente|en mente|memoria|memoriz|memoric|tus notas|futur|próxim|proxim|adelante|toma",
        "futur|siempre|nunca|jamás|jamas|ahora|adelante|cada vez|nueva regla|nueva norma|sucesivo|próxim|"
        "proxim|de hoy|la duda|de duda|ningun|ningún|basta de|este momento|de cada",
    ),
    "pt": (
        "lembr|record|esque| nota |anot|m mente|m conta|considera|memória|memoria|memoriz|futur|próxim|proxim|"
        "tuas notas|suas notas|tome nota|toma nota",
        "futur|próxim|proxim|sempre|antes de|depois de|nunca|jamais|agora|em diante|a frente|doravante|"
        "toda vez|cada vez|nova regra|nova norma|hipótese|hipotese|dúvida|duvida|chega de|de hoje|nenhum|"
        "ste momento",
    ),
    "zh": (
        "记|記|忘|备|備|下次|下回",
        "以后|以後|今后|今後|往后|往後|从现在|從現在|从今|從今|从此|從此|永远|永遠|绝|絕|千万|千萬|再也|禁止|"
        "严禁|嚴禁|不准|不许|总是|總是|一定要|务必|必须|必須|每次|每当|每當|一律|始终|始終|新规|新規|新的规|"
        "统一|統一|不要再|别再|一直|任何|所有|未来|后续|都要",
    ),
    "ja": (
        "覚え|おぼえ|記憶|忘れ|メモ|念頭|頭に入れ|心に|次回|今後|ノート|書き留め|将来",
        "次回|今後|これから|以後|以降|次から|必ず|絶対|決して|常に|毎回|二度と|たびに|度に|ルール|禁止|厳禁|"
        "今日から|今から|な場合|なる場合|何があ",
    ),
}
CLUES = {language: tuple(tuple(stems.split("|")) for stems in both) for language, both in _STEMS.items()}
