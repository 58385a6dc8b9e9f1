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

PATTERNS = {
    "en": r"""
P         (?:and|also|but|so|ok|okay|then|hey|btw|please|pls|plz|kindly|just|oh|yes|no(?=,)|great|thanks|thx|thank you|
  cool|well|now|again|important|fyi|ps|plus|rules?|reminder|one more thing|for the record|by the way|in general|
  generally|finally|lastly|remember|makes sense|nice|perfect|good|right|fine|and another thing)\b[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:and|but|also|then|so|please|pls|plz|kindly|just|now|ok|okay)\s+)
V         add amend annotate answer apply ask assume attach avoid be begin bring build bump bypass call change check
   cherry-pick cite clean comment commit confirm consult copy create credit declare define delete depend deploy
   disable do document double-check download drop edit enable end execute explain expose finish fix follow force
   forget format generate get give go group guess hard-code hardcode have ignore implement import include install
   introduce invent keep kill launch leave let link lint list log look make mark mention merge mock modify move name
   open order overwrite pin place plan post prefer present print propose provide publish pull push put quote re-run
   re-use read rebase refactor reference reformat regenerate release rely remove rename replace reply report rerun
   reset respect respond restart reuse revert review rewrite run save say send set share ship show sign skip sort
   speak spell split squash stage start stash stop store stub submit suggest summarise summarize switch tag talk tell
   test think touch translate treat trust try type update upgrade upload use validate verify wait work wrap write
D         (?:from now on(?:wards?)?|from here on(?: out| in)?|from this point (?:on|onwards?|forward)|
  going (?:forward|fwd)|henceforth|from today on|hereafter|moving forward|in future sessions?|as of (?:today|now)|
  (?:starting|effective) (?:now|today|immediately)|from today)
W         add are bump change commit complete create delete deploy do edit finish fix implement introduce make merge
   modify move need open push refactor release remove rename start touch update want work write
question  ^(?:why|what|when (?:do|does|did|is|are|should|will|to)|how|who|where|which|does|do (?:you|we|i|they)\b|did|
  is|are|was|were|has|have (?:you|we)\b|should|can|could|would|will|any idea)\b
forget    <C>(?:you (?:can|may|should) )?(?:now )?forget (?:about )?(?:what|everything|anything|all|
  whatever) (?:that )?(?:i|we|you)\b(?:'ve| have)?(?: (?:just|ever|previously|once|earlier))? (?:said|told|mentioned|
  wrote|asked|remember(?:ed)?|learned|learnt|know|noted|stored|saved)
forget    <C>(?:you (?:can|may|should) )?(?:now )?forget (?:about )?(?:the|that|this|my|your|our|those|these|any|
  all)(?: [\w-]+){0,3}? (?:rules?|requests?|wish|order|notes?|memory|memories|preferences?|instructions?|conventions?|
  guidelines?|facts?|lessons?)\b
forget    <C>(?:you (?:can|may|should) )?forget (?:the fact )?that (?:the|we|i|our|my|there|you|it|[\w-]+ (?:is|are|
  was|has|uses?|needs?))\b
forget    <C>(?:delete|remove|erase|drop|discard|wipe) (?:the|that|this|your|those|any|all)(?: [\w-]+)? (?:memory|
  memories)(?: (?:about|on|that)\b|[.!]*$)
forget    <C>unlearn\b
forget?   (?:<C>|can you |could you |please )(?:delete|remove|erase|drop|clear|wipe) .{1,80} from your memor
forget?   (?:can|could|would) you (?:please )?forget (?:about )?(?:what|everything|(?:the|that|this) rule|my (?!last|
  previous))\b
remember  <C>(?:always )?(?:remember|remeber|rember|rememebr|remmember)\b(?!\s*(?:when|me\b|if|whether|how (?:we|i)\b|
  last|the (?:time|day|name)|where|-|\())
remember  (?:i (?:want|need)|i'?d like|i would like) you to (?:please |always )?(?:remember|remeber|memori[sz]e)
remember  (?:you (?:should|must|need to|have to)|(?:important|crucial) (?:that you|for you to|to)|make sure (?:you|
  to)|be sure to) (?:always )?remember\b(?! how| when)
remember  <C>(?:do not|don'?t|dont|never) forget(?:\s*[:,—]|\s+-|\s+(?:that|we|i'?m|i|it'?s|there)\b)
remember  <C>(?:make|take|leave|keep) (?:a |yourself a )?(?:mental )?note\b(?! (?:on|in) the (?:readme|pr|code|docs))
remember  <C>notes? (?:to self|for (?:later|next time|the future|future \w+|yourself))\s*[:,—-]
remember  <C>for (?:future (?:reference|sessions?)|next time|the future|later)\s*(?:[:,—]|-\s)
remember  <C>(?:save|store|add|put|write|record|keep|commit) (?:this|that|it|these|the following)?.{0,30}(?:to|in|
  into) your (?:long-term )?memory
remember  <C>(?:save|store|add|commit|write)(?: (?:this|that|it|these|
  the following))? to (?:long-term )?memory(?:\s*[:,—-]|\s+that\b|[.!]*$)
remember  <C>memori[sz]e (?:that|this|these|the following|my|our|:)
remember  <C>(?:keep|bear) in mind(?:\s*[:,—]|\s+(?:that|we|this)\b)
remember  <C>(?:keep|bear) (?:this|that) in mind
remember? (?:can|could|would|will) (?:you|u)(?: please| also| just| pls)* (?:remember|remeber|memori[sz]e|
  keep in mind|make a note)(?:\s*[:,]|\s+(?:that|this|these|to|my|our|we|i'?m|i|for)\b)
standing  <P><D>\b(?!,? (?:the|this|that|it|its|there|he|she|they|our|users?|a|an)\b)
standing  <P>in (?:the )?future,? (?:please|pls|do\b|don'?t|dont|never|always|you should|i want|i'?d like|let'?s|no\b|
  only|stop|we use|<V>\b)
standing  <P>(?:stop|don'?t|dont|do not|you|let'?s|no|only|i want|i'?d like|we|<V>)\b.*\b(?:<D>|
  in (?:the )?future)[.!\s]*(?:please|pls)?[.!\s]*$
standing  <P>(?:stop|don'?t|do not|let'?s|<V>)\b[^,]* <D>\b
standing  <P>(?:always|never(?: ever| again)?|(?:don'?t|dont|do not) ever) (?:please )?(?:ever <V>|<V>)\b
standing  <P>(?:don'?t|dont|do not) (?:ever )?<V>\b.* (?:ever )?again[.!]*$
standing  <P>never again\b
standing  ^(?!if\b|when\b|the\b|it\b|docs?\b|i\b|they\b).*(?:\band|\bbut|\balso|\bplease|;|
  [.!]) (?:please )?(?:always|never(?: ever)?) <V>\b
standing  \bnever \S+[,;:] (?:but )?always \S+$|\balways (?:\w+ )?\S+[,;] never \S+$
standing  <P>you (?:must|should|shall|have to|need to|are to|may|can|will)(?: please)? (?:always|never) <V>\b
standing  <P>(?:make|be) sure (?:that )?(?:you |to )?(?:always|never) <V>\b
standing  <P>(?:every|each) time (?:that )?(?:you|we) <W>\b[^,]*, (?:please |also |you (?:must|should) )?(?:always |
  never )?(?:also )?<V>\b
standing  <P>(?:whenever|any ?time|always when) (?:you|we) <W>\b[^,]*, (?:please |also |you (?:must|
  should) )?(?:always |never )?(?:also )?<V>\b
standing  <P><V>\b[^,]* (?:whenever|every time|each time) you <W>\b
standing  <P>(?:(?:here|in (?:this|our) (?:project|repo|repository|codebase|team|monorepo)),? )?we (?:always|
  never) <V>\b(?!.*\?)
standing  <P>(?:new|another|house|project|team) rule\s*[:,—-]
standing  <P>before (?:every|each) (?:commit|push|pr|merge|release)\b,?|<P><V>\b[^,]* (?:before|after) (?:every|
  each) (?:commit|push|pr|merge|release|change|edit|task)\b
standing? (?:could|would|will|can) you(?: please| pls) (?:always|never) <V>\b|(?:could|would) you (?:always|
  never) <V>\b
standing? (?:can|could|would|will) you(?: please| pls)? <V>\b.* <D>\b
standing? (?:can|could) we (?:always <V>|<V>\b.* <D>)
remember  \bso (?:that )?you (?:will |can |'ll )?remember\b|\b(?:thing|things|point|one|fact) to remember\b
remember  <C>(?:write|note|jot) (?:this|that|it|these)? ?down\b(?! in the (?:readme|docs))
remember  <C>(?:add|put|write|save|record|store) .{0,40}\b(?:to|in|into) your (?:notes|memory|long-term memory)\b
remember  <C>(?:remember|keep|store|save) (?:this|that|it) for (?:later|next time|the next|future)
standing  <P>(?:no|only|don'?t|<V>)\b.*, (?:always|ever|every time|each time|every single time|never again)[.!]*$
standing  <P>(?:i (?:want|need|expect|would like)|i'?d like) (?:you )?(?:to )?(?:please )?(?:always|never)\b
standing  <P>(?:i (?:want|need|expect|would like)|i'?d like) you to (?:always|never)\b
standing  <P>no more\b.*\b(?:ever|again|please)\b|<P>(?:under no circumstances|at no point|in no case)\b
standing  <P>never,[^,]*, <V>\b|<P>(?:don'?t|do not|never) <V>\b.*\bunder any circumstances\b
standing  <P>(?:if|when|before|after|once|as soon as) (?:you|unsure|in doubt)\b[^,]*, (?:please )?(?:always|
  never) <V>\b
standing  <P>(?:if|when) (?:unsure|in doubt)\b,? (?:please )?(?:always )?<V>\b
standing  <P>(?:for|in|on|with) (?:all |any |every )?(?:future|upcoming|subsequent) (?!versions?|releases?|
  reference)\w+,?
standing  <P>(?:i|we) (?:prefer|hate|dislike|don'?t like|never want|don'?t want)\b.*\b(?:in general|generally|always|
  ever)\b
remember  \bto keep in (?:memory|mind)\b.*:|\b(?:good|worth|important) to (?:know|remember) for (?:later|next time|
  the future)\b
standing  <P>(?:in|for|before|after|on|with|during|at|when|while)\b[^,.]{0,60},? (?:please )?(?:always|never) <V>\b
standing  <P>(?:before|after) (?:every|each)\b[^,]{0,40}?,? (?:please )?<V>\b
standing  <P>always, always\b|<P>(?:don'?t|dont|do not) ever again <V>\b|<P>never, ever\b
standing  <P>(?:i (?:would )?(?:prefer|rather|like it)|i'?d (?:prefer|rather|like it))\b.{0,20}\byou (?:always|
  never)\b
""",
    "de": r"""
P         (?:und|aber|also|auch|ok|okay|bitte|danke|super|gut|ja|nein|ach|hey|achso|dann|noch|noch was|wichtig|
  hinweis|regeln?|ubrigens|generell|grundsatzlich|prinzipiell|ausserdem|passt|perfekt|klasse|so|nur|
  kurz)\b[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:und|aber|bitte|dann|also|auch|noch|ok|okay)\s+)
V         acht aktualisier ander andr antwort arbeit bearbeit beginn begrend begrnd begrund benutz bleib check commit
   committ deploy dokumentier editier entfern erklar ersetz erstell fang fass fehr fhr force-push formatier frag fug
   fuhr geh generier gib halt hor importier informier installier kommentier lass leg lesch lies losch lsch mach merg
   mock nenn nimm nutz pfleg pref prf pruf push rebas red ruf sag schreib setz signier speicher speichr sprich squash
   start stell stop stopp test tu verlass vermeid verwend wart zeig
D         (?:ab jetzt|ab sofort|ab heute|ab nun|von nun an|von jetzt an|in zukunft|kue?nftig|zukue?nftig|fortan|
  nie wieder|nie mehr|ab morgen|ab dieser woche|fur die zukunft gilt|fuer die zukunft gilt)
N         (?:immer|niemals|nie wieder|nie mehr|nie|stets)
question  ^(?:warum|wieso|weshalb|was|wann|wie|wer|wo|welche[rsnm]?|gibt es|ist|sind|hat|hast|haben|stimmt|kann|
  kannst|konnte|konntest|soll|darf|weisst)\b
forget    <C>(?:du kannst )?vergiss(?: bitte| mal| jetzt)*,?\s+(?:alles,? )?(?:was|dass|das,? was)\b
forget    \bkannst (?:du )?(?:alles |das )?(?:bitte |wieder )?vergessen,? was (?:ich|du|wir)
forget    <C>vergiss(?: bitte| mal)? (?:die|meine|den|das|deine|diese|alle|unsere)(?: [\w-]+){0,2}? ?(?:\w*regel|
  \w*notiz|vorliebe|praferenz|praeferenz|anweisung|konvention|erinnerung|hinweis|vorgabe)\w*
forget?   (?:<C>|kannst du |bitte )?(?:lo?e?sche?|entferne?|streiche?)\b.{0,60}(?:erinnerung|aus (?:deinem|
  dem) ged(?:ae?)chtnis|aus deine[rm] (?:erinnerung|memory|speicher))
forget?   (?:erinnerung|notiz) .{0,60}aus deinem ged(?:ae?)chtnis (?:loschen|entfernen)
remember  <C>merke?t? (?:dir|euch)\b
remember  <C>merken sie sich\b
remember  \bbitte(?: dir| gut| noch)? merken\b
remember  ^(?:wichtig\W+)?(?:bitte )?merken\s*:
remember  \bzu merken\s*:
remember  \b(?:solltest|sollst|musst) (?:du )?dir (?:bitte )?(?:merken|notieren),?\s
remember  \bdass du dir (?:bitte )?(?:merkst|notierst)\b
remember  \bdu dir (?:bitte )?merkst\b
remember  <C>(?:vergiss|vergesst|vergessen sie)(?: bitte)? nicht(?:,? dass\b|\s*:)
remember  \bnicht vergessen(?:,? dass\b|\s*:)
remember  <C>notiere? (?:dir|euch)\b
remember  <C>notiere?t?\s*:
remember  <C>notiz (?:an mich|fue?r (?:spae?ter|die zukunft|dich|nae?chste))
remember  <C>schreibe? (?:dir|es dir|das dir)\b.{0,40}\bauf\b
remember  <C>denke?t?(?: bitte)? (?:dran|daran)(?:\s*:|,?\s*dass\b|,\s*(?:wir|ich|es)\b)
remember  <C>behalte?(?: bitte)?.{0,20} (?:im kopf|im hinterkopf|im ged(?:ae?)chtnis)\b
remember  <C>speiche?re?(?: bitte)? (?:dir|das|dies|es|folgendes)\b.{0,30}(?:\bab\b|ged(?:ae?)chtnis|memory)
remember  <C>speiche?re? (?:dir )?ab\s*:
remember  <C>fue?rs? (?:die zukunft|spae?ter|das nae?chste mal|nae?chste mal|die nae?chste session)\s*:
remember  <C>zur erinnerung(?: fue?r \w+)?\s*:
remember  <C>beachte?(?: bitte)? (?:fue?r die zukunft|in zukunft|kue?nftig),? dass\b
remember? \b(?:kannst|ko?e?nntest|wue?rdest|magst) du (?:dir )?(?:bitte |das |noch |auch )*(?:merken|notieren)(?:,|:|
  $|\?)
standing  <P><D>\b(?!,? (?:lae?uft|ist|sind|wird|werden|ko?e?nnte|kann|hat|gibt|geht|kommt|dauert|braucht|bekommt|
  liegt) (?!du\b|wir\b|bitte\b|ich\b|all|jede))
standing  <P>(?:du sollst|du musst|ich will|ich mo?e?chte|bitte|keine?|<V>)\b[^,]*\b(?:ab jetzt|ab sofort|kue?nftig|
  in zukunft|von nun an|zukue?nftig|ab heute|nie wieder|nie mehr)\b
standing  <P><V> (?:(?!dass\b)[\w./-]+ ){0,4}?<N>\b(?! noch| mehr| wieder)
standing  <P>(?:immer|stets|niemals|nie)(?! (?:noch|mehr|wieder|dies|das |wenn |dann,? wenn |gleich|selb|im leben|
  gesehen|nur |die gleich|die selb|zu ))\b.*\b(?:[a-z-]{2,}(?:en|ern|eln)|sein)(?: lassen)?(?:\W.*)?$
standing  <P>niemals\b
standing  <P>nie(?:mals)? \S+[,;] (?:sondern )?immer \S+|<P>immer \S+[,;] nie(?:mals)? \S+
standing  <P>(?:erst|vor (?:jedem|dem) \w+|nach (?:jedem|dem) \w+)\b[^,]* immer\b.*en\b
standing  \bdu (?:sollst|musst|darfst|solltest) (?:bitte )?(?:[\w./-]+ ){0,3}?<N>\b(?! noch)
standing  \bwir (?!haben|hatten|waren|sind|wurden|kriegen|bekommen|sehen|landen|mue?ssen|
  ko?e?nnen)\w+en (?:[\w./-]+ ){0,3}?(?:<N>|grundsatzlich)\b(?! noch)
standing  \bin (?:diesem|unserem) (?:projekt|repo|repository|team)\b,? (?!haben|hatten|sind)\w+ wir (?:immer|nie|
  niemals|grundsatzlich|nur)\b
standing  <P>(?:jedes ?mal,?|immer,?|immer dann,?) wenn du\b(?!\w)(?! (?:klick|aufruf))[^,]*,
standing  <P>neue regel\b
standing? \b(?:kannst|ko?e?nntest|wue?rdest) du (?:bitte )?.*\b(?:ab jetzt|ab sofort|kue?nftig|in zukunft|von nun an|
  zukue?nftig)\b
standing? \b(?:kannst|ko?e?nntest|wue?rdest) du (?:bitte )?immer (?:erst|zuerst|vor|vorher|auch)\b
forget    <C>vergiss(?: bitte| mal)? (?:meine?n?|unsere?n?) (?!letzte|vorige)|<C>vergiss(?: bitte)?,? dass\b
forget?   \b(?:kannst|ko?e?nntest) du (?:bitte )?(?:alles )?vergessen,? (?:was|dass)\b
remember  <C>halte?(?: bitte| dir)? fest[,:]|<C>prae?ge? dir\b|\bdamit du (?:es |das )?dir (?:das )?merkst\b
remember  <C>vergiss(?: bitte)? nie(?:mals)?,? (?:dass\b|:)|\bzu merken\s*:|\bzum merken\s*:
remember  <C>denke?t?(?: bitte)? (?:immer|stets|auch|bitte) (?:dran|daran)(?:\s*:|,?\s*dass\b)
remember  <C>(?:nimm|schreib|leg|pack|speicher|trag)e?\b.{0,30}\b(?:dein (?:ged(?:ae?)chtnis|memory)|deinem ged|
  deine notizen)
remember  \b(?:kannst|ko?e?nntest) du dir (?:das |es )?(?:bitte )?merken\s*:
standing  <P>[\w.-]+(?: \w+)?, (?:immer|niemals|nie wieder)[.!]*$|<P>keine?\b.*\bmehr\b.*\b(?:nie wieder|nie mehr)\b
standing  <P>(?:ich (?:will|mo?e?chte|erwarte)|mir ist wichtig),? dass du (?:[\w-]+ ){0,3}?<N>\b
standing  <P>(?:wenn|bevor|nachdem|sobald|falls) du\b[^,]*, (?:bitte )?(?:[a-z]+e|<V>) (?:[\w./-]+ ){0,3}?<N>\b
standing  <P>im zweifel\b|<P>fue?r alle (?:kue?nftigen|weiteren|zukue?nftigen|folgenden|neuen)\b|
  <P>unter keinen umstae?nden\b
standing  <P>(?:<V>) (?:[\w./-]+ ){0,4}?niemals\b
remember? \b(?:kannst|ko?e?nntest) du (?:bitte )?(?:im hinterkopf|im kopf|im ged(?:ae?)chtnis) behalten,?
standing  <P>(?:mir wae?re (?:es )?lieber|ich fae?nde es (?:gut|besser)|ich hae?tte gern),? (?:wenn|
  dass) du (?:[\w-]+ ){0,2}?<N>\b
standing  <P>(?:nach|vor|bei) (?:jede[mr])\b.*\b(?:[a-z-]{2,}(?:en|ern|eln)|<V>)[.!]*$|<P>(?:nach|vor|
  bei) jede[mr] [\w-]+,? (?:bitte )?<V>\b
standing  <P>(?:in|bei|vor|nach|fue?r|mit|auf)\b[^,]{0,50} (?:immer|nie|niemals) (?!noch|wieder).*\b[a-z-]{2,}(?:en|
  ern|eln)[.!]*$
standing  <P>(?:in|bei|vor|nach|fue?r|mit|auf)\b[^,]{0,50},? (?:bitte )?<V> (?:[\w./-]+ ){0,2}?<N>\b
standing  <P>(?!noch)[\w-]+ (?:immer|nie|niemals) (?!noch|wieder|mehr)(?:[\w-]+ ){0,2}?[a-z-]{3,}en\b[,.]
""",
}
