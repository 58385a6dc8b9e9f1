"""The words of German with which people ask; `order_words` says how to read them.

Its orders may be infinitives at the end ("erst fragen, dann löschen"), so patterns look there too.
"""

from __future__ import annotations

PATTERNS = r"""
P         (?:und|aber|also|auch|ok|okay|bitte|danke|super|gut|ja|nein|ach|hey|achso|dann|noch|noch was|wichtig|hinweis|
  regeln?|ubrigens|generell|grundsatzlich|prinzipiell|ausserdem|passt|perfekt|klasse|so|nur|kurz)\b[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:und|aber|bitte|dann|also|auch|noch|ok|okay|daher|deshalb|drum)\s+)
V         acht aktualisier ander andr antwort arbeit bearbeit beginn begrend begrnd begrund benutz bleib check commit s
  chau kontrollier pack pass bau erganz refaktorier benenn trag pull fix logg bevorzug ignorier committ deploy dokument
  ier editier entfern erklar ersetz erstell fang fass fehr fhr force-push formatier frag fug fuhr geh generier gib halt
   hor importier informier installier kommentier lass leg lesch lies losch lsch mach merg mock nenn nimm nutz pfleg pre
  f prf pruf push rebas red ruf sag schreib setz signier speicher speichr sprich squash start stell stop stopp test tu
   verlass vermeid verwend wart zeig
D         (?:ab jetzt|ab sofort|ab heute(?! morgen| frueh| fruh| mittag)|ab nun|von nun an|von jetzt an|in zukunft|
  kue?nftig|zukue?nftig|fortan|nie wieder|nie mehr|ab morgen|ab dieser woche|fur die zukunft gilt|
  fuer die zukunft gilt)
N         (?:immer|niemals|nie wieder|nie mehr|nie|stets)
question  ^(?:warum|wieso|weshalb|was|wann|wie|wer|wo|welche[rsnm]?|gibt es|ist|sind|hat|hast|haben|stimmt|kann|kannst|
  konnte|konntest|soll|darf|weisst)\b
forget    <C>(?:du kannst )?vergiss(?: bitte| mal| jetzt)*,?\s+(?:alles,? )?(?:was|dass|das,? was)\b
forget    \bkannst (?:du )?(?:alles |das )?(?:bitte |wieder )?vergessen,? was (?:ich|du|wir)
forget    <C>vergiss(?: bitte| mal)? (?:die|meine|den|das|deine|diese|alle|unsere)(?: [\w-]+){0,2}? ?(?:\w*regel|
  \w*notiz|vorliebe|praferenz|praeferenz|anweisung|konvention|erinnerung|hinweis|vorgabe)\w*
forget?   (?:<C>|kannst du |bitte )?(?:lo?e?sche?|entferne?|streiche?)\b.{0,60}(?:erinnerung(?:en)?(?: (?:an |ue?ber |
  zu|dass|mit )|[.!]*$)|aus (?:deinem|dem) ged(?:ae?)chtnis|aus deine[rm] (?:erinnerung|memory|speicher))
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
remember  <C>speiche?re?(?: bitte)? (?:dir|das(?= (?:in|ins|bitte|ab|mal|fur|fuer|dir)\b)|dies|es|
  folgendes)\b.{0,30}(?:\bab\b|ged(?:ae?)chtnis|memory)
remember  <C>speiche?re? (?:dir )?ab\s*:
remember  <C>fue?rs? (?:die zukunft|spae?ter|das nae?chste mal|nae?chste mal|die nae?chste session)\s*:
remember  <C>zur erinnerung(?: fue?r \w+)?\s*:
remember  <C>beachte?(?: bitte)? (?:fue?r die zukunft|in zukunft|kue?nftig),? dass\b
remember? \b(?:kannst|ko?e?nntest|wue?rdest|magst) du (?:dir )?(?:bitte |das |noch |auch )*(?:merken|notieren)(?:,|:|$|
  \?)
standing  <P><D>\b(?!,? (?:lae?uft|ist|sind|wird|werden|ko?e?nnten? wir|ko?e?nnte|kann|hat|gibt|geht|kommt|dauert|
  braucht|bekommt|liegt) (?!du\b|wir\b|bitte\b|ich\b|all|jede))
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
standing  <P>(?:nach|vor|bei) (?:jede[mr])\b(?!.* (?:soll|sollen|wird|werden|muss|mussen)\b).*\b(?:[a-z-]{2,}(?:en|ern|
  eln)|<V>)[.!]*$|<P>(?:nach|vor|bei) jede[mr] [\w-]+,? (?:bitte )?<V>\b
standing  <P>(?:in|bei|vor|nach|fue?r|mit|auf)\b[^,]{0,50} (?:immer|nie|niemals) (?!noch|wieder).*\b[a-z-]{2,}(?:en|
  ern|eln)[.!]*$
standing  <P>(?:in|bei|vor|nach|fue?r|mit|auf)\b[^,]{0,50},? (?:bitte )?<V> (?:[\w./-]+ ){0,2}?<N>\b
standing  <P>(?!noch)[\w-]+ (?:immer|nie|niemals) (?!noch|wieder|mehr)(?:[\w-]+ ){0,2}?[a-z-]{3,}en\b[,.]
L         (?:fue?rs? (?:spae?ter|nae?chste(?:s)? mal|das nae?chste mal|die zukunft|die nae?chste session|
  kue?nftige sessions|die nae?chsten? \w+)|nae?chstes mal|beim nae?chsten mal|in zukunft|kue?nftig|zur zukunft)
S         (?:(?:die|alle|neue|unsere|deine|meine|jede[rs]?|der|den) )*(?:commits?|commit[- ]?(?:messages?|nachrichten|
  texte)|commitnachrichten|branch(?:es|namen?|-namen?)?|prs?|pull requests?|pr-(?:titel|beschreibung(?:en)?)|tests?|
  kommentare?|docstrings?|antworten|variablennamen|variablen|imports|migrationen|abhangigkeiten|unit-?tests|
  fehlermeldungen|tickets|doku|mocks?|secrets|neuer code|code)
I         (?:in|bei|fue?r) (?:diesem|dem|unserem|dieses|unser|im ganzen|das ganze) (?:repo|repository|projekt|codebase|
  team)
remember  {merk} <C>merke?'?s dir\b|\b(?:solltest|sollst|musst|kannst) du dir (?:das |bitte |gut |auch |
  unbedingt )*merken\b(?!.*\?)|\bwenn du dir\b.{0,20}\bmerken (?:konntest|koenntest|wurdest|wuerdest|kannst)\b|
  <C>merkzettel\b|\bdas (?:bitte |gut )?merken\b|\b(?:bitte |gut |unbedingt )merken[.!]*$|\bzum merken\b
remember  {info|wissen|weiss|weisst|hinweis|notiz|merke} <C>(?:zur info|info|hinweis|notiz|merke|nur (?:dass|
  damit) du'?s? (?:es )?|damit du'?s? (?:es |das )?|(?:gut|wichtig|gut|nur) zu wissen|dass du'?s? (?:es |
  das )?)\b.{0,30}(?:<L>|weisst)\b
remember  {weiss} <C>(?:nur |bloss )?(?:damit|dass) du'?s?\b.{0,40}\bweisst\b.{0,40}(?::|,)
remember  {vergiss} \b(?:damit|dass) du'?s?\b.{0,40}\bnicht (?:wieder |mehr )?vergisst\b
remember  {notier|notiz|vermerk|aufschreib|protokoll|festhalt|abspeicher|hinterleg|notizen} <C>(?:notieren|vermerken|
  aufschreiben|abspeichern|festhalten|hinterlegen|einpragen)\s*:|\bbitte (?:dir )?(?:notieren|vermerken|aufschreiben|
  abspeichern|festhalten|einpragen)\b(?!.*\b(?:im ticket|in der (?:readme|doku|datei|db|datenbank)|im changelog))|
  <C>notiz\s*:|<C>(?:notier|vermerk)e?(?: bitte| dir| mal| auch)*,? (?:dass|das|folgendes)\b|<C>(?:fue?rs|
  zu) protokoll\b.*:
remember  {notiz|vermerk|zettel} <C>(?:mach|leg|schreib|nimm|setz)e?(?: dir| bitte| mal| auch| noch)* (?:'?ne?|eine|
  einen|dir eine|in deine) (?:kurze |mentale |kleine )?(?:notiz|vermerk|merkzettel|notizen)\b(?! (?:in|an|im) (?:die|
  der|das|den|readme|code))(?!.*\breadme\b)
remember  {dran|daran} <C>denke?t?(?: bitte| immer| stets| auch| in zukunft| kue?nftig| mal)* (?:dran|
  daran)\s*[,:](?!.*(?:\bzu \w+|\w+zu\w+)en\b)
remember  {speicher|gedachtnis|gedaechtnis|memory|kopf|hinterkopf|fest} <C>(?:speiche?re?|leg|pack|schreib|nimm|trag|
  setz)e?(?: dir| bitte| das| es| mal)*\b.{0,20}(?:\bins? (?:dein |deinem )?(?:gedae?chtnis|memory|notizen)|
  \bim gedae?chtnis|<L>)\b|<C>speiche?re? dir\b|<C>halte?(?: dir)?(?: bitte)? fest\b|<C>halte?(?: dir| bitte|
   mal)* (?:das|es|folgendes)? ?(?:bitte )?fest\s*[,:]
remember  {behalt|behalte} <C>behalte?(?: bitte| das| es| mal| dir)*(?:\s*:| im (?:kopf|hinterkopf)|,? dass)
remember  {prag|praeg|ohren} <C>prae?g'?e?s? dir\b|\bhinter die ohren\b
remember  {vergess|vergiss} \b(?:bitte |ja |bloss )?nicht vergessen\s*[,:]|\bnicht (?:wieder )?vergessen,? (?:dass|wir|
  der|die|das)\b.* (?:ist|sind|hat|haben|braucht|lauft|laeuft|heisst|gilt|wird)\b|<C>vergiss(?: bitte|
   ja)? nicht\s*[,:](?!.*(?:\bzu \w+|\w+zu\w+)en\b)|<C>vergiss mir (?:ja |bloss )?nicht\b
remember? {merken|notieren|behalten|speichern|aufschreiben|festhalten|vermerken} \b(?:kannst|ko?e?nntest|wue?rdest|
  magst) du (?:dir )?(?:bitte |das |es |noch |auch |mal |dir )*(?:merken|notieren|vermerken|aufschreiben|abspeichern|
  festhalten|(?:im (?:kopf|hinterkopf|gedae?chtnis)) (?:behalten|speichern|ablegen))(?:,? dass\b|:|\?|$|,)
remember  {lektion|gelernt|fazit} <C>(?:lektion|lehre|gelernt|merke)\s*:
remember  {wissen|weisst|info} <C>(?:das )?(?:solltest|musst) du (?:dazu |noch |auch )?(?:fue?r (?:die zukunft|
  spae?ter|nae?chstes mal) )?wissen\s*[,:]
standing  {hor|hoer} <P>hoe?re?t?(?: bitte| endlich| mal)* (?:damit )?auf\b(?!.*\?).*\b(?:stae?ndig|jede[rmns]?|
  dauernd|immer|generell|kommentar\w*|zusammenfass\w*|entschuldig\w*|emojis?|mich|mir|ungefragt|neue|commits?)\b
standing  {kein|keine|nichts|nie } <P>keine?n? (?!ahnung|angst|sorge|problem|eintrag|zeile|daten|lust|
  idee)[^?]*\bmehr\b(?!.*\b(?:gibt|gefunden|kommt|kommen|da|vorhanden|nach|ubrig|uebrig)\b)|
  <P>(?:bitte )?nichts mehr \w+
standing  {will|mochte|moechte|mag} <P>ich (?:will|mo?e?chte|mag)\b[^?]*\b(?:keine?n?|nichts)\b.*\bmehr\b.*\b(?:sehen|
  lesen|haben|finden|horen|hoeren)\b|<P>ich (?:will|mo?e?chte)\b[^?]*\b(?:nie|niemals|nie wieder|nie mehr)\b
standing  {immer|nie|niemals|stets|nur|grundsatzlich|ausschliesslich|generell|durchgehend|
  prinzipiell} <P><S> (?:bitte |sind |werden |sollen |mussen |muessen |durfen |duerfen |fangen |beginnen |starten |
  gehoren |kommen |gehen |heissen |schreibst du |machst du )?(?:bitte )?(?:immer|nie|niemals|stets|nur noch|
  grundsatzlich|ausschliesslich|generell|durchgehend|prinzipiell)\b(?! (?:noch|wieder|rot|grun|fehl|gleich|leer|
  langsam|schief|durch|gelaufen))(?!.*\b(?:fehlschlagen|schlagen|schlug|fehl|rot|kaputt|langsam|liefen|hangen|warum|
  obwohl|war|waren|hatte|hatten)\b)(?!.*\?)
standing  {grundsatzlich|grundsaetzlich|ausschliesslich|durchgehend|generell|prinzipiell|konsequent|systematisch|
  standardmassig|standardmaessig} <P><V>\b[^?]*\b(?:grundsatzlich|grundsaetzlich|ausschliesslich|durchgehend|generell|
  prinzipiell|konsequent|systematisch|standardmae?ssig)\b|<P>(?:grundsatzlich|grundsaetzlich|generell|prinzipiell|
  konsequent|standardmae?ssig)(?: gilt|,|:|  )? ?(?:bitte |keine?\b|nie\b|nur\b|immer\b|erst\b|\w+st du\b|:|<V>\b)|
  , (?:grundsatzlich|generell|prinzipiell|ausnahmslos|ohne ausnahme)[.!]*$
standing  {gilt} <P>(?:es gilt|generell gilt|grundsatzlich gilt|allgemein gilt|hier gilt|bei uns gilt|fue?r (?:alle|
  neue|jede|unsere)\b[^,:]{1,40} gilt|in diesem (?:projekt|repo) gilt)\b
standing  {regel} <P>(?!.*\b(?:linter|eslint|firewall|parser|validator|css|passwort|regex|lint)\b)(?:(?:ein|eine|paar|
  die|unsere|meine|noch|neue|wichtige|folgende|hier|sind|es|gibt|gelten|weitere|ein paar|allgemeine|feste|klare|
  einfache|unser|kurz|als) )*(?:\w*)regeln?\b(?: (?:fue?r|in|bei|zum|zur|im|hier|lautet|ist|die)\b[^:]{0,60})?\s*(?::|
  —)
standing  {repo|projekt|bei uns|team|codebase| hier } <P>(?:<I>|im repo|im projekt|bei uns|hier),? (?:wird|werden|
  bitte|nutzen wir|verwenden wir|benutzen wir|schreiben wir|machen wir|nehmen wir|nur|keine?|
  kein)\b(?!.*\?)(?:.*\b(?:nie|niemals|immer|nur|kein|keine|nicht|stets|grundsatzlich|statt|ausschliesslich)\b|
  .*\bwir\b)
standing  {repo|projekt|codebase} <P>(?:nutze?|verwende?|benutze?|nimm|vermeide?|bevorzuge?)\b[^?]*\b<I>\b
standing  {nachst|naechst} <P>(?:beim )?nae?chste[sn]? mal\b(?!.*\b(?:klick\w*|wenn der|wenn die|cron|aufruf|
  start)\b)(?!.*\?)|<P>(?:nur )?<V>\b[^?]*\b(?:beim )?nae?chste[sn]? mal\b(?!.*\b(?:klick|cron|nutzer|user)\w*)
standing  {keinen fall|keinem fall|tabu|verboten|finger weg|untersagt|umstanden} <P>(?:du (?:darfst|
  sollst)\b.*)?\bauf (?:gar )?keinen fall\b(?!.*\?)(?=.*(?:en|ern|eln|du)\b)|\b(?:ist|sind|bleibt|
  bleiben) (?:\w+ )?tabu\b|<P>finger weg von\b|<P>du darfst\b[^?]*\bauf (?:gar )?keinen fall\b
standing  {gewohn|gewoehn} <P>gewoe?hne?(?: bitte)? dir(?: bitte)?\b.*\b(?:an|ab)\b
standing  {anderes sage|anders sage|sofern|solange|ausser ich} <P>(?:solange|sofern|wenn|ausser|falls) (?:ich|
  wir)\b[^,]*\b(?:anderes|anders|explizit|ausdrucklich)\b[^,]*, (?:bitte )?(?:immer )?<V>\b|<P><V>\b[^?]*, (?:ausser|
  sofern|solange|es sei denn),? (?:wenn )?ich\b
standing  {ohne} <P>(?:bitte )?(?:<V>\b|du\b|nichts\b|keine?\b|nie\b)[^?]*\bohne (?:mich zu fragen|rucksprache|
  ruecksprache|(?:vorher|mich vorher|vorher mich) zu fragen|meine (?:zustimmung|freigabe|erlaubnis)|mein (?:ok|okay|
  einverstandnis)|nachzufragen|zu fragen)\b
standing  {bevor} <P>frage?(?: bitte)? (?:mich |nach )?(?:bitte |immer |vorher |erst |erst nach |nach )*,? ?bevor du\b
standing  {lieber|bevorzug} <P>ich (?:bevorzuge|habe lieber|mag lieber)\b(?!.*\b(?:hier|diesmal|variante|option|
  losung)\b).*\b(?:statt|als|gegenuber|vor)\b|<P>bevorzuge?\b.*\b(?:statt|vor|gegenue?ber)\b
standing  {immer|niemals|nie} <P>(?!.*\b(?:fehl\w*|kaputt|rot|langsam|passiert|war|kommt|klappt|geht|liefert|
  gibt)\b)(?!es (?!wird)|das (?!gilt|bleibt)|der |er |sie )[^,?]{1,80}, (?:immer|niemals|nie|nie wieder|jedes mal|
  ausnahmslos|ohne ausnahme|und zwar immer)[.!]*$
standing  {immer|stets} <P>(?!.*\b(?:wird|werden|ist|sind|hat|soll|sollte|muss|kann)\b)[a-z-]+(?: bitte)? (?:immer|
  stets) (?!noch|wieder|mehr)(?:[\w./-]+ ){0,4}?[a-z-]{3,}(?:en|ern|eln)[.!]*$
forget    {gilt nicht mehr|gelten nicht mehr|hinfallig|uberholt|obsolet|vom tisch|hinfaellig|erledigt} <P>(?:die|das|
  meine?|unsere?|diese|der)\b(?!.*\b(?:css|eslint|lint|firewall)).{0,40}(?:regel|vorgabe|anweisung|notiz|vorliebe|
  konvention|das mit|hinweis|was ich).{0,60}\b(?:gilt nicht mehr|gelten nicht mehr|ist (?:hinfae?llig|ue?berholt|
  obsolet|vom tisch))\b(?!.*\?)
forget    {vergiss|vergessen|losch|loesch|streich} <C>vergiss(?: bitte| mal| wieder)*,? (?:das|die sache|
  die geschichte) (?:mit|ue?ber|von|zu)\b|<P>(?:das mit|die sache mit|meine|die regel|die vorgabe|die anweisung|
  die notiz|den hinweis)\b.{1,60}\bkannst du (?:bitte |wieder |jetzt )*(?:vergessen|loschen|loeschen|streichen)\b|
  <C>vergiss(?: bitte)? alles,? (?:ue?ber|zu|zum|was|von)\b(?!.*\bist\b)|<C>vergiss(?: bitte| mal)* (?:die|den|meine|
  deine)\b.{0,30}\b(?:wunsch|bitte|vorliebe|regel)\b
forget    {streich|losch|loesch|entfern|verg} <C>(?:du kannst )?(?:die|diese|meine|deine) (?:\w+ )?(?:\w*regel|vorgabe|
  anweisung|vorliebe|konvention|notiz)n?\b(?!.*\b(?:eslint|datei|config|readme|\w*rc)\b)[^?]*\b(?:streichen|
  vergessen)\b
forget?   {gedachtnis|gedaechtnis|speicher|memory|notizen} \baus deine[mnr] (?:gedae?chtnis|speicher|memory|erinnerung|
  notizen) (?:\w+ )?(?:loschen|loeschen|streichen|entfernen|werfen|nehmen|raus)|<C>(?:lo?e?sch|streich|entfern|wirf|
  nimm|vergiss)\w*\b.{0,70}\baus deine[mnr] (?:gedae?chtnis|speicher|memory|erinnerung|notizen)\b|
  <C>lo?e?sche? (?:deine|die) (?:notiz|erinnerung) (?:ue?ber|zu|zum|zur|dass)\b(?!.*\b(?:readme|datei|formular)\b)
standing  {ab jetzt|ab sofort|ab heute|ab nun|von nun an|von jetzt an|nftig|fortan|fur den rest|fuer den rest|
  in zukunft} ^(?!.*\?)(?=.*\b(?:du|bitte|wir|immer|nur|nicht|kein\w*|gehoren|gehoeren|kommen|alle|neue\w*|jede\w*|auf|
  statt|erst|mit|\w+en)\b)(?!.*\b(?:steht|laut|sagt|sagen|kaputt|fehler|fehlschlag\w*|keiner weiss|warum|morgen|
  angeblich|konnten?|koennten?|konnte|vielleicht|bis)\b)(?!.*[,;] (?:also |bitte |und |dann )*(?:pass|fix|andere?|
  aktualisiere?|korrigiere?|anpassen)\b)(?!.*\b(?:lauft|laeuft|liefert|startet|dauert|heisst|gibt|kommt)\b)(?!(?:der|
  die|das|dieser|diese|unser|unsere) (?:job|api|server|dienst|cron|build|endpunkt|nutzer|client|worker|
  pipeline)\b).*\b(?:ab jetzt|ab sofort|ab heute(?! morgen| frueh| fruh| mittag)|ab nun|von nun an|von jetzt an|
  kue?nftig|zukue?nftig|fortan|fue?r den rest (?:des|der|dieses)|in zukunft)\b
standing  {alle mal|allemal} <P>(?!.*\b(?:behebe?|fix\w*|loe?se?|beheben|losen|klare?)\b).*\bfue?r alle ?mal\b
standing  {schluss} <P>schluss (?:jetzt )?mit\b(?!.*\?)
standing  {keine|kein} <P><V>(?: bitte| mir| dir| jetzt| da)* keine?n?\b(?!.*\b(?:wenn|sobald|falls|
  nachdem)\b)[^?]*\bmehr\b
standing  {nicht} <P><V>(?: bitte| mir| mich)*\b[^?,]*\bnicht mehr\b(?!.*\b(?:wenn|sobald|falls|nachdem|
  diese[rmns]?)\b)
standing  {jemals|nie } <P>ich (?:will|mo?e?chte) (?:nicht|nie|niemals),? dass du\b(?=.*\b(?:jemals|je|nie|selbst|
  eigenmachtig|ohne)\b)
standing  {immer} <P>(?:beim|vorm|zum|im|am)\b[^,?]{0,50} (?:immer|nie|niemals|stets) (?!noch|
  wieder).*\b[a-z-]{2,}(?:en|ern|eln)[.!]*$
standing  {immer|nie} <P>(?:erklar|erklaer|zeig|sag|frag|gib|nenn|schreib|mach|lass|halt|antworte?)e?(?: mir| mich|
   dich| bitte| uns| das| es| dir| einfach)* (?:immer|nie|niemals|stets)\b(?! noch)
standing  {immer|nie|stets} <P>(?:wenn|bevor|nachdem|sobald|falls) du\b[^?]*\b(?:immer|nie|niemals|
  stets)\b(?! noch)(?!.*\b(?:klick|fehler|kommt|passiert)\w*)
standing  {dran|daran} <P>halte? dich\b[^?]*\b(?:immer|stets|daran|dran|kue?nftig)\b
remember  {merk} <C>merke?t?(?: (?:es|das|dies|bitte|mal|gut|endlich|auch|noch))* (?:dir|euch)\b(?!.*\?)
remember  {kopf} <C>hab(?:e|t)?\b.{0,20}\bim (?:hinterkopf|kopf)\b
remember  {spater|spaeter|nachste mal|naechste mal|zukunft|nachstes mal} <C>(?:notiz |info |
  merke )?fue?rs? (?:spae?ter|die zukunft|(?:das )?nae?chste mal|nae?chstes mal)\b(?! gilt)[^:?]{0,30}:
forget    {regel|vorgabe|anweisung|vorliebe|konvention|notiz} <P>(?:die|meine|den|deine|unsere|
  diese) (?:[\w-]+ )?[\w-]*(?:regel|vorgabe|anweisung|vorliebe|konvention|notiz)\b[^?]{0,60}\bkannst du (?:bitte |
  wieder |jetzt |auch )*(?:vergessen|loschen|loeschen|streichen|ignorieren|weglassen)\b(?!.*eslint)
remember  {fur |fuer |furs|fuers|merke} ^[^:?]{0,50}\bfue?r (?:spae?tere?|kue?nftige|zukue?nftige|die nae?chsten?|
  nae?chste|weitere) ?[\w-]*\s*:|<C>merke?\s*:
forget    {alles} <C>(?:losch|loesch|vergiss|streich|entfern)\w*(?: bitte| mal)? alles,? was (?:du|
  ich)\b[^?]*\b(?:weisst|gemerkt|gesagt|notiert|gespeichert)\b
standing  {immer|nie|nur noch} <P>(?!(?:der|das|dies\w*|ein|eine|da|hier)\b)(?!.*\bnie (?:im leben|
  auf zu)\b)(?!.*\b(?:ist|sind|wird|werden|war|waren|kommt|lauft|laeuft|geht|hat|haben|hatte|fehl\w*|gibt|liegt|landet|
  steht|bleibt|ich|er|sie|es|man|warum|hangt|dauert|dauern)\b)(?:[\w/.-]+ ){1,4}(?:immer|nie|niemals|nur noch) (?:im|
  in|ins|auf|mit|als|ohne|ue?ber|unter|aus|vor|nach|per|via|zuerst|klein|gross)\b(?!.*\?)
standing  {ohne} <P>(?:<V>\b|du\b|keine?\b|nichts\b|nie\b)[^?]*\bohne (?:dass (?:wir|ich)|mit mir|es mit mir|
  das mit mir|vorher mit mir|absprache|abstimmung)\b
standing  {wag|komm nicht auf} <P>wage?s?(?: es| ja)? (?:ja |bloss )?nicht\b|<P>komm (?:ja |
  bloss )?nicht auf die idee\b
remember  {vergisst} \bdu (?:es |das |'s |mir das )*nicht (?:wieder |mehr )?vergisst\b
remember  {achtung|vorsicht|obacht} <C>(?:achtung|vorsicht|obacht|aufgepasst)\b.{0,4}\b<L>
remember  {merken|info} ,\s*merken[.!]*$|<C>behalte?(?: bitte)? (?:diese|die|folgende) (?:info|information)\b
forget    {vergiss es|vergiss das|erledigt} <P>(?:das mit|die sache mit|die regel|
  die geschichte mit)\b[^?]{1,60}(?:, (?:also |bitte )*vergiss (?:es|das|sie)|\bhat sich erledigt)\b
"""
