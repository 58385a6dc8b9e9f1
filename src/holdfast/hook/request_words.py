"""The words with which people ask to remember, to keep to something from now on, and to forget, by language.

Data only; `requests` reads it. A pattern sees one sentence in lower case, without accents, with quotations and code in
it replaced by one sign, full-width signs by plain ones and dashes by the long one. Lines that begin with two spaces go
on with the pattern above them.

    P          what may politely stand before an order, from the beginning of the sentence
    C          the beginning of any clause
    question   a sentence that is a question even without its mark
    remember   a pattern that counts in a statement; with `?` behind the name in a question too, for "could you
               remember that …?" is an order. The same for `standing` and `forget`
    others     sets of words that patterns name in angle brackets: verbs of working, "from now on" in its spellings

Where it was in doubt: "remember to run the tests" counts, for the word itself was said; "don't forget to run the tests"
does not, it is about the task at hand. An "always" or "never" counts with a verb of working ("never push"), not with
what code does ("always returns", "must never be stale").
"""

from __future__ import annotations

# Stems of which each order holds one, spelled without any letter that may carry an accent.
_STEMS = {
    "en": (
        "member|remeber|rember|forget|note|future|next time|memor|in mind|always|never|now on|going f|"
        "henceforth|from here|this point|every time|each time|whenever|ever |new rule|unlearn|hereafter|"
        "anytime"
    ),
    "de": (
        "merk|verg|noti|denk|behalt|ged|speicher|zukunft|fürs|fuers|schreib|erinner|immer|nie|ab jetzt|"
        "ab sofort|ab heute|von nun|von jetzt|nftig|fortan|jedes mal|neue regel|stets|ab nun|jedesmal"
    ),
    "fr": (
        "souv|rappel|oubli|note|reteni|retien|garde|morise|morie|moire|prochaine|toujours|jamais|"
        "sormais|navant|partir d|avenir|chaque fois|nouvelle r"
    ),
    "es": (
        "recu|record|acu|acord|olv|nota|anota|apunta|cuenta|presente|memor|futuro|siempre|nunca|jam|ahora|"
        "adelante|cada vez|nueva regla|sucesivo|xima vez|desde hoy"
    ),
    "pt": (
        "lembr|recorde|recorda|esque|nota|anot|mente|conta|moria|mória|memoriz|futuro|xima vez|sempre|nunca|jamais|agora|"
        "diante|frente|doravante|toda vez|cada vez|nova regra|vezes que"
    ),
    "zh": (
        "记|記|忘|备|備|下次|下回|以后|以後|今后|今後|往后|往後|从现在|從現在|从今|從今|永远|永遠|绝|絕|千万|"
        "千萬|再也|禁止|严禁|总是|總是|一定要|必须|必須|每次|每当|每當|一律|始终|始終|规则|規則|统一|統一|"
        "不要再|别再"
    ),
    "ja": (
        "覚え|おぼえ|記憶|忘れ|メモ|念頭|頭に入れ|心に留め|次回|今後|これから|以後|次から|必ず|絶対|決して|"
        "常に|毎回|二度と|たびに|ルール|禁止|今日から|以降"
    ),
}
CLUES = {language: tuple(stems.split("|")) for language, stems in _STEMS.items()}

