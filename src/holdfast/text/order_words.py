"""The words with which people ask to remember, to keep to something from now on, and to forget, by language.

Data only: here the stems by which a sentence is let through to a language, in `order_words_en` and its neighbours the
patterns of each; `order_patterns` reads them. A pattern sees one sentence in lower case, without accents, with
quotations and code in it replaced by one sign, full-width signs by plain ones and dashes by the long one. Lines that
begin with two spaces go on with the pattern above them.

    P          one thing that may politely stand before an order; <P> is the beginning of the sentence without them
    C          the beginning of any clause
    question   a sentence that is a question even without its mark
    remember   a pattern that counts in a statement; with `?` behind the name in a question too, for "could you
               remember that …?" is an order. The same for `standing` and `forget`
    V, W, X    verbs of working, a list: <V> in a pattern is a word of it. Lists, because a pattern that spells out all
               of its verbs takes milliseconds to compile, and a hook has not many
    {a|b}      before a pattern: it is tried, and compiled, only where the sentence holds a or b. A guard keeps out
               nothing that its pattern would find; a test tries all patterns without
    others     parts that patterns name in angle brackets: "from now on" in its spellings

A pattern is a frame, not a sentence: what people remember with ("for next time", "keep in mind"), what a standing order
is about (commits, branches, tests: S), where it holds (this repository, by default, from now on), and beside it what
the same words say of code, so that "the list is always sorted" is none.

Where it was in doubt: "remember to run the tests" counts, for the word itself was said; "don't forget to run the tests"
does not, it is about the task at hand. An "always" or "never" counts with a verb of working ("never push"), not with
what code does ("always returns", "must never be stale").
"""

from __future__ import annotations

