"""The words of French with which people ask; `order_words` says how to read them.

Its orders are imperatives that often look like the third person; so the verbs of working are listed.
"""

from __future__ import annotations

PATTERNS = r"""
P         (?:et|mais|aussi|ok|okay|stp|svp|s'il te plait|s'il vous plait|merci|super|bien|bon|oui|non(?=,)|ah|alors|
  important|au fait|regles?|rappel|puis|ensuite|parfait|en general|de maniere generale|pense a|merci de|pensez a|
  encore une chose|attention|du coup|donc)\b[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:et|mais|puis|aussi|stp|svp|alors|merci|donc|du coup)\s+)
V         ajoute appelle arrete attends change cherche choisis cite commence commente commite committe compile regarde
   controle checke adapte enleve retire signale limite nettoie refactorise squash rebase mocke code traite note resume
   fixe bloque livre merge confirme consulte corrige cree decoupe demande deplace deploie dis documente donne ecris eff
  ace evite execute explique fais formate garde genere importe indique installe joins laisse lance lis mentionne mets m
  odifie montre nomme ouvre parle passe pousse precise prefere prends previens privilegie propose range regenere relanc
  e relis renomme reponds respecte signe suis supprime teste tiens touche travaille trie utilise verifie
D         (?:desormais|dorenavant|a partir de (?:maintenant|la(?=\s*[,.:!]|$)|aujourd'?hui)|a l'? ?avenir|plus jamais|
  jamais plus|dorenavent|a compter (?:d'aujourd'hui|de maintenant)|des maintenant|des a present)
Q         (?:que\b|qu'|:|,|ceci|cela|ca\b|bien|le fait|mon|ma|mes|de)
question  ^(?:pourquoi|quand est|comment|est-ce|qu'est|que veut|qui|ou est|quel|quelle|peux|pourrais|as-tu|
  tu te (?:souviens|rappelles))\b
forget    <C>(?:tu peux |vous pouvez )?(?:oublie[zr]?) (?:tout )?(?:ce que|ce qu'|que|qu')\s*(?!tu veux)
forget    <C>(?:tu peux |vous pouvez )?oublie[zr]? (?:la|ma|cette|le|ta|les|mes|mon|notre|
  l')\s?(?:[\w-]+ ){0,2}?(?:regle|preference|consigne|demande|note|souvenir|instruction|convention|remarque)s?\b
forget?   (?:supprime|efface|retire|enleve)[rz]?\b.{0,60}(?:\bsouvenirs?\b|de (?:ta|votre) memoire)
remember  <C>(?:souviens[- ]?toi|souvenez[- ]?vous|rappelle[- ]toi|rappelez[- ]vous)\b(?!.{0,6}(?:quand|comment|
  du jour))
remember  <C>n'? ?oublie[sz]? (?:pas|jamais) (?:que\b|qu'|:|,)|<C>n'? ?oublie[sz]? (?:pas|jamais)\s*:
remember  <C>note[zs]? (?:bien |quelque part |stp |aussi )*(?:que\b|qu')
remember  <C>note[zs]? bien\s*:|<C>note[zs]? :(?!.*changelog)
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
remember  \bque (?:tu|vous) (?:te |vous |t'en )?(?:retiennes|reteniez|souviennes|souveniez|rappelles|memorises|notes)\b
remember  \btu (?:dois|devrais) (?:te |bien |toujours )*(?:rappeler|souvenir|retenir) (?:que\b|qu'|de)
remember? \b(?:(?:peux|pourrais|pouvez|pourriez|veux)[- ](?:tu|vous)|tu (?:peux|pourrais)) (?:stp |s'il te plait |
  aussi |bien )*(?:te |vous |t'en )?(?:souvenir|rappeler|retenir|memoriser|noter) (?:que\b|qu'|de ceci|ceci|ca\b|:)
standing  <P><D>\b(?!,? (?:le|la|les|l'|ca|cela|ce|c'|il|elle|ils|un|une|notre|nos|chaque job)\b)(?!,? ?(?:l'|c'))
standing  <P>(?:ne\s+|n'\s*)(?:[\w'-]+ ){1,4}?(?:plus )?jamais\b
standing  <P>ne (?:plus )?jamais \w+(?:er|ir|re|oir)\b
standing  <P>(?:a |de )?toujours \w+(?:er|ir|re|oir)\b
standing  <P><V>,? (?:(?!que?\b|qui\b)[\w./-]+ ){0,3}?toujours\b
standing  <P>(?:pas d[e']|<V>)\b.*\b(?:desormais|dorenavant|a l'avenir|a partir de maintenant)\b
standing  \btu (?:ne )?(?:dois|devrais) (?:toujours|jamais|plus jamais) \w+
standing  <P>(?:il )?(?:ne )?faut (?:toujours|jamais|plus jamais) \w+(?:er|ir|re|oir)\b
standing  <P>(?:a )?chaque fois que (?:tu|vous|on) (?:change|touche|modifie|ajoute|commite|committe|cree|finis|termine|
  pousse|edite|supprime|renomme|fais|mets|ecris|lances)\w*\b[^,]*,
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
forget    <C>oublie[zr]? (?:ma|mes|mon) (?!derni|precedent)
forget?   \b(?:(?:peux|pourrais|pouvez|pourriez)[- ](?:tu|vous)|tu (?:peux|
  pourrais)) (?:stp )?oublier (?:tout )?(?:ce que|que|ma|la regle)\b
remember  <C>(?:souviens-t'en|souvenez-vous-en|rappelle-t'en|garde[sz]?-le (?:bien )?(?:en tete|a l'esprit))\b
remember  \b(?:chose|chose importante|point|info)s? a (?:retenir|noter)\b|\bpour que tu (?:t'en |te )?(?:souviennes|
  rappelles)\b
remember  <C>(?:ecris|note|marque)-?(?:toi|le|la)?[- ](?:ca|cela|ceci|le)\b.{0,20}(?::|quelque part|dans tes notes)
remember  <C>(?:ecris|ajoute|note|mets|garde)\b.{0,40}\bdans (?:tes notes|ta memoire)\b
remember  \b(?:peux|pourrais)[- ]tu (?:te )?(?:rappeler|souvenir)\b.*\bque\b(?!.*\?)
standing  <P>[\w.-]+(?: \w+)?, toujours[.!]*$|<P>plus de\b.*, (?:plus )?jamais\b|
  <P>plus (?:jamais )?d[e'].*\b(?:desormais|jamais)\b
standing  <P>je (?:veux|voudrais|souhaite) que tu (?:ne )?[\w']+ (?:[\w']+ )?(?:toujours|jamais)\b
standing  <P>(?:quand|lorsque|si|avant que|apres que|des que) tu\b[^,]*, (?:stp )?(?:ne \w+|
  <V>) (?:[\w./-]+ ){0,3}?(?:toujours|jamais)\b
standing  <P>en cas de doute,|<P>dans le doute,|<P>(?:sous aucun pretexte|en aucun cas)\b
standing  <P>pour (?:tous les |toutes les |les )?(?:prochains?|futurs?|prochaines|futures) (?!fois)\w+,?
standing  <P>n'?e?\s?\w+ jamais,
remember  <C>(?:retiens|retenez|memorise|note)-(?:le|la|les|ca|bien)\b|<C>(?:mets|garde|
  enregistre)z? en memoire (?:que\b|qu'|:)
remember? \b(?:(?:peux|pourrais|pouvez|pourriez)[- ](?:tu|vous)|tu (?:peux|pourrais)) (?:stp )?garder (?:en tete|
  a l'esprit|en memoire) (?:que\b|qu'|:)
standing  <P>(?:je (?:prefere|prefererais|veux|voudrais|souhaite)|j'aimerais|
  il vaut mieux) que tu (?:ne )?[\w']+ (?:[\w']+ )?(?:toujours|jamais)\b
standing  <P>(?:merci|arrete|pense|evite)\b.*\b(?:desormais|dorenavant|a l'avenir|a partir de maintenant)\b
standing  <P>(?:dans|avant|apres|pour|lors|en|chez|sur|a chaque)\b[^,]{0,60},? (?:stp )?(?:n(?:e |
  ')[\w-]+ (?:plus )?jamais|<V> (?:[\w./-]+ )?(?:toujours|jamais))\b
standing  <P>(?:avant|apres) chaque\b[^,]{0,40},? <V>\b|<P>toujours, (?:vraiment )?toujours\b
L         (?:la prochaine(?: fois)?|plus tard|la suite|l'avenir|les prochaines (?:fois|sessions)|le futur|
  reference future|apres)
S         (?:(?:les|tous|toutes|le|la|l'|nos|mes|tes|nouveaux|nouvelles|un|une|messages de|noms de|titres de|titre de|
  nom de|message de|titres des|titre des) ?)*(?:commits?|branches?|prs?|pull requests?|tests?(?: unitaires)?|
  commentaires?|docstrings?|reponses|variables?|imports?|migrations?|dependances|mocks?)
A         (?:utilise|prefere|privilegie|evite|garde|reste sur|ecris|n'utilise|utilisez|preferez|evitez)
remember  {note|notez|marque|inscris} <C>(?!note\s?[:,](?!.*\b(?:le|la|les|est|un|une|des)\b))(?:note|notez|marque|
  inscris)(?:[- ]toi)?(?:[- ](?:ca|cela|ceci|le|bien))?(?: quelque part| stp| svp| bien| aussi| pour <L>)*(?:\s*[:,]|
   que\b| qu'|[.!]*$)(?!.*changelog)
remember  {tete|esprit|memoire} <C>(?:a )?gard(?:e|ez|er)(?: bien)?(?: ca| cela| ceci| ce point|
  -le)?(?: bien)? (?:en tete|a l'esprit|en memoire)\b(?!.*\?)|\bque tu (?:gardes|aies|mettes|
  conserves)\b.{0,12}\b(?:en tete|a l'esprit|en memoire)\b
remember  {retien|retenir|reteni} <C>(?:il faut|faut|tu dois|vous devez|a)(?: bien)? retenir\b|<C>(?:retiens|
  retenez)(?:-le|-la|-les)?\b(?= (?:bien|qu|que|ca|ceci|cela|le fait|pour)|\s*[:,]|[.!]*$)|\bdonc retien[st]\b
remember  {oubli} <C>(?:n'? ?|t'|ne |n'en )?oublie[sz]? (?:pas|jamais|surtout pas) (?:que\b|qu'|:|,)|
  <C>(?:et )?(?:n'? ?)?oublie[sz]? (?:pas|jamais)\s*[:,]|\bque tu n'oublies (?:pas|jamais|plus)\b|
  \bne pas oublier (?:que\b|qu'|:)
remember  {souv|rappel} \b(?:faut|faudrait|important|bien|utile|veux|voudrais|aimerais|histoire|pour|
  afin)\b.{0,12}\bque tu (?:te |t'en |t'|le )*(?:souviennes|rappelles|retiennes)\b|<C>(?:souviens|
  rappelle)[- ]?toi(?:[- ]en)?\b(?! (?:quand|comment|du jour))(?!.*\?)|<C>(?:bien )?se (?:souvenir|rappeler) (?:que|
  qu'|:)
remember  {memo|pense-bete|note|pense bete} <C>(?:petit |petite |un |mets(?:-toi)? un |fais(?:-toi)? un |
  mets[- ]toi une |fais[- ]toi une |laisse[- ]toi un )?(?:memo|pense[- ]bete|note(?! ?[:,]))(?: pour (?:toi|plus tard|
  la suite|moi|la prochaine fois|<L>)| a toi-meme)?\s*[:,](?!.*changelog)|<C>(?:mets|fais|laisse|cree|
  ecris)(?:[- ]toi)? (?:un|une) (?:petit |petite )?(?:memo|pense[- ]bete|note) (?:que|qu'|pour (?:toi|plus tard|
  la prochaine))
remember  {pour info|savoir|sache|saches|pour memoire|fyi|a savoir|attention|info} <C>(?:pour (?:ton |
  votre )?info(?:rmation)?|fyi|info|(?:bon|utile|important|bien) a savoir|sache[sz]?|pour que tu (?:le |la |
  t'en )?saches|histoire que tu (?:le )?saches|attention)\b.{0,20}\bpour <L>\b|<C>(?:histoire|pour|afin) que tu (?:le |
  la )?saches\b.{0,25}[:,]|<C>sache[sz]?(?: bien)? pour <L>\b|<C>pour memoire\b
remember  {pour la |pour l'|pour les p|pour plus|pour le f|pour ref|pour apres} <C>pour <L>\s*:|
  <C>pour (?:la prochaine(?: fois)?|plus tard)\s*[:,]
remember  {memoire|notes} <C>(?:enregistre|ajoute|mets|stocke|sauvegarde|note|ecris|inscris|grave|garde|consigne|
  sauve)[rz]?(?:-le|-ca|-la)?\b.{0,40}\b(?:dans (?:ta|votre|la) memoire|a (?:ta|votre) memoire|(?:a|dans) (?:tes|
  vos) notes)(?= (?:que|qu')|\s*[:,]|[.!]*$)|<C>(?:enregistre|mets|garde|stocke|sauvegarde)[rz]?(?: ca|
   ceci)? en memoire(?= (?:que|qu')|\s*:)
remember  {compte|vue|conscien} <C>tiens (?:bien )?compte\b.{0,25}\b(?:du fait|que|qu'|a l'avenir|desormais)\b|
  <C>(?:ne )?(?:perds?|perdez) pas de vue (?:que|qu')|<C>prends en compte (?:pour <L>|que\b|qu')
remember? {not|reten|memo|gard|souv|rappel|enregistr} \b(?:(?:peux|pourrais|pouvez|pourriez|veux)[- ](?:tu|vous)|
  tu (?:peux|pourrais|veux bien)|vous pouvez) (?:stp |s'il te plait |aussi |bien |me )*(?:te |vous |t'en )?(?:noter|
  retenir|memoriser|enregistrer|garder|te souvenir|te rappeler|marquer)(?: bien)?(?: (?:ca|cela|ceci|le))? ?(?:en tete|
  en memoire|a l'esprit|quelque part|pour <L>|que\b|qu'|:)
standing  {arret|cesse|stop } <P>(?:arrete[zr]?|cesse[zr]?|stop)(?: stp| svp| un peu| donc)* (?:de |d'|avec (?:les|
  tes) )(?!.*\b(?:onglet|serveur|requete|polling|worker)\b).*\b(?:chaque|tout le temps|toujours|me\b|m'|t'excus\w*|
  mes\b|commentaires?|resum\w+|emojis?|mocks?|sans (?:me )?demander|une bonne fois|constamment|systematiquement|
  partout|sans arret|pour rien|commits?)
standing  {plus d} <P>plus (?:jamais )?(?:de |d'|aucun )(?!\d|memoire|lignes?\b|place|temps|details?|la moitie|
  contexte|tests?\b|logs?\b|deux|trois)(?!.*\b(?:on abandonne|que faire|disponible|et on|que\b|par|dans le (?:tableau|
  fichier))\b)[a-z`-]+
standing  {veux plus|veux pas|voudrais plus|veux plus jamais|souhaite plus} <P>(?:je )?(?:ne |n')?(?:veux|voudrais|
  souhaite) (?:plus|pas)(?: jamais)? (?:voir|que tu|te voir|trouver|avoir a|lire|de (?:mock|emoji|commentaire|resume|
  console)\w*)\b(?!.*\?)
standing  {toujours|jamais|uniquement|que |seulement|systematiquement} <P>(?!.*\b(?:pass\w+|echou\w+|plant\w+|rouges?|
  casse\w*|lents?|marche\w*|fail\w*|bloqu\w+|n'echou\w+)\b)<S> (?:(?:doivent|devraient|commencent|sont|se|vont|restent|
  s'ecrivent|commence|doit|est|c'est|a|ne|n'est|modifient|touchent) )*(?:etre )?(?:toujours|jamais|uniquement|
  systematiquement)\b(?!.*\b(?:echou\w+|plant\w+|rouges?|casse\w*|lents?|pass\w+ pas|marche\w*|fail\w*|
  bloqu\w+)\b)(?!.*\?)
standing  {sormais|sormé|navant|navent|partir d|avenir|compter d|s maintenant|s a present} <P><D>,? (?:le|la|les|l'|un|
  une|ce|c'|notre|nos|on|tous|toutes|chaque|il)(?!.*\?)(?!.*[,;] (?:stp |donc |et )*(?:corrige|adapte|mets a jour|
  change|modifie|est-ce|verifie))(?! ?(?:job|serveur|service|cron|api|build)\b)(?! ?\w+ (?:tourne|renvoie|retourne|
  affiche|plante|est lance))
standing  {prochaine} <P>(?:la prochaine fois|la prochaine)(?! que (?:le|la|l'|un|une|les|qu'il)\b),? (?:stp |svp |
  merci de )?(?!release|version|reunion|etape|iteration|session|mise)(?:<V>|ne\b|n'|pense|tu\b|je prefere|demande)
standing  {prochaine} <P>(?:ne |n')?<V>\b[^?]*\bla prochaine fois(?! que (?:le|la|l'|il))
standing  {defaut|indication contraire|avis contraire|regle generale|en principe|sauf} <P>(?:par defaut|
  sauf (?:indication|avis|mention|instruction|si je)[^,]*|en regle generale|en principe|
  de facon generale),? (?:stp )?(?:ne\b|n'|toujours|jamais|pas de|je (?:veux|prefere)|on (?:utilise|prefere|evite)|
  <V>)\b
standing  {regle|consigne|convention} <P>(?!.*\b(?:linter|eslint|pare-feu|parser|validateur|css|regex|lint|
  mot de passe)\b)(?:(?:la|les|une|quelques|nos|mes|ma|voici|autre|nouvelle|nouvelles|petites?|deux|trois|autres|
  c'est) )*(?:regles?|consignes?|conventions?)\b(?: (?:du|de|d'|pour|ici|generales?|a|dans|chez|communes?|qui|est|
  sont)\b[^:]{0,60}?)?(?:\s*(?::|—)|,? c'est\b)
standing  {depot|repo|projet|chez nous|ici|equipe|codebase} <P>(?:dans (?:ce|notre|le) (?:depot|repo|projet|code)|
  chez nous|ici|sur ce (?:projet|repo|depot)),? (?:on (?:n'|ne |s')?(?:utilise|pousse|merge|ecrit|fait|met|prefere|
  evite|code|commite|reste|passe|nomme|travaille)\w*\b(?!.*\?)|(?:les|le|la|l')\b.*\b(?:ne .* jamais|toujours|jamais|
  doivent)\b|(?:pas|jamais|plus) d[e']|que d[eu]s?|<A>\b)
standing  {depot|repo|projet} <P><A>\b[^?]*\b(?:dans|pour|sur) (?:ce|notre|tout le) (?:depot|repo|projet|
  code)\b(?!.*\bce (?:fichier|script)\b)
standing  {chaque|fois que} <P>(?:a )?chaque (?:fois que (?:tu|vous|on)\b|(?:migration|commit|pr|push|merge|release|
  modif\w*|changement|nouvelle?|ajout|fichier|endpoint|refacto\w*)\b)(?!.*\b(?:clic|clique|utilisateur|
  plante)\b)[^,]*, (?:stp |il faut |pense a )?(?:ne\b|n'|<V>)
standing  {avant chaque|apres chaque|a chaque} <P>(?:pense[zr]? a|lance|fais|verifie|execute|mets|demande|montre|relis|
  <V>)\b[^?]*\b(?:avant|apres|a) chaque (?:commit|push|pr|merge|release|modif\w*|changement|reponse|etape|tache|
  fichier|migration|refacto\w*)\b
standing  {jamais} <P>(?:tu |vous )?(?:ne |n')?(?:touche|fais|lance|pousse|commite|merge|utilise|modifie|supprime|mets|
  ecris|mocke|edite|installe|rebase|deploie|laisse|demande|reponds|invente|devine|lances|pousses|touches|modifies|
  utilises|supprimes|mets|installes|commites|merges|fais|deploies)[sz]? (?:surtout |plus )?jamais\b
standing  {jamais} <P>(?:plus )?jamais (?:de |d'|un |une )\S+(?!.*\b(?:vu|eu|ete)\b)|
  <P>(?:ne )?(?:plus )?jamais (?:\w+ )?\w+(?:er|ir|re|oir)\b
standing  {toujours} <P>(?:tu|vous) (?:me |m'|te )?\w+(?:s|ez) toujours\b(?!.*\?)(?=.* (?:avant|apres|d'abord|sans|
  quand|en|avec)\b)|<P>(?!.*\b(?:echoue\w*|plante\w*|marche\w*|lent|casse\w*|erreur|pareil|bloque\w*)\b)(?!ca\b|il\b|
  elle\b|c'est\b)[^,?]{1,70}, (?:et )?(?:toujours|tout le temps|a chaque fois|sans exception)[.!]*$
standing  {systematiquement|uniquement|exclusivement|sans exception|une bonne fois|
  en permanence} <P><V>\b[^?]*\b(?:systematiquement|exclusivement|sans exception|une bonne fois pour toutes|
  en permanence)\b|<P><V> uniquement\b[^?]*\b(?:projet|depot|repo|code)\b
standing  {habitude} <P>(?:prends|prenez|perds|perdez) l'habitude\b
standing  {interdi|hors de question|defense|pas question} <P>(?:il est )?(?:interdiction|interdit|
  formellement interdit|strictement interdit|defense|hors de question|pas question)(?: formelle| absolue|
   stricte)? (?:de|d'|que tu)(?!.*\b(?:gere|token|401|403)\b)
standing  {sans} <P>(?:ne|n'|tu|jamais|pas|rien|<V>)\b[^?]*\bsans (?:me (?:demander|consulter|prevenir|le dire)|
  mon (?:accord|feu vert|aval|ok)|ma (?:validation|permission)|m'(?:en parler|avoir|avertir))
standing  {avant} <P>(?:demande|consulte|previens)[- ]?(?:moi|nous)(?: toujours| d'abord)? avant (?:de|d'|toute?|
  chaque)\b
standing  {prefere|plutot} <P>(?:je prefere|prefere|privilegie)\b(?!.*\b(?:ici|cette fois|ce (?:fichier|script|cas)|
  solution|option|approche)\b)[^?]*\b(?:plutot que?|a la place|au lieu|a l'heritage|aux?)\b
standing  {nouveaux|nouvelles|tout nouveau|toute nouvelle} <P>pour (?:tous les |toutes les |tout |toute |chaque |
  les )(?:nouve\w+)\b[^,]{1,40},? (?:ne\b|toujours|<V>)\b|\bpour tous les nouveaux (?:fichiers|tests|modules)\b
forget    {regle|consigne|instruction|preference|convention|note} <P>(?:la|cette|ma|notre|les)\b(?!.*\b(?:css|eslint|
  lint|pare-feu)\b)(?: \w+){0,2}? ?(?:regle|consigne|instruction|preference|convention|note)s?\b[^?]{0,60}(?:(?:ne |
  n')[\w']+(?: \w+)? plus\b|\b(?:est|sont) (?:caduque|obsolete|abrogee|annulee|levee|perimee|terminee)s?\b)
forget    {oubli|laisse tomber|laisser tomber|tiens plus|tenir plus} <C>(?:tu peux |vous pouvez )?(?:oublie[zr]?|
  laisse[zr]? tomber)(?: pour)? (?:l'histoire|le truc|cette histoire|les histoires|cette regle|la regle|la consigne|
  tout ce qui|tout sur|ce truc)\b(?!.*\beslint)|<C>(?:ne )?(?:tiens|tenez|tenir) plus compte de (?:ce|la|ma|mon|
  cette)\b
forget?   {memoire|note|souvenir} <C>(?:tu peux |peux-tu )?(?:supprime|efface|retire|enleve|vire|
  oublie)[rz]?\b.{0,80}\b(?:de|dans) (?:ta|votre) memoire\b|<C>(?:supprime|efface|retire|enleve|vire)[rz]? (?:ta|tes|
  la|cette) notes? (?:sur|a propos|concernant|du|de la|des)\b(?!.*\b(?:readme|doc|fichier|formulaire|page)\b)
standing  {sormais|navant|navent|partir d|avenir|compter d|pour le reste} ^(?!.*\?)(?!.*\b(?:dit|disent|selon|serait|
  pourrait|jusqu|changelog|casse|plante|echoue|pourquoi|repond)\b)(?!.*[,;] (?:stp |donc |et )*(?:corrige|adapte|
  mets a jour|change|modifie|verifie)\b)(?!.*\b(?:tourne|renvoie|retourne|plante|affiche)\b)(?!(?:le|la|l'|les|notre|
  ce|cette) ?(?:job|api|serveur|service|cron|build|endpoint|utilisateurs?|client|worker|pipeline)\b).*\b(?:desormais|
  dorenavant|dorenavent|a partir de (?:maintenant|la(?=\s*[,.:!]|$))|a partir d'aujourd'?hui|
  a compter (?:d'aujourd'hui|de maintenant)|pour le reste (?:du projet|de la session))\b
standing  {une bonne fois} <P>(?!.*\b(?:corrige|regle|resous|repare|nettoie)\b).*\bune bonne fois pour toutes\b
standing  {plus} <P>(?:ne |n')(?:me |m'|te |les |le )?<V> plus\b(?!.*\b(?:quand|apres|si|lorsque|une fois)\b)
standing  {plus} <P>(?:me |m')?(?:fais|cree|mets|ajoute|ecris|utilise|touche|commite|pousse|demande|resume|explique|
  genere|laisse) plus (?:jamais )?(?:de |d'|jamais|ca|a |ces|les|mes)
standing  {jamais|plus} <P>je (?:ne )?(?:veux|voudrais) (?:plus |pas )?jamais\b|<P>pas d[e'].*, (?:plus )?jamais[.!]*$
standing  {fini|on arrete} <P>(?:fini|finis|finies|on arrete) (?:les|avec les|de|d')(?!.*\?)
standing  {dois|devez|faut que tu} \b(?:tu dois|vous devez|il faut que tu|faut que tu)\b[^?]*\b(?:toujours|
  systematiquement|jamais|a chaque fois)\b
standing  {toujours|jamais} <P>(?:quand|lorsque|si|avant|apres|des que|une fois)\b(?! (?:le|la|l'|les|un|une|il|elle|
  ca)\b)[^?]*\b<V> (?:[\w-]+ )?(?:toujours|jamais)\b
remember  {souvenir|rappeler|retenir|noter|memoriser} <C>(?:pense[zr]?|merci|priere|essaie|tache) (?:a|de|
  d') ?(?:bien )?(?:t'en |te |vous |le )*(?:souvenir|rappeler|retenir|noter|memoriser)\b(?= (?:que|qu'|de|ca|ceci)|
  \s*[:,]|[.!]*$)
remember  {coin de} <C>gard(?:e|ez|er)\b.{0,12}dans un coin de (?:ta|la|votre) tete\b
remember  {memorise} <C>memorise[sz]?(?:-le|-la|-les|-toi)?\b(?!.*\?)
remember  {pour } ^[^:?]{0,50}\bpour (?:les prochaines|la prochaine|de futures|les futures|plus tard|
  la suite)\b[^:?]{0,12}\s*:
standing  {faut } ^(?!.*\b(?:dit|dis|disent|parait|ecrit|pourquoi|disait)\b)(?!.*\?).*\bfaut (?:toujours|jamais) \w+
standing  {toujours |jamais |uniquement |seulement } <P>(?:(?:tous |toutes )?(?:les|le|la|nos|tes) |l'|
  tout le )[\w-]+(?: (?:de|des|du|d'|et|les|la|le) ?[\w-]+)* (?:stp )?(?:toujours|jamais|uniquement|seulement) (?:en|
  au|aux|avec|sans|dans|via|par|sous|a|apres|avant)\b(?!.*\?)
standing  {sans} <P>(?:ne|n'|tu|pas|plus|rien|<V>)\b[^?]*\bsans (?:qu'on (?:en |se )?(?:parle|discute|mette)|
  en (?:parler|discuter)|(?:mon |un )?(?:accord|ok|feu vert)|qu'on)\b
standing  {avise|idee} <P>(?:ne )?t'avise (?:plus|pas|jamais) d|<P>que l'idee ne te\b
remember  {oubli} <C>(?:ne )?l'oublie[sz]? (?:pas|jamais|plus)\b|<C>n'?(?:en )?oublie[sz]? (?:pas|jamais) (?:ca|ceci|
  cela)\b
remember  {info|retiens|retenez} <C>gard(?:e|ez)(?: bien)? (?:cette|l') ?info\w*\b|<C>(?:retiens|
  retenez) (?:bien )?(?:ces|cette|les|deux|trois|mes|mon|ma)\b
remember  {note|marque|inscris} <C>(?:note|marque|inscris|ecris)(?:[- ]toi)?\b[^,.:?]{0,25} (?:que|
  qu')(?!.*\b(?:readme|changelog|ticket|doc)\b)
forget    {oublie} <P>(?:le truc|l'histoire|la regle|la consigne|ce que j'ai dit|
  cette histoire)\b[^?]{1,60}, (?:donc )?oublie(?:-l[ea])?\b
"""
