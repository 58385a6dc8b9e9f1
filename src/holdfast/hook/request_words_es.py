"""The words of Spanish with which people ask; `request_words` says how to read them.

Its orders are imperatives that often look like the third person; so the verbs of working are listed.
"""

from __future__ import annotations

PATTERNS = r"""
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
"""