# Stems of which each order holds one, in each of their spellings: first those of remembering and forgetting, then those
# of standing orders. They decide what an ordinary prompt costs, so a stem that other languages hold in the middle of a
# word has its space.
_STEMS = {
    "en": (
        "remember|remeber|rember|rememebr|forget|note |note:|notes|future|next time|memory|memori|in mind|"
        "for later| down|unlearn|rmemb|remme|remembr|remenb|rembem|noting|save t|store t|record t|log this|"
        "log that|keep t|keep it|put this|put that|put it|stash t|file this|persist t|heads|so you know|"
        "that you know|for your info|remind yourself|learn this|learn that|learn from|lesson|for you to |"
        "up again|need this again|need that again|need it again|disregard|rule|instruction|preference|"
        "convention|guideline|what i |what we |everything|thing i|next session|another time|you'll want|"
        "you will want|you'll need|you will need|upcoming|somewhere",
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
        "all new|every new|each new|the rest of|once and for all|want you to|only in|only with|dare |"
        "even think|without talk|without discuss|without run|without a |without an |without ok|without perm|"
        "without appr",
    ),
    "de": (
        "merk|vergiss|vergess|notier|notiz| denk|behalt|dächtnis|dachtnis|daechtnis|speicher|zukunft|fürs|"
        "fuers|furs|schreib|erinner| halt|g dir|nftig|wissen|weißt|weisst|protokoll|festhalt|hinterleg|präg|"
        "praeg|prag|ohren|lektion|gelernt|lehre:|fest |fest,|fest:|regel|vorgabe|anweisung|vorliebe|"
        "konvention|memory|nächst|naechst|nachst|streich|zum nachschlagen|hinterkopf|im kopf|für spä|"
        "fuer spae|fur spa|für die n|spätere|spaetere|alles|du es nicht|achtung|vorsicht|obacht|erledigt",
        "zukunft|immer| nie|ab jetzt|ab sofort|ab heute|von nun|von jetzt|nftig|fortan|jedes mal|jedesmal|"
        "stets|ab nun|ab morgen|ab dieser|zweifel|weiteren|neuen| jede|jeder|jedem|hör|hoer|mehr|regel|gilt|"
        "grundsätzlich|grundsaetzlich|grundsatzlich|ausschließ|ausschliess|durchgehend|generell|prinzipiell|"
        "konsequent|systematisch|standardmä|standardma|diesem repo|diesem projekt|im repo|im projekt|unserem|"
        "dieses projekt|dieses repo|bei uns|dem projekt|dem repo|nächste|naechste|nachste|tabu|finger weg|"
        "gewöhn|gewoehn|gewohn|anderes sage|anders sage|explizit|ausdrück|es sei denn|ohne mich|ohne rück|"
        "ohne vorher|ohne mein|ohne nachzu|ohne zu fragen|bevor du|bevorzug|lieber|ausnahm|nur noch|nichts|"
        "den rest|alle mal|allemal|schluss|keine|kein |jemals|dich |in zuk|wag |wage |ohne dass|ohne abs|idee",
    ),
    "fr": (
        "souv|rappel|oubli|note|reteni|retien|garde|morise|moire|prochain|écris|ecris|plus tard|futur|marque|"
        "inscris|tête|tete|esprit|mémo|memo|pense-b|pense b|pour info|ton info|savoir|sache|tion pour|"
        "pour la suite|pour l'avenir|pour les pr|pour le fut|pour réf|pour ref|pour après|pour apres|tiens |"
        "de vue|en compte|grave |règle|regle|consigne|instruction|préférence|preference|convention|"
        "laisse tomber|laisser tomber|fyi|stocke|sauve|vire |coin de|cette info|retene",
        "prochain|toujours|jamais|sormais|navant|partir d|avenir|nouvelle r|compter d|futur|de doute|le doute|"
        "aucun |s maintenant|arrêt|arret|cesse|plus d|veux plus|veux pas|voudrais plus|souhaite plus|"
        "uniquement|systématique|systematique|défaut|defaut|indication|avis contraire|mention contraire|sauf|"
        "en principe|règle|regle|consigne|convention|ce dépôt|ce depot|notre dépôt|ce repo|notre repo|"
        "ce projet|notre projet|le projet|chez nous|ici |ici,|chaque |exclusivement|sans exception|"
        "une bonne fois|en permanence|habitude|interdi|défense de|defense de|pas question|sans me |sans mon |"
        "sans ma |sans m'|moi avant|préfère|prefere|privilégie|privilegie|nouveaux|nouvelles|tout nouveau|"
        "toute nouvelle|ors de |pour le reste|fini|on arr|tu dois|vous devez|faut que tu|e plus |s plus |"
        "z plus |t plus |seulement|avise|sans qu|sans en |sans acc",
    ),
    "es": (
        "recuerd|recuérd|record|acuér|acuer|acord|olvid|olvíd| nota |anota|anóta|apunt|apúnt|n cuenta|"
        "presente|en mente|memoria|memoriz|memoric|tus notas|futur|próxim|proxim|adelante|toma|guarda|guárda|"
        "graba|almacena|registra|dato |info|ojo |sepa|saber|para luego|para más|para mas|para desp|para que|"
        "para ref|para otra|constancia|quédate|quedate|quedes|que conste| regla| norma | normas|instrucci|"
        "preferencia|convenc|ignora|descarta|hagas caso|se te pase|se te escape|memoríza|para próx|para prox|"
        "cuidado|atenc|atento",
        "futur|siempre|nunca|jamás|jamas|ahora|adelante|cada vez|nueva norma|sucesivo|próxim|proxim|de hoy|"
        "la duda|de duda|ningun|ningún|basta de|este momento|de cada|deja|dejá|dejen|para de|parad|cesa|"
        "no más|no mas|nada de|ni un |ni una |no quiero|solo |sólo |únicamente|unicamente|defecto|salvo|"
        "menos que| regla| norma | norma,| normas|excepto|convenc|pauta|este repo|nuestro repo|este proyecto|"
        "nuestro proyecto|el proyecto|este equipo|aquí|aqui|acá |aca |vuelva|volver|sistemátic|sistematic|"
        "exclusivamente|sin excepci|permanentemente|en todo momento|acostúmbr|acostumbr|costumbre|hábito|"
        "habito|prohibid|vetad|sin pregunt|sin consult|sin avis|sin mi |sin decir|me antes|pregunta|consulta|"
        "prefier|s nuev|todo nuev|vale para|el resto|de una vez|se acab|es más|as más|es mas|as mas|hay que|"
        "sin habl|sin coment|sin pasar|sin que|ocurra|pienses",
    ),
    "pt": (
        "lembr|record|esque| nota |anot|m mente|m conta|considera|memória|memoria|memoriz|futur|próxim|proxim|"
        "tome nota|toma nota|registra|registre|marca ai|marca aí|grav|guard|salv|bota|põe|poe |coloca|dado |"
        "info |aviso |conhecimento|saber|sabendo|saiba|pra depois|para depois|p/ depois|constar|fica a nota|"
        "fica a dica|notas|regra| norma | normas|instruç|instruc|preferênc|preferenc|convenç|convenc|"
        "desconsider|ignora o|ignore o|mais em c|tua memó|escrito|pras pró|pras pro|nas pró|nas pro|atenç|"
        "atenc|cuidado|olho",
        "futur|próxim|proxim|sempre|antes de|depois de|nunca|jamais|agora|em diante|a frente|doravante|"
        "toda vez|cada vez|nova norma|hipótese|hipotese|dúvida|duvida|de hoje|nenhum|ste momento|para de|"
        "pare de|parem|chega|deixa de|deixe de|nada de|sem mais|nem um|não quero|nao quero|n quero|somente|"
        "apenas|ora em|padrão|padrao|a menos que|salvo|regra|via de|exceto| norma | normas|convenç|convenc|"
        "combinado|neste repo|nesse repo|no repo|nosso repo|neste projeto|nesse projeto|no projeto|"
        "nosso projeto|time|aqui |aqui,|vez que|volte|volta|sistematicamente|exclusivamente|sem exce|"
        "permanentemente|acostum|hábito|habito|costume|proibid|vetad|sem me |sem minha|sem a minha|sem meu|"
        "sem o meu|sem falar|pergunt|consult|avis|prefir|prefer|s nov|todo nov|toda nov|vale para|vale pra|"
        "vale daqui|não mais|o resto|de uma vez|acabou|acabaram|a mais |e mais |z mais |r mais |sem combin|"
        "sem convers|sem passar|sem que|nem pens|nem sonh|inventa",
    ),
    "zh": (
        "记|記|忘|备|備|下次|下回|memo|用得上|用得着|会用到|要用|有个数|有数|小本本|存一下|存个|保存这|要注意|"
        "以后注意|留底|留个底|规则|規則|规矩|规定|约定|偏好|作废|不算数|当我没说|废弃|供以后|供将来|参考|"
        "那件事|给以后|给后面|存好|存下来|收好",
        "以后|以後|今后|今後|往后|往後|从现在|從現在|从今|從今|从此|從此|永远|永遠|绝|絕|千万|千萬|再也|禁止|"
        "严禁|嚴禁|不准|不许|总是|總是|一定要|务必|必须|必須|每次|每当|每當|一律|始终|始終|新规|新規|新的规|"
        "统一|統一|不要再|别再|一直|任何|所有|未来|后续|都要|别老|不要老|别总|不要总|停止|别动不动|不想再|"
        "让我再|下次|下回|默认|除非|原则上|规则|規則|规矩|规范|规定|约定|准则|仓库|项目里|本项目|我们项目|"
        "咱们|我们这|代码库|组里|每回|凡是|问我|问下我|问一下我|我同意|经我|我允许|跟我说|让我看|让我确认|"
        "我点头|我批准|都用|都以|都放|都写|都走|都带|都得|只用|不得|全程|养成|优先|不用|不再用|之后都|此后|"
        "给我看|只能用|全部用|都先|商量|打招呼",
    ),
    "ja": (
        "覚え|おぼえ|記憶|忘れ|メモ|念頭|頭に入れ|心に|次回|今後|ノート|将来|記録し|控え|書き留|書いておい|"
        "書いとい|備忘|覚書|肝に|留意|心得|片隅|memory|頭の|次から|次に|後で使|ルール|指示|規則|約束|件は|"
        "好み|の話|書いておく|ために",
        "次回|今後|これから|以後|以降|次から|必ず|絶対|決して|常に|毎回|二度と|たびに|度に|ルール|禁止|厳禁|"
        "今日から|今から|な場合|なる場合|何があ|やめて|やめろ|止めて|控えて|不要|いらない|見たくない|もう|"
        "これ以上|一切|勝手に|統一|一律|いつも|次は|基本|原則|特に指示|指示がな|指定がな|指示のな|特別な理由|"
        "規則|決まり|約束|方針|規約|リポジトリ|プロジェクト|うちで|チーム|レポ|コードベース|習慣|癖|くせ|"
        "ずっと|無断|聞かず|確認せ|都度|事前に|確認、|なしに|なしで|許可なく|断りなく",
    ),
}
CLUES = {language: tuple(tuple(stems.split("|")) for stems in both) for language, both in _STEMS.items()}
