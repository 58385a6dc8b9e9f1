"""The words of French, Spanish and Portuguese with which people ask; `request_words` says how to read them.

Their orders are verbs in the imperative, which often look like the third person; so the verbs of working are listed.
"""

from __future__ import annotations

PATTERNS = {
    "fr": r"""
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
""",
    "es": r"""
P         (?:y|pero|tambien|ok|vale|por favor|porfa|gracias|genial|bien|bueno|si(?=,)|no(?=,)|ah|entonces|importante|
  reglas?|ademas|perfecto|oye|por cierto|en general|luego|despues|listo|nunca jamas)\b(?!\s+(?:me|te|se|lo|la|
  los|las|le|
  les)\b)[\s,:;.!—-]*
C         (?:^¿?|[,;:(!.¡¿—]\s*|\s-+\s|\b(?:y|pero|tambien|por favor|porfa|entonces|luego|ok|vale)\s+)
V         abre actualiza adjunta agrega agrupa anade apunta asegura avisa borra cambia cita comenta commitea compila
   comprueba confirma consulta contesta corran corre corrige crea da deja despliega di divide documenta edita ejecuta
   ejecute ejecuten elige elimina empieza enlaza escriba escribe escribid especifica espera evita explica firma
   formatea genera guarda habla haced haga hagamos haz importa imprime incluye indica instala lanza lee llama manten
   mantene menciona modifica muestra muestre mueve nombra ordena pasa pide pon poned prefiere pregunta preguntad
   pregunte propon prueba regenera renombra respeta responda responde resume revisa senala separa sigue testea toca
   traduce trata usa usad use usemos usen utiliza valida verifica
X         abras agregues anadas apliques asumas borres cambies cierres commitees compartas confies corras crees
   deberias debes dejes des desactives despliegues digas edites ejecutes elimines empieces escribas fuerces generes
   hagais hagan hagas ignores importes incluyas instales inventes lances mergees metas mezcles mockees modifiques
   muevas olvides pongas publiques pushees rebases reescribas renombres respondas saltes suban subas toqueis toquen
   toques useis usen uses utilices vuelvas
D         (?:a partir de (?:ahora|hoy)|de ahora en adelante|desde ahora|desde hoy|de aqui en adelante|en adelante|
  de hoy en adelante|en lo sucesivo|de ahora en mas|a contar de hoy|a partir de este momento)
question  ^(?:¿|por que\b|que\b|como se\b|cuando usar\b|cual\b|quien\b|donde\b|hay forma\b)
forget    <C>(?:puedes |podes )?(?:olvid[ae]r?|olvidate de|olvides) (?:todo )?(?:lo que\b|que\b)
forget    <C>(?:puedes )?(?:olvid[ae]r?|olvidate de) (?:la|mi|esa|esta|el|tu|las|mis|
  nuestra)\b(?: [\w-]+){0,2}? ?(?:regla|preferencia|nota|instruccion|norma|convencion|recuerdo|indicacion|peticion|
  orden|mania)s?\b
forget?   (?:borra|elimina|quita|suprime)[rd]?\b.{0,60}(?:\brecuerdos?\b|de tu memoria)
remember  <C>(?:siempre )?(?:recuerda|recuerde|recuerden|recordad)\b(?!me\b|\s+(?:cuando|el ancho|la ultima|a los?\b))
remember  <C>recorda\b
remember  <C>(?:acuerdate|acuerdese|acordate|acordaos)\b(?!.{0,4}cuando)
remember  <C>no (?:te )?(?:olvides|olvide|olviden|olvideis)(?:\s*:|,? (?:de )?que\b)
remember  <C>(?:nota|apunte) (?:para (?:despues|luego|mas tarde|el futuro|mi)|mental)\b
remember  <C>(?:anota|anote|apunta|apunte)(?:te|lo)?(?: en \w+ \w+| tambien)?(?:\s*[:,]| que\b| esto\b| lo siguiente)
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
standing  <P>(?:no <X>|<V>)\b.*\b<D>
standing  <P>en el futuro,? (?:no\b|por favor|siempre|nunca|quiero|evita|<V>\b)
standing  <P>siempre (?:(?:me|te|lo|la|que hacer|hay que) )?(?:hacer|[a-z]{3,}(?:ar|er|ir)|<V>)\b
standing  <P><V> (?:(?!que\b)[\w./-]+ ){0,2}?siempre\b(?! que (?:fall|se\b))
standing  <P>siempre que <X>\b[^,]*,
standing  <P>cada vez que (?:[a-z]+(?:es|as)|<X>)\b[^,]*, (?:por favor )?(?:hay que|debes|<V>)\b
standing  <P>(?:nunca|jamas)(?: mas| jamas)? (?:lo |la |me )?(?:[a-z]{3,}(?:ar|ear|er|ir)|hacer|volver|<X>)\b
standing  <P>no (?:lo |la |me )?(?:[a-z]{3,}(?:as|es)|<X>)\b.{0,60}\b(?:nunca|jamas)\b
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
forget    <C>olvid[ae](?:te de)? mis? (?!ultim|anterior|mensaje)
forget?   \b(?:puedes|podrias|podes) (?:por favor )?olvidar (?:todo )?(?:lo que|que|la regla)\b
remember  <C>(?:recuerdalo|recuerdala|recuerdenlo|acuerdate de (?:esto|eso|ello)|tenlo (?:en cuenta|presente|
  en mente))\b
remember  \b(?:cosa|cosas|punto|dato|algo)s? (?:importante )?(?:a|para|que) recordar\b|\bpara que (?:lo |
  la )?(?:recuerdes|te acuerdes)\b
remember  <C>(?:anotate|apuntate|anotalo|apuntalo)\b(?=\s*:|,| que\b|[.!]*$| para)
remember  <C>(?:nunca|jamas) (?:te )?olvides (?:de )?que\b|\b(?:gustaria|quisiera) que (?:recordaras|te acordaras|
  recordases)\b
remember  <C>(?:mete|escribe|escribelo|guarda|guardalo|anotalo|apuntalo|ponlo|pon|anade)\b.{0,40}\b(?:en|
  a) tus? (?:memoria|notas)\b
remember? \b(?:puedes|podrias|podes) (?:por favor )?acordarte de\b
standing  <P>[\w.-]+(?: \w+)?, siempre[.!]*$|<P>no mas\b.*\b(?:nunca|jamas|por favor)\b|<P>basta de\b.*\b(?:nunca|
  adelante|ahora)
standing  <P>(?:quiero|necesito|prefiero) que (?:siempre|nunca|jamas)\b|<P>(?:quiero|necesito) que \w+ (?:siempre|
  nunca)\b
standing  <P>(?:cuando|si|antes de que|despues de que|en cuanto) (?:tienes|no sabes|tengas|termines|acabes|dudas|
  estes|[a-z]+as|<X>)\b[^,]*, (?:por favor )?(?:siempre <V>|<V> siempre|nunca \w+)\b
standing  <P>(?:en caso de duda|ante la duda),|<P>(?:bajo ningun concepto|bajo ninguna circunstancia|en ningun caso)\b
standing  <P>para (?:todos los |todas las |los |las )?(?:proxim|futur)[oa]s (?!version)\w+,?
standing  <P>(?:nunca|jamas) (?!has\b|eres\b|antes\b|tienes\b|puedes\b|sabes\b|vas\b|estas\b|haces\b|
  dices\b)[a-z]{3,}(?:as|es)\b
remember  <C>(?:anota|apunta|recuerda|anote|apunte),? por favor,? (?:que\b|:)|<C>no (?:lo|la|los) olvid(?:es|e|en)\b|
  <C>guarda(?:lo)? en (?:la )?memoria (?:que\b|:)
standing  <P>(?:en|antes|despues|para|al|con|tras)\b[^,]{0,60}?,? (?:por favor )?(?:siempre <V>|no <X> (?:nunca|
  jamas)|nunca <X>|<V> siempre)\b
standing  <P>(?:antes|despues) de cada\b[^,]{0,40}?,? <V>\b|<P>siempre, siempre\b|<P>nunca, nunca\b
standing  <P>(?:prefiero|preferiria|quisiera|me gustaria) que (?:\w+ )?(?:siempre|nunca)\b
""",
    "pt": r"""
P         (?:e|mas|tambem|ok|por favor|pfv|pf|obrigado|obrigada|valeu|otimo|bem|bom|sim|nao(?=,)|ah|entao|importante|
  regras?|alem disso|perfeito|olha|alias|em geral|depois|beleza|legal|certo)\b(?!\s+(?:me|te|se|lembro)\b)[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:e|mas|tambem|por favor|pf|entao|depois|ok)\s+)
V         abra adicione agrupe altere anexe apague aplique assine assuma atualiza atualize avise certifique-se chame
   chega cite coloca coloque comece comente commite compartilhe compile confie confirme consulte cria crie de deixe
   delete desative diga divida documente edite escolha escreva escrevam escreve especifique espere evita evite evitem
   executa execute explique faca facam fale faz force formate garanta gere ignore importe imprima inclua indique
   inicie instale invente leia mantem mantenha mencione mexa misture mocke modifique mostra mostre mova mude nomeie
   ordene pare passe peca pede pergunta pergunte ponha prefira proponha publique pule rebaseie reescreva remova
   renomeie respeite responda responde resuma revise roda rode rodem salve separe siga suba testa teste toque traduza
   trate usa use usem utilize valide verifique
D         (?:a partir de (?:agora|hoje)|de agora em diante|daqui (?:pra|para a|em|por) (?:frente|diante)|doravante|
  de hoje em diante|a contar de (?:hoje|agora)|deste momento em diante)
question  ^(?:por que|por que|o que|como faz|quando usar|qual|quem|onde|tem como|sera que)\b
forget    <C>(?:(?:voce )?pode )?(?:esquec[ae]r?|esquece|esqueca-se d[eo]|
  esquece-te d[eo])(?: de)? (?:tudo )?(?:(?:d?o|d?aquilo )?\s?que\b)
forget    <C>(?:pode )?(?:esquec[ae]r?|
  esquece)(?: d?a| d?o| as| os| essa| esta| minha| a minha| aquela| sua)?\b(?: [\w-]+){0,2}? ?(?:regra|preferencia|
  nota|instrucao|norma|convencao|pedido|orientacao)s?\b
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
remember  <C>anot[ae](?: ai| isso| isto| em \w+ \w+| tambem)?(?:\s*[:,]| que\b)
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
standing  <P>(?:nao <V>|<V>)\b.*\b<D>
standing  <P>no futuro,? (?:nao\b|por favor|sempre|nunca|quero|evite|<V>\b)
standing  <P>sempre (?:(?:me|te|o|a|que for|tem que) )?(?:[a-z]{3,}(?:ar|er|ir)|<V>)\b
standing  <P><V> (?:(?!que\b)[\w./-]+ ){0,2}?sempre\b(?! que (?:falh|se\b))
standing  <P>sempre que (?:for |voce )?(?:mexer|mudar|alterar|tocar|editar|criar|adicionar|commitar|terminar|fizer|
  modificar|atualizar|remover|abrir|subir)\b[^,]*,
standing  <P>(?:toda|cada) vez que (?:for |voce |a gente )?\w+(?:ar|er|ir|izer)\b[^,]*,
standing  <P>(?:nunca|jamais)(?: mais| jamais)? (?:o |a |me )?(?:[a-z]{3,}(?:ar|er|ir)|<V>)\b
standing  <P>nao <V>\b.{0,40}\b(?:nunca|jamais)\b
standing  <P>nunca mais <V>
standing  <P>(?:voce|tu) (?:nunca|sempre) (?:deve|precisa|tem que|deves)\b
standing  \b(?:voce|tu) (?:deve|precisa|tem que) (?:sempre|nunca)\b
standing  <P>(?:aqui|neste (?:projeto|repo|repositorio|time)),? (?:a gente |nos )?(?:sempre|nunca|jamais) \w+
standing  <P>nunca \S+[,;] sempre|<P>sempre \S+[,;] nunca
standing  <P>nova (?:regra|norma)\b
standing  ^(?!se\b|quando\b).*(?:\be|;|[.!]) (?:por favor )?nunca (?:mais )?<V>\b
standing? \b(?:pode|poderia|podes) .*\b<D>
standing? \b(?:pode|poderia|podes) (?:por favor )?(?:sempre \w+r|\w+r sempre)\b
forget    <C>esque(?:ca|ce)(?: d)? ?(?:o |a |os |as )?(?:meus?|minhas?) (?!ultim|mensag)
forget    <C>(?:apague|apaga) (?:a|essa|esta|aquela) (?:memoria|nota) (?:sobre|de que|do|da)\b
forget?   \b(?:pode|poderia|podes) (?:por favor )?esquecer (?:tudo )?(?:o que|que|a regra|meu|minha)\b
remember  <C>(?:tenha|tem|leve|leva) (?:isso|isto) em (?:mente|conta|consideracao)\b|<C>lembra (?:do |da |de )?(?:meu|
  minha)\b(?!.*\?)
remember  \b(?:coisa|coisas|ponto|algo)s? (?:importante )?(?:a|para|pra|que) lembrar\b|\b(?:para|pra) (?:voce|
  tu) (?:se )?lembrar(?:es)?\b
remember  <C>(?:nunca|jamais) (?:se )?(?:esqueca|esquece|esquecas)(?:-se)? (?:de )?que\b|\b(?:gostaria|
  queria) que (?:voce |tu )?(?:se )?lembrasses?\b
remember  <C>(?:coloque|coloca|escreva|escreve|guarde|guarda|anote|anota|ponha|poe|adicione)\b.{0,40}\b(?:n?as?|
  em) (?:suas?|tuas?) (?:memoria|notas)\b
standing  <P>[\w.-]+(?: \w+)?, sempre[.!]*$|<P>(?:chega de|nada de|sem mais)\b.*\b(?:nunca|nunca mais|jamais)\b
standing  <P>(?:quero|preciso) que (?:voce |tu )?(?:sempre|nunca|jamais)\b|<P>(?:quero|
  preciso) que (?:voce )?\w+ (?:sempre|nunca)\b
standing  <P>(?:quando|se|antes de|depois de|assim que) (?:voce )?(?:for |abrir|fizer|tiver|terminar|criar|mexer|
  mudar|editar|estiver|nao souber|acabar|alterar)[^,]*, (?:por favor )?(?:me )?(?:sempre (?:me )?<V>|<V> sempre|
  nunca <V>)\b
standing  <P>(?:em caso de duvida|na duvida),|<P>(?:em hipotese alguma|em nenhuma circunstancia|de jeito nenhum)\b
standing  <P>para (?:todos os |todas as |os |as )?(?:proxim|futur)[oa]s (?!vers)\w+,?
standing  <P>nao \w+ (?:nunca|jamais)\b,?
remember  <C>(?:anote|anota|lembre|registre),? por favor,? (?:que\b|:)|<C>guard[ae] na memoria\b|<C>nao (?:o |
  a )?esqueca(?: disso| disto)\b
remember? \b(?:pode|poderia|podes) (?:por favor )?(?:levar em conta|ter em (?:mente|conta)) (?:que\b|isso|isto|:)
standing  <P>(?:em|no|na|neste|nesta|antes|depois|para|ao|com|apos)\b[^,]{0,60}?,? (?:por favor )?(?:sempre <V>|
  nao <V> (?:nunca|jamais)|nunca <V>|<V> sempre)\b
standing  <P>(?:antes|depois) de cada\b[^,]{0,40}?,? <V>\b|<P>sempre, sempre\b|<P>nunca, nunca\b
standing  <P>(?:prefiro|preferia|gostaria|queria) que (?:voce |tu )?(?:\w+ )?(?:sempre|nunca)\b|
  \bvoce deveria (?:sempre|nunca)\b
standing  <P>daqui (?:para|pra|a) (?:a )?frente\b(?!,? (?:o|a|os|as)\b)
""",
}
