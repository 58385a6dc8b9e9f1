"""The words of German with which people ask; `request_words` says how to read them.

Its orders may be infinitives at the end ("erst fragen, dann löschen"), so patterns look there too.
"""

from __future__ import annotations

PATTERNS = r"""
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
"""