PATTERNS = {
    "en": r"""
P         ^(?:(?:and|also|but|so|ok|okay|then|hey|btw|please|pls|plz|kindly|just|oh|yes|no|great|thanks|thx|thank you|
  cool|well|now|again|important|fyi|ps|plus|rules?|reminder|one more thing|for the record|by the way|in general|
  generally|finally|lastly|remember|makes sense|nice|perfect|good|right|fine|and another thing)\b[\s,:;.!—-]*)*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:and|but|also|then|so|please|pls|plz|kindly|just|now|ok|okay|to)\s+)
V         (?:use|run|write|add|ask|check|commit|push|pull|merge|rebase|squash|force|deploy|release|test|lint|format|
  build|install|import|include|keep|put|place|leave|make|create|update|upgrade|edit|modify|change|touch|delete|remove|
  rename|move|read|open|show|tell|explain|answer|reply|respond|speak|say|talk|give|start|begin|stop|prefer|avoid|try|
  do|follow|respect|document|comment|log|mock|stub|skip|disable|ignore|assume|guess|invent|hard-?code|bump|tag|sign|
  review|verify|validate|confirm|wait|let|set|pin|generate|regenerate|call|send|store|save|print|expose|share|
  cherry-pick|amend|revert|reset|bypass|suggest|propose|apply|refactor|forget|report|cite|link|attach|name|spell|sort|
  split|type|annotate|drop|copy|overwrite|execute|launch|enable|trust|treat|post|present|summari[sz]e|translate|
  double-check|ship|publish|upload|download|clean|kill|restart|bring|introduce|work (?:on|in|from)|be (?:concise|
  brief|polite|explicit|careful|honest|terse|direct)|have|provide|consult|group|order|credit|mention|stage|stash|fix|
  wrap|quote|plan|think|look|go|get|rely|depend|switch|replace|rewrite|reformat|re-?run|re-?use|reference|implement|
  define|declare|mark|list|end|finish|submit|send)
D         (?:from now on(?:wards?)?|from here on(?: out| in)?|from this point (?:on|onwards?|forward)|
  going (?:forward|fwd)|henceforth|from today on|hereafter|moving forward|in future sessions?)
W         (?:change|touch|edit|modify|commit|push|add|create|write|finish|start|make|update|merge|release|deploy|open|
  fix|refactor|rename|delete|remove|work|complete|implement|bump|introduce|move|do|are done|need|want)
question  ^(?:why|what|when|how|who|where|which|does|do (?:you|we|i|they)\b|did|is|are|was|were|has|have (?:you|we)\b|
  should|can|could|would|will|any idea)\b
forget    <C>(?:you (?:can|may|should) )?(?:now )?forget (?:about )?(?:what|everything|anything|all|
  whatever) (?:that )?(?:i|we|you)\b(?:'ve| have)?(?: (?:just|ever|previously|once|earlier))? (?:said|told|mentioned|
  wrote|asked|remember(?:ed)?|learned|learnt|know|noted|stored|saved)
forget    <C>(?:you (?:can|may|should) )?(?:now )?forget (?:about )?(?:the|that|this|my|your|our|those|these|any|
  all)(?: [\w-]+){0,3}? (?:rules?|notes?|memory|memories|preferences?|instructions?|conventions?|guidelines?|facts?|
  lessons?)\b
forget    <C>(?:you (?:can|may|should) )?forget (?:the fact )?that (?:the|we|i|our|my|there|you|it|[\w-]+ (?:is|are|
  was|has|uses?|needs?))\b
forget    <C>(?:delete|remove|erase|drop|discard|wipe) (?:the|that|this|your|those|any|all)(?: [\w-]+)? (?:memory|
  memories)(?: (?:about|on|that)\b|[.!]*$)
forget    <C>unlearn\b
forget?   (?:<C>|can you |could you |please )(?:delete|remove|erase|drop|clear|wipe) .{1,80} from your memor
forget?   (?:can|could|would) you (?:please )?forget (?:what|everything|the rule|that rule|my preference)
remember  <C>(?:always )?(?:remember|remeber|rember|rememebr|remmember)\b(?!\s*(?:when|me\b|if|whether|how (?:we|i)\b|
  last|the (?:time|day|name)|where|-|\())
remember  (?:i (?:want|need)|i'?d like|i would like) you to (?:please |always )?(?:remember|remeber|memori[sz]e)
remember  (?:you (?:should|must|need to|have to)|(?:important|crucial) (?:that you|for you to|to)|make sure (?:you|
  to)|be sure to) (?:always )?remember\b(?! how| when)
remember  <C>(?:do not|don'?t|dont|never) forget(?:\s*[:,—]|\s+-|\s+(?:that|we|i'?m|i|it'?s|there)\b)
remember  <C>(?:make|take|leave) (?:a |yourself a )?(?:mental )?note\b(?! (?:on|in) the (?:readme|pr|code|docs))
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
standing  <P><D>\b(?!,? (?:the|this|that|it|its|there|he|she|they|our|users?|a|an|each|all)\b)
standing  <P>in (?:the )?future,? (?:please|pls|do\b|don'?t|dont|never|always|you should|i want|i'?d like|let'?s|no\b|
  only|stop|we use|<V>\b)
standing  <P>(?:<V>|stop|don'?t|dont|do not|you|let'?s|no|only|i want|i'?d like|we)\b.*\b(?:<D>|
  in (?:the )?future)[.!\s]*(?:please|pls)?[.!\s]*$
standing  <P>(?:<V>|stop|don'?t|do not|let'?s)\b[^,]* <D>\b
standing  <P>(?:always|never(?: ever| again)?|(?:don'?t|dont|do not) ever) (?:please )?(?:<V>|ever <V>)\b
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
standing? (?:can|could|would|will) you(?: please| pls)? (?:always|never) <V>\b
standing? (?:can|could|would|will) you(?: please| pls)? <V>\b.* <D>\b
standing? (?:can|could) we (?:always <V>|<V>\b.* <D>)
""",
    "de": r"""
P         ^(?:(?:und|aber|also|auch|ok|okay|bitte|danke|super|gut|ja|nein|ach|hey|achso|dann|noch|noch was|wichtig|
  hinweis|regeln?|ubrigens|generell|grundsatzlich|prinzipiell|ausserdem|passt|perfekt|klasse|so|nur|
  kurz)\b[\s,:;.!—-]*)*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:und|aber|bitte|dann|also|auch|noch|ok|okay)\s+)
V         (?:frage?|benutze?|verwende?|nutze?|nimm|schreibe?|lasse?|fu?e?hre?|teste?|pru?e?fe?|committ?e?|push|pushe|
  merge?|deploye?|lo?e?sche?|ae?nde?re?|editiere?|bearbeite?|fasse?|rufe?|mache?|tu|starte?|installiere?|antworte?|
  sage?|zeige?|erklae?re?|halte?|gib|setze?|lege?|speiche?re?|fue?ge?|nenne?|formatiere?|kommentiere?|dokumentiere?|
  mocke?|rebase?|squashe?|aktualisiere?|generiere?|pflege?|erstelle?|importiere?|vermeide?|bleibe?|arbeite?|lies|
  warte?|verlass|achte?|stelle?|checke?|entferne?|ersetze?|beginne?|fange?|force-pushe?|signiere?|sprich|rede?|
  begru?e?nde?|informiere?|gehe?|stopp?e?|hor|hoer)
D         (?:ab jetzt|ab sofort|ab heute|ab nun|von nun an|von jetzt an|in zukunft|kue?nftig|zukue?nftig|fortan|
  nie wieder|nie mehr|fur die zukunft gilt|fuer die zukunft gilt)
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
  liegt) (?!du\b|wir\b|bitte\b|ich\b))
standing  <P>(?:<V>|du sollst|du musst|ich will|ich mo?e?chte|bitte|keine?)\b[^,]*\b(?:ab jetzt|ab sofort|kue?nftig|
  in zukunft|von nun an|zukue?nftig|ab heute|nie wieder|nie mehr)\b
standing  <P><V> (?:(?!dass\b)[\w./-]+ ){0,4}?<N>\b(?! noch| mehr| wieder)
standing  <P>(?:immer|stets|niemals|nie)(?! (?:noch|mehr|wieder|dies|das |gleich|selb|im leben|gesehen|nur |
  die gleich|die selb|zu ))\b.*\b(?:[a-z-]{2,}(?:en|ern|eln)|sein)(?: lassen)?(?:\W.*)?$
standing  <P>niemals\b
standing  <P>nie(?:mals)? \S+[,;] (?:sondern )?immer \S+|<P>immer \S+[,;] nie(?:mals)? \S+
standing  <P>(?:erst|vor (?:jedem|dem) \w+|nach (?:jedem|dem) \w+)\b[^,]* immer\b.*en\b
standing  \bdu (?:sollst|musst|darfst|solltest) (?:bitte )?(?:[\w./-]+ ){0,3}?<N>\b(?! noch)
standing  \bwir (?!haben|hatten|waren|sind|wurden|kriegen|bekommen|sehen|landen|mue?ssen|
  ko?e?nnen)\w+en (?:[\w./-]+ ){0,3}?(?:<N>|grundsatzlich)\b(?! noch)
standing  \bin (?:diesem|unserem) (?:projekt|repo|repository|team)\b,? (?!haben|hatten|sind)\w+ wir (?:immer|nie|
  niemals|grundsatzlich|nur)\b
standing  <P>(?:jedes ?mal,?|immer,?|immer dann,?) wenn du\b(?! (?:klick|aufruf))[^,]*,
standing  <P>neue regel\b
standing? \b(?:kannst|ko?e?nntest|wue?rdest) du (?:bitte )?.*\b(?:ab jetzt|ab sofort|kue?nftig|in zukunft|von nun an|
  zukue?nftig)\b
standing? \b(?:kannst|ko?e?nntest|wue?rdest) du (?:bitte )?immer (?:erst|zuerst|vor|vorher|auch)\b
""",
    "fr": r"""
P         ^(?:(?:et|mais|aussi|ok|okay|stp|svp|s'il te plait|s'il vous plait|merci|super|bien|bon|oui|non|ah|alors|
  important|au fait|regles?|rappel|puis|ensuite|parfait|en general|de maniere generale|pense a|merci de|pensez a|
  encore une chose|attention|du coup|donc)\b[\s,:;.!—-]*)*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:et|mais|puis|aussi|stp|svp|alors|merci|donc)\s+)
V         (?:utilise|ecris|demande|lance|fais|mets|commite|committe|pousse|teste|verifie|ajoute|garde|laisse|montre|
  explique|reponds|parle|dis|donne|commence|prefere|evite|suis|respecte|documente|commente|formate|deploie|installe|
  importe|supprime|efface|change|modifie|renomme|deplace|lis|ouvre|cree|execute|attends|confirme|propose|signe|
  regenere|genere|passe|tiens|prends|arrete|change|touche|cherche|nomme|range|relis|previens|consulte|privilegie|
  travaille|\w{2,}ez)(?:-(?:moi|le|la|les))?
D         (?:desormais|dorenavant|a partir de (?:maintenant|la|aujourd'?hui)|a l'? ?avenir|plus jamais|jamais plus|
  dorenavent)
Q         (?:que\b|qu'|:|,|ceci|cela|ca\b|bien|le fait|mon|ma|mes|de)
question  ^(?:pourquoi|quand est|comment|est-ce|qu'est|que veut|qui|ou est|quel|quelle|peux|pourrais|as-tu|
  tu te (?:souviens|rappelles))\b
forget    <C>(?:tu peux |vous pouvez )?(?:oublie[zr]?) (?:tout )?(?:ce que|ce qu'|que|qu')\s*(?!tu veux)
forget    <C>(?:tu peux |vous pouvez )?oublie[zr]? (?:la|ma|cette|le|ta|les|mes|mon|notre|
  l')\s?(?:[\w-]+ ){0,2}?(?:regle|preference|consigne|note|souvenir|instruction|convention|remarque)s?\b
forget?   (?:supprime|efface|retire|enleve)[rz]?\b.{0,60}(?:\bsouvenirs?\b|de (?:ta|votre) memoire)
remember  <C>(?:souviens[- ]?toi|souvenez[- ]?vous|rappelle[- ]toi|rappelez[- ]vous)\b(?!.{0,6}(?:quand|comment|
  du jour))
remember  <C>n'? ?oublie[sz]? (?:pas|jamais) (?:que\b|qu'|:|,)|<C>n'? ?oublie[sz]? (?:pas|jamais)\s*:
remember  <C>note[zs]? (?:bien )?(?:que\b|qu')
remember  <C>note[zs]?(?: bien)?\s*:(?!.*changelog)
remember  <C>note[s]? pour (?:plus tard|la suite|moi|le futur|la prochaine)
remember  <C>a (?:noter|retenir|memoriser)\b
remember  <C>prends?(?:ez)? (?:en |bonne |bien )?note\b
remember  <C>prenez (?:en |bonne |bien )?note\b
remember  <C>(?:retiens?|retenez)\s*<Q>
remember  <C>gardez?(?: bien)? (?:en tete|a l'esprit|en memoire) (?:que\b|qu'|:|,)|<C>gardez?(?: bien)? (?:en tete|
  a l'esprit)\s*:
remember  <C>memorise[sz]?\s*<Q>
remember  <C>(?:enregistre|ajoute|mets|stocke|sauvegarde|note)z?\b.{0,30}\b(?:ta|votre) memoire\b
remember  <C>pour (?:la prochaine fois|plus tard|reference future|les prochaines fois)\s*[:,]
remember  \bque (?:tu|vous) (?:te |vous |t'en )?(?:retiennes|reteniez|souviennes|souveniez|rappelles|memorises|
  notes)\b
remember  \btu (?:dois|devrais) (?:te |bien |toujours )*(?:rappeler|souvenir|retenir) (?:que\b|qu'|de)
remember? \b(?:(?:peux|pourrais|pouvez|pourriez|veux)[- ](?:tu|vous)|tu (?:peux|pourrais)) (?:stp |s'il te plait |
  aussi |bien )*(?:te |vous |t'en )?(?:souvenir|rappeler|retenir|memoriser|noter) (?:que\b|qu'|de ceci|ceci|ca\b|:)
standing  <P><D>\b(?!,? (?:le|la|les|l'|ca|cela|ce|c'|il|elle|ils|un|une|notre|nos|chaque job)\b)(?!,? ?(?:l'|c'))
standing  <P>(?:ne\s+|n'\s*)(?:[\w'-]+ ){1,4}?(?:plus )?jamais\b
standing  <P>ne (?:plus )?jamais \w+(?:er|ir|re|oir)\b
standing  <P>(?:a |de )?toujours \w+(?:er|ir|re|oir)\b
standing  <P><V>,? (?:(?!que?\b|qui\b)[\w./-]+ ){0,3}?toujours\b
standing  <P>(?:<V>|pas d[e'])\b.*\b(?:desormais|dorenavant|a l'avenir|a partir de maintenant)\b
standing  \btu (?:ne )?(?:dois|devrais) (?:toujours|jamais|plus jamais) \w+
standing  <P>(?:il )?(?:ne )?faut (?:toujours|jamais|plus jamais) \w+(?:er|ir|re|oir)\b
standing  <P>(?:a )?chaque fois que (?:tu|vous|on) (?:change|touche|modifie|ajoute|commite|committe|cree|finis|
  termine|pousse|edite|supprime|renomme|fais|mets|ecris|lances)\w*\b[^,]*,
standing  <P>(?:ici,? |dans (?:ce|notre) (?:projet|depot|repo),? |chez nous,? )?on (?:n'|ne )?(?:utilise|commite|
  committe|pousse|merge|deploie|ecrit|fait|met|teste|touche|mocke|rebase|code|passe) (?:[\w-]+ ){0,3}?(?:jamais|
  toujours)\b
standing  <P>jamais (?:de |d')?\S+[,;] (?:mais )?toujours|<P>toujours \S+[,;] jamais
standing  <P>nouvelle regle\b
standing  <P>(?:veille[zr]?|assure[- ]toi|assurez[- ]vous|fais en sorte|prends soin|pense[zr]?|merci)(?: bien)? (?:a |
  de |d')?(?:bien )?toujours \w+
standing  <P>jamais (?:de |d')(?:force|push|commit|merge|deploy|deploiement|emoji|mock|secret)\w*
standing? \b(?:(?:peux|pourrais|pouvez|pourriez)[- ](?:tu|vous)|tu (?:peux|pourrais)) .*\b(?:desormais|dorenavant|
  a l'avenir|a partir de maintenant)\b
standing? \b(?:peux|pourrais|pouvez|pourriez)[- ](?:tu|vous) toujours \w+(?:er|ir|re|oir)\b
""",
    "es": r"""
P         ^(?:(?:y|pero|tambien|ok|vale|por favor|porfa|gracias|genial|bien|bueno|si|no|ah|entonces|importante|
  reglas?|ademas|perfecto|oye|por cierto|en general|luego|despues|listo)\b(?!\s+(?:me|te|se|lo|la|los|las|le|
  les)\b)[\s,:;.!—-]*)*¿?
C         (?:^¿?|[,;:(!.¡¿—]\s*|\s-+\s|\b(?:y|pero|tambien|por favor|porfa|entonces|luego|ok|vale)\s+)
V         (?:usa|ejecuta|escribe|pregunta|haz|pon|corre|lanza|muestra|responde|contesta|revisa|comprueba|verifica|
  prueba|crea|anade|agrega|actualiza|genera|regenera|documenta|comenta|formatea|firma|manten|deja|sigue|respeta|evita|
  prefiere|pide|consulta|lee|abre|guarda|commitea|despliega|pasa|instala|importa|borra|elimina|cambia|edita|modifica|
  toca|renombra|mueve|empieza|asegura|trata|explica|habla|di|da|avisa|confirma|espera|utiliza|incluye|propon|haga|use|
  ejecute|escriba|pregunte|responda|muestre|corran|usen|ejecuten|usad|haced|usemos|hagamos|poned|escribid|preguntad|
  testea|corre|usá|mantene|hace)(?:me|te|nos|lo|la|los|las)?
X         (?:hagas|uses|subas|ejecutes|escribas|pongas|corras|lances|borres|elimines|cambies|edites|modifiques|toques|
  renombres|muevas|commitees|despliegues|instales|importes|mockees|anadas|agregues|rebases|mergees|pushees|dejes|
  digas|asumas|inventes|ignores|saltes|desactives|mezcles|vuelvas|crees|generes|empieces|respondas|des|abras|cierres|
  publiques|olvides|metas|fuerces|reescribas|compartas|toqueis|hagais|useis|debes|deberias|hagan|usen|suban|toquen|
  apliques|utilices|confies|incluyas)
D         (?:a partir de (?:ahora|hoy)|de ahora en adelante|desde ahora|desde hoy|de aqui en adelante|en adelante|
  de hoy en adelante|en lo sucesivo|de ahora en mas)
question  ^(?:¿|por que\b|que\b|como se\b|cuando usar\b|cual\b|quien\b|donde\b|hay forma\b)
forget    <C>(?:puedes |podes )?(?:olvid[ae]r?|olvidate de|olvides) (?:todo )?(?:lo que\b|que\b)
forget    <C>(?:puedes )?(?:olvid[ae]r?|olvidate de) (?:la|mi|esa|esta|el|tu|las|mis|
  nuestra)\b(?: [\w-]+){0,2}? ?(?:regla|preferencia|nota|instruccion|norma|convencion|recuerdo|indicacion|manía)s?\b
forget?   (?:borra|elimina|quita|suprime)[rd]?\b.{0,60}(?:\brecuerdos?\b|de tu memoria)
remember  <C>(?:siempre )?(?:recuerda|recuerde|recuerden|recordad)\b(?!me\b|\s+(?:cuando|el ancho|la ultima|a los?\b))
remember  <C>recorda\b
remember  <C>(?:acuerdate|acuerdese|acordate|acordaos)\b(?!.{0,4}cuando)
remember  <C>no (?:te )?(?:olvides|olvide|olviden|olvideis)(?:\s*:|,? (?:de )?que\b)
remember  <C>(?:nota|apunte) (?:para (?:despues|luego|mas tarde|el futuro|mi)|mental)\b
remember  <C>(?:anota|anote|apunta|apunte)(?:te|lo)?(?:\s*[:,]| que\b| esto\b| lo siguiente)
remember  <C>(?:ten|tene|tenga|tengan|tened)(?: bien)? (?:en cuenta|presente|en mente)(?:\s*[:,]| que\b| esto\b)
remember  <C>toma(?:d)? nota\b|<C>tome nota\b
remember  <C>(?:memoriza|memorice)\b
remember  <C>(?:guarda|anade|agrega|pon|almacena|registra)(?:lo|la|r)?\b.{0,30}\b(?:en|a) tu memoria\b
remember  <C>para (?:la proxima(?: vez)?|el futuro|mas adelante|futuras sesiones|referencia futura)\s*[:,]
remember  \bquiero que (?:recuerdes|te acuerdes|memorices|anotes|tengas en cuenta)\b
remember  \b(?:debes|tienes que|deberias) recordar (?:que\b|esto)
remember? \b(?:puedes|podrias|puede|podes) (?:por favor )?(?:recordar|memorizar|anotar|apuntar|acordarte de|
  tener en cuenta) (?:que\b|esto\b|mi\b|:)
standing  <P><D>\b(?!,? (?:el|la|los|las|esto|este|esta|eso|se|un|una|nuestr[oa])\b)
standing  <P>(?:<V>|no <X>)\b.*\b<D>
standing  <P>en el futuro,? (?:<V>\b|no\b|por favor|siempre|nunca|quiero|evita)
standing  <P>siempre (?:(?:me|te|lo|la|que hacer|hay que) )?(?:<V>|hacer|[a-z]{3,}(?:ar|er|ir))\b
standing  <P><V> (?:(?!que\b)[\w./-]+ ){0,2}?siempre\b(?! que (?:fall|se\b))
standing  <P>siempre que <X>\b[^,]*,
standing  <P>cada vez que (?:<X>|[a-z]+(?:es|as))\b[^,]*, (?:por favor )?(?:<V>|hay que|debes)\b
standing  <P>(?:nunca|jamas)(?: mas| jamas)? (?:lo |la |me )?(?:<X>|[a-z]{3,}(?:ar|ear|er|ir)|hacer|volver)\b
standing  <P>no (?:lo |la |me )?<X>\b.{0,60}\b(?:nunca|jamas)\b
standing  <P>nunca mas\b
standing  \b(?:debes|tienes que|deberias)\b.{0,30}\b(?:siempre|nunca)\b
standing  <P>no debes (?:nunca|jamas)\b
standing  <P>(?:aqui|en est[ea] (?:proyecto|repo|repositorio|equipo)),? (?:siempre|nunca|jamas) \w+(?:amos|emos|
  imos)\b
standing  <P>(?:siempre|nunca) (?!hemos|habiamos|teniamos|tenemos|podemos|sabemos|vemos)\w+(?:amos|emos|
  imos)\b.*\b(?:aqui|en este (?:repo|proyecto))\b
standing  <P>nunca \S+[,;] siempre|<P>siempre \S+[,;] nunca
standing  <P>nueva (?:regla|norma)\b
standing  ^(?!si\b|cuando\b).*(?:\by|;|[.!]) (?:por favor )?nunca (?:mas )?<X>\b
standing? \b(?:puedes|podrias|podes) .*\b<D>
standing? \b(?:puedes|podrias|podes) (?:por favor )?(?:siempre \w+r|\w+r siempre)\b
""",
    "pt": r"""
P         ^(?:(?:e|mas|tambem|ok|por favor|pfv|pf|obrigado|obrigada|valeu|otimo|bem|bom|sim|nao|ah|entao|importante|
  regras?|alem disso|perfeito|olha|alias|em geral|depois|beleza|legal|certo)\b(?!\s+(?:me|te|se|
  lembro)\b)[\s,:;.!—-]*)*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:e|mas|tambem|por favor|pf|entao|depois|ok)\s+)
V         (?:use|usa|rode|roda|execute|executa|escreva|escreve|pergunte|pergunta|faca|coloque|coloca|mostre|mostra|
  responda|responde|revise|verifique|teste|testa|crie|cria|adicione|atualize|atualiza|gere|documente|comente|formate|
  assine|mantenha|mantem|deixe|siga|respeite|evite|evita|prefira|peca|pede|consulte|leia|abra|salve|commite|suba|
  instale|importe|apague|delete|remova|mude|altere|edite|modifique|mexa|toque|renomeie|mova|comece|garanta|
  certifique-se|explique|fale|diga|de|avise|confirme|espere|utilize|inclua|proponha|passe|mocke|rebaseie|publique|faz|
  usem|rodem|facam|evitem|inicie|trate|assuma|invente|ignore|pule|desative|misture|force|compartilhe|reescreva|confie|
  aplique|esqueca|ponha|escrevam)(?:-(?:me|se|o|a|os|as))?
D         (?:a partir de (?:agora|hoje)|de agora em diante|daqui (?:pra|para a|em|por) (?:frente|diante)|doravante|
  de hoje em diante|daqui pra frente)
question  ^(?:por que|por que|o que|como faz|quando usar|qual|quem|onde|tem como|sera que)\b
forget    <C>(?:(?:voce )?pode )?(?:esquec[ae]r?|esquece|esqueca-se d[eo]|
  esquece-te d[eo])(?: de)? (?:tudo )?(?:(?:d?o|d?aquilo )?\s?que\b)
forget    <C>(?:pode )?(?:esquec[ae]r?|esquece)(?: d?a| d?o| as| os| essa| esta| minha| a minha| aquela|
   sua)?\b(?: [\w-]+){0,2}? ?(?:regra|preferencia|nota|instrucao|norma|convencao|memoria|orientacao)s?\b
forget?   (?:apag[aue]+r?|remov[ae]r?|exclu[ai]r?|delet[ae]r?|tir[ae]r?)\b.{0,60}(?:\bd[ae] (?:sua |tua )memoria|
  \b(?:a|essa|esta|aquela) memoria (?:sobre|de que|do|da)\b)
remember  <C>(?:sempre )?lembrem?-(?:se|te)\b
remember  <C>lembra-te\b
remember  <C>lembre\b(?!-me)(?!.*\?)
remember  <C>se lembre\b
remember  <C>lembra (?:(?:tambem |ai |sempre )?(?:de )?que\b|disso|disto|:)
remember  <C>lembra\s*:
remember  <C>recorda(?:-te)? (?:de )?que\b|<C>recorde(?:-se)? (?:de )?que\b
remember  <C>nao (?:se |te )?(?:esqueca|esquece|esquecas|esquecam)(?:\s*:|,? (?:de )?que\b)
remember  <C>(?:nota|lembrete) (?:para (?:depois|mais tarde|o futuro|mim)|mental)\b
remember  <C>anot[ae](?: ai| isso| isto)?(?:\s*[:,]| que\b)
remember  <C>(?:tenha|tem|tenham) em (?:mente|conta)(?:\s*[:,]| que\b| isto\b| isso\b)
remember  <C>lev[ea] em (?:conta|consideracao)(?:\s*[:,]| que\b)
remember  <C>tom[ae] nota\b
remember  <C>memoriz[ae]\b
remember  <C>(?:guard[ae]|adicion[ae]|coloc[ae]|salv[ae]|registr[ae]|ponha)\b.{0,30}\b(?:(?:na|a|em) (?:sua|
  tua) memoria\b|na memoria que\b|na memoria\s*:)
remember  <C>para (?:a proxima(?: vez)?|o futuro|mais tarde|referencia futura|as proximas sessoes)\s*[:,]
remember  <C>pra proxima(?: vez)?\s*[:,]
remember  \bquero que (?:voce |tu )?(?:se )?(?:lembre|lembres|memorize|anote)\b
remember  \b(?:deve|precisa|tem que|devia) (?:se )?lembrar (?:de )?(?:que\b|disso)
remember? \b(?:pode|poderia|podes|consegue)(?: voce)? (?:por favor )?(?:se |te )?(?:lembrar|memorizar|anotar|
  guardar)(?:-se|-te)? (?:de )?(?:que\b|isto\b|isso\b|disso\b|:)
standing  <P><D>\b(?!,? (?:o|a|os|as|isto|isso|este|esta|esse|essa|um|uma|nosso|nossa)\b)
standing  <P>(?:<V>|nao <V>)\b.*\b<D>
standing  <P>no futuro,? (?:<V>\b|nao\b|por favor|sempre|nunca|quero|evite)
standing  <P>sempre (?:(?:me|te|o|a|que for|tem que) )?(?:<V>|[a-z]{3,}(?:ar|er|ir))\b
standing  <P><V> (?:(?!que\b)[\w./-]+ ){0,2}?sempre\b(?! que (?:falh|se\b))
standing  <P>sempre que (?:for |voce )?(?:mexer|mudar|alterar|tocar|editar|criar|adicionar|commitar|terminar|fizer|
  modificar|atualizar|remover|abrir|subir)\b[^,]*,
standing  <P>(?:toda|cada) vez que (?:for |voce |a gente )?\w+(?:ar|er|ir|izer)\b[^,]*,
standing  <P>(?:nunca|jamais)(?: mais| jamais)? (?:o |a |me )?(?:<V>|[a-z]{3,}(?:ar|er|ir))\b
standing  <P>nao <V>\b.{0,40}\b(?:nunca|jamais)\b
standing  <P>nunca mais <V>
standing  <P>(?:voce |tu )(?:nunca |sempre )?(?:deve|precisa|tem que|deves)\b.{0,20}(?:\bsempre\b|\bnunca\b)?
standing  \b(?:voce|tu) (?:deve|precisa|tem que) (?:sempre|nunca)\b
standing  <P>(?:aqui|neste (?:projeto|repo|repositorio|time)),? (?:a gente |nos )?(?:sempre|nunca|jamais) \w+
standing  <P>nunca \S+[,;] sempre|<P>sempre \S+[,;] nunca
standing  <P>nova (?:regra|norma)\b
standing  ^(?!se\b|quando\b).*(?:\be|;|[.!]) (?:por favor )?nunca (?:mais )?<V>\b
standing? \b(?:pode|poderia|podes) .*\b<D>
standing? \b(?:pode|poderia|podes) (?:por favor )?(?:sempre \w+r|\w+r sempre)\b
""",
}
