"""The words of French with which people ask; `request_words` says how to read them.

Its orders are imperatives that often look like the third person; so the verbs of working are listed.
"""

from __future__ import annotations

PATTERNS = r"""
P         (?:et|mais|aussi|ok|okay|stp|svp|s'il te plait|s'il vous plait|merci|super|bien|bon|oui|non(?=,)|ah|alors|
  important|au fait|regles?|rappel|puis|ensuite|parfait|en general|de maniere generale|pense a|merci de|pensez a|
  encore une chose|attention|du coup|donc)\b[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:et|mais|puis|aussi|stp|svp|alors|merci|donc)\s+)
V         ajoute appelle arrete attends change cherche choisis cite commence commente commite committe compile
   confirme consulte corrige cree decoupe demande deplace deploie dis documente donne ecris efface evite execute
   explique fais formate garde genere importe indique installe joins laisse lance lis mentionne mets modifie montre
   nomme ouvre parle passe pousse precise prefere prends previens privilegie propose range regenere relance relis
   renomme reponds respecte signe suis supprime teste tiens touche travaille trie utilise verifie
D         (?:desormais|dorenavant|a partir de (?:maintenant|la|aujourd'?hui)|a l'? ?avenir|plus jamais|jamais plus|
  dorenavent|a compter (?:d'aujourd'hui|de maintenant)|des maintenant|des a present)
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
standing  <P>(?:pas d[e']|<V>)\b.*\b(?:desormais|dorenavant|a l'avenir|a partir de maintenant)\b
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
"""
