"""The words of Spanish with which people ask; `order_words` says how to read them.

Its orders are imperatives that often look like the third person; so the verbs of working are listed.
"""

from __future__ import annotations

PATTERNS = r"""
P         (?:y|pero|tambien|ok|vale|por favor|porfa|gracias|genial|bien|bueno|si(?=,)|no(?=,)|ah|entonces|importante|
  reglas?|ademas|perfecto|oye|por cierto|en general|luego|despues|listo|nunca jamas)\b(?!\s+(?:me|te|se|lo|la|los|las|
  le|les)\b)[\s,:;.!—-]*
C         (?:^¿?|[,;:(!.¡¿—]\s*|\s-+\s|\b(?:y|pero|tambien|por favor|porfa|entonces|luego|ok|vale|asi que|por eso|
  o sea)\s+)
V         abre actualiza adjunta agrega agrupa anade apunta asegura avisa borra cambia cita comenta commitea compila me
  te meta chequea checa mira saca quita pone hace escribi deci mostra dime decime arregla ajusta limpia refactoriza agr
  upa commitead recuerda consultame comenta comprueba confirma consulta contesta corran corre corrige crea da deja desp
  liega di divide documenta edita ejecuta ejecute ejecuten elige elimina empieza enlaza escriba escribe escribid especi
  fica espera evita explica firma formatea genera guarda habla haced haga hagamos haz importa imprime incluye indica in
  stala lanza lee llama manten mantene menciona modifica muestra muestre mueve nombra ordena pasa pide pon poned prefie
  re pregunta preguntad pregunte propon prueba regenera renombra respeta responda responde resume revisa senala separa
   sigue testea toca traduce trata usa usad use usemos usen utiliza valida verifica
X         abras agregues anadas apliques asumas borres cambies cierres commitees compartas confies corras crees deberia
  s debes dejes des desactives despliegues digas edites ejecutes elimines empieces escribas fuerces generes hagais haga
  n hagas ignores importes incluyas instales inventes lances mergees metas mezcles mockees modifiques muevas olvides po
  ngas publiques pushees rebases reescribas renombres respondas saltes suban subas toqueis toquen toques useis usen use
  s utilices vuelvas
D         (?:a partir de (?:ahora|hoy)|de ahora en adelante|desde ahora|desde hoy|de aqui en adelante|en adelante|
  de hoy en adelante|en lo sucesivo|de ahora en mas|a contar de hoy|a partir de este momento)
question  ^(?:¿|por que\b|que\b(?! (?:no|conste|quede|te|se|sep\w+|lo sep\w+)\b)|como se\b|cuando usar\b|cual\b|
  quien\b|donde\b|hay forma\b)
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
standing  <P>(?:aqui|en est[ea] (?:proyecto|repo|repositorio|equipo)),? (?:siempre|nunca|jamas) \w+(?:amos|emos|imos)\b
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
standing  <P>(?:cuando|si|antes de que|despues de que|en cuanto) (?:tienes|no sabes|tengas|termines|acabes|dudas|estes|
  [a-z]+as|<X>)\b[^,]*, (?:por favor )?(?:siempre <V>|<V> siempre|nunca \w+)\b
standing  <P>(?:en caso de duda|ante la duda),|<P>(?:bajo ningun concepto|bajo ninguna circunstancia|en ningun caso)\b
standing  <P>para (?:todos los |todas las |los |las )?(?:proxim|futur)[oa]s (?!version)\w+,?
standing  <P>(?:nunca|jamas) (?!has\b|eres\b|antes\b|tienes\b|puedes\b|sabes\b|vas\b|estas\b|haces\b|
  dices\b)[a-z]{3,}(?:as|es)\b
remember  <C>(?:anota|apunta|recuerda|anote|apunte),? por favor,? (?:que\b|:)|<C>no (?:lo|la|los) olvid(?:es|e|en)\b|
  <C>guarda(?:lo)? en (?:la )?memoria (?:que\b|:)
standing  <P>(?:en|antes|despues|para|al|con|tras)\b[^,]{0,60}?,? (?:por favor )?(?:siempre <V>|no <X> (?:nunca|jamas)|
  nunca <X>|<V> siempre)\b
standing  <P>(?:antes|despues) de cada\b[^,]{0,40}?,? <V>\b|<P>siempre, siempre\b|<P>nunca, nunca\b
standing  <P>(?:prefiero|preferiria|quisiera|me gustaria) que (?:\w+ ){0,3}?(?:siempre|nunca)\b
L         (?:la proxima(?: vez)?|mas (?:adelante|tarde)|luego|despues|el futuro|futuras (?:sesiones|veces|ocasiones)|
  las proximas(?: veces| sesiones)?|referencia futura|otra vez)
S         (?:(?:los|las|el|la|todos|todas|nuestros|mis|tus|nuevos|nuevas|mensajes? de|nombres? de(?: las?| los?)?|
  titulos? de(?: los?)?) ?)*(?:commits?|ramas?|branches|prs?|pull requests?|tests?(?: nuevos| unitarios)?|pruebas|
  comentarios?|docstrings?|respuestas|variables|imports|migraciones|dependencias|mocks?|endpoints nuevos)
A         (?:usa|usad|use|utiliza|prefiere|evita|manten|emplea|usar|no uses|usemos)
remember  {apunt|anot} <C>(?:me )?(?:anota|anote|anotame|anotate|apunta|apunte|apuntas|anotas|apuntame|apuntate|
  apuntalo|anotalo|apuntad)(?: tambien| esto| eso| bien| por favor| porfa| ahi| en tus notas| en algun lado|
   para <L>)*(?:\s*[:,]| que\b|[.!]*$)(?!.*\bpuntero\b)
remember? {apunt|anot|guard|record|memoriz} ^¿?(?:me |lo )?(?:apuntas|anotas|guardas|recuerdas tu|
  puedes (?:por favor )?(?:guardar|apuntar|anotar|recordar|memorizar|dejar anotado)|podrias (?:guardar|apuntar|anotar|
  recordar|memorizar)|podes (?:guardar|anotar|recordar|apuntar))(?:me|te|lo)?(?: esto)?(?: que\b| para <L>|
   en (?:tu )?memoria|:)
remember  {olvid} <C>(?:que )?no se (?:te|le|os|les) olvide[n]?\b(?! (?:borrar|anadir|actualizar|correr|ejecutar|hacer|
  poner|subir|\w+r\b))|<C>(?:por favor )?no (?:te |os |se )?olvid(?:es|e|en|eis|ar)\s*[,:]|<C>(?:por favor )?no (?:te |
  os |se )?olvid(?:es|e|en|eis|ar) (?:de )?(?:que|q)\b|<C>no olvidar (?:que|:)
remember  {cuenta|presente|mente} <C>(?:ten(?:lo|la|edlo)?|tene(?:lo)?|tenga|tengan|tened|teniendo|a tener|
  tenelo)(?: bien| siempre)? (?:en cuenta|presente|en mente)\b(?!.*\?)(?! (?:el rendimiento|la performance|los tests))|
  \bque (?:lo |la )?(?:tengas|tengais) (?:en cuenta|presente|en mente)\b|<C>(?:tener|tenerlo) (?:en cuenta|
  presente)(?:\s*:| que)
remember  {guarda|graba|almacena|registra|guardate|guardar} <C>(?:guarda|graba|almacena|registra|guardate|grabate|
  guardar|anade|agrega)(?:te|lo|r)?(?: bien)? (?:esto|eso|lo siguiente|este dato|que\b)(?! en (?:una?|el|
  la) (?!memoria))(?: (?:para <L>|en (?:tu |la )?memoria))?(?:\s*[:,]|(?<=que) \w+|[.!]*$)
remember  {memoria|notas} <C>(?:guarda|graba|almacena|registra|anade|agrega|pon|mete|apunta|anota|escribe|deja|
  salva)(?:te|lo|la|r)?\b.{0,30}\b(?:en|a) (?:(?:tu|la) )?(?:memoria|tus notas)(?= que\b|\s*:| (?:esto|lo siguiente))
remember  {notas} <C>(?:anade|agrega|pon|mete|apunta|anota|escribe)(?:lo|la)?\b.{0,20}\b(?:en|a) tus notas\b
remember  {nota|dato|ojo|info|informacion|recordatorio} <C>(?:una |un )?(?:nota|dato|ojo|info|recordatorio|aviso|
  apunte)(?: importante| util)? (?:para (?:ti|vos|mi|<L>)|mental)\b|<C>para tu (?:informacion|info)\b.{0,40}(?:para|
  en) <L>\b
remember  {sepas|sepais|saber} <C>(?:para )?que (?:lo |la )?sepa[si]s?\b.{0,45}(?:[:,]|(?<=sepas) que)|
  <C>para <L>,? que sepas\b|<C>(?:bueno|importante|util) (?:es )?saber\b.{0,10}para <L>
remember  {para la|para el f|para luego|para mas|para desp|para que c|para ref|para fut|
  para otra} <C>para (?:que conste|<L>)\s*:|<C>para (?:la proxima(?: vez)?)\s*,(?! (?:<A>|no |pregunta\w*|por favor))
remember  {record|recuerd|acuerd|acord} <C>(?:recorda|recordad|acordate|acuerdate|recuerda|recuerde)(?: siempre| bien|
   tambien)* (?:de )?(?:que|q)\b|\b(?:importante|necesario|bien|quiero|necesito|gustaria|conviene) (?:es )?que (?:lo |
  te )?(?:recuerdes|acuerdes|recordes)\b|\bpara que (?:lo |la |te )?(?:\w+ y (?:lo |te )?)?(?:recuerdes|acuerdes|
  recordes)\b|<C>(?:recordar|acordarse)(?: de)?(?:\s*:| que\b)
remember  {quedate|quedes|constancia|anotado|apuntado|consta} <C>quedate con\b(?!.*\b(?:la (?:primera|segunda)|
  esa version)\b)|\bque te quedes con (?:esto|que|lo)\b|<C>deja(?:lo)? (?:constancia|anotado|apuntado|registrado|
  por escrito)\b(?!.*\b(?:readme|changelog|ticket)\b)|<C>que conste\b
standing  {deja|dejá|para de|parad|basta|dejen|cesa} <P>(?:deja(?:d|te)?|dejen|para(?:d)?|cesa|
  parate) (?:ya )?de (?!.*\b(?:pestana|servidor|polling|peticion|worker|cuando)\b)\w*.*(?:\bcada\b|\bme\b|(?:pedir|
  decir|preguntar|explicar|resumir|disculpar|excusar)\w*|\bmis\b|comentarios?|resumen\w*|emojis?|mocks?|
  \bsin preguntar|siempre|todo el (?:tiempo|rato)|constantemente|commits?)|<P>basta (?:ya )?de\b
standing  {no mas|nada de|ni un|ningun} <P>(?:no mas|nada de|ni un solo|ni una sola) (?!de\b|\d|filas?\b|datos\b|
  tarde)(?!.*\b(?:hay|quedan|despues de|encontr\w+|reintentos)\b)[\w`.-]+
standing  {no quiero} <P>(?:ya )?no quiero (?:volver a )?(?:ver(?:te)?|que (?:me |lo |la |vuelvas|toques|uses|hagas|
  pongas|anadas|\w+es\b))\b(?!.*\?)|<P>no quiero\b[^?]*\b(?:nunca|jamas|en (?:los|mis|este) (?:commits?|codigo|repo|
  proyecto))\b
standing  {siempre|nunca|jamas|solo|unicamente} <P><S> (?:(?:deben|deberian|van|son|se|ir|empiezan|comienzan|
  tienen que|ir|en|no|escriben|tocan|estan|es|va|debe|hacen) )*(?:siempre|nunca|jamas|unicamente)\b(?!.*\b(?:fall\w+|
  rompe\w*|rojo|lent\w+|cuelg\w+|tarda\w*|sale\w*|pasa\w*|devuelv\w+|asi que|han|habia)\b)(?!.*\?)
standing  {ahora|hoy|adelante|sucesivo|momento} <P><D>,? (?:el|la|los|las|un|una|esto|este|esta|todo|todos|todas|
  nuestr[oa]s?|cada)\b(?!.*\?)(?!.*[,;] (?:asi que |por favor |y )*(?:arregla|corrige|actualiza|cambia|adapta|modifica|
  ajusta|revisa|puedes))(?! (?:job|servidor|servicio|cron|api|build|tarea|usuario)s?\b)(?! \w+ (?:corre|devuelve|
  muestra|se ejecuta|falla|retorna))
standing  {proxima} <P>(?:(?:para|a) )?la proxima(?: vez)?(?! que (?:el|la|los|las|un|una|corra|se)\b)(?! (?:release|
  version|reunion|semana|iteracion|sesion))\s?,? ?(?:por favor |porfa |mejor )*(?:no\b|siempre|nunca|quiero|prefiero|
  [a-z]+(?:me|nos|te|lo)\b|<V>)\b
standing  {proxima} <P>(?:no <X>|<V>)\b[^?]*\bla proxima(?: vez)?(?! que (?:el|la|los|se))[.!]*$
standing  {defecto|salvo|menos que|regla general|por norma|norma general|en principio|por regla|
  excepto} <P>(?:por defecto|salvo (?:que|si|indicacion)[^,]*|a menos que[^,]*|(?:como|por) (?:regla|
  norma)(?: general)?|excepto que[^,]*|por norma),? (?:por favor )?(?!(?:el|la) (?:puerto|modal|valor|campo|boton|
  dialogo))(?:no\b|siempre|nunca|los|las|quiero|se\b|todo|<V>)\b
standing  {regla|norma|convenc|pauta} <P>(?!.*\b(?:linter|eslint|firewall|parser|validador|css|regex|lint|
  contrasena)\b)(?:(?:la|las|una|unas|algunas|nuestras|mis|mi|estas son|otra|otras|nueva|nuevas|dos|tres|aqui van|
  unas cuantas|esas) )*(?:reglas?|normas?|convenci(?:on|ones)|pautas?)\b(?: (?:del|de|para|aqui|generales|basicas|en|
  comunes|que|es|son)\b[^:]{0,60}?)?(?:,[^:]{0,60})?(?:\s*(?::|—)| es que\b| es\b\s*:)
standing  {repo|proyecto|equipo|aqui|codigo|acá|aca} <P>(?:en (?:este|nuestro|el|esta|todo el) (?:repo(?:sitorio)?|
  proyecto|equipo|codigo|base)|aqui|aca),? (?:usamos|preferimos|evitamos|escribimos|trabajamos|seguimos|no usamos|
  no (?:se )?\w+(?:amos|emos|imos)|solo\b|nada de|<A>\b|no se \w+\b(?=.*\b(?:nunca|jamas|sin|a mano|main|master)\b)|
  (?:los|las|el|la)\b.*\b(?:nunca|jamas|siempre)\b)(?!.*\?)
standing  {repo|proyecto} <P><A>\b[^?]*\b(?:en|para) (?:este|nuestro|todo el) (?:repo(?:sitorio)?|proyecto|
  codigo)\b(?!.*\beste (?:archivo|script)\b)
standing  {cada vez que|siempre que} <P>(?:cada vez|siempre) que (?:tu )?(?!el\b|la\b|se\b|un\b|hago|abro|entro|
  clico)(?:[a-z]+(?:es|as|is))\b[^?]*?(?:,| actualiz| regener| corr[eé]| ejecut| avis| pregunt| agreg| anad| revis)
standing  {jamas|nunca} <P>(?:nunca|jamas) (?:\w+ )?\w+(?:ar|er|ir)\b|<P>(?:tu |vos )?no (?:lo |la |
  me )?[a-z]{3,}(?:as|es|is) (?:nunca|jamas)\b|<P>(?:nada|ningun)\b[^?]*, (?:nunca|jamas)[.!]*$
standing  {vuelvas|volver} <P>(?:no|nunca|jamas)(?: me| lo| la)? vuelvas? a \w+r\b
standing  {siempre} <P>(?:tu |vos )?(?:me |lo |la )?(?!fall|sal|dan|das)[a-z]{3,}(?:as|es) siempre\b(?=.* (?:antes|
  despues|sin|cuando|en|con|primero)\b)|<P>siempre (?:me |lo )?(?:[a-z]{3,}(?:as|es)|pregunta|preguntame|avisa|avisame|
  pide|muestra|muestrame)\b(?=.* (?:antes|despues|sin|primero|cuando|con)\b)(?!.*\?)|<P>(?!.*\b(?:fall\w+|rompe\w*|
  error|lento|pasa|sale|cuelga)\b)(?!el |la (?!regla)|esto |es )[^,?]{1,70}, (?:y )?(?:siempre|sin excepcion|
  todas las veces)[.!]*$
standing  {sistematicamente|exclusivamente|sin excepcion|unicamente|permanentemente|en todo momento|
  de una vez} <P><V>\b[^?]*\b(?:sistematicamente|exclusivamente|sin excepcion|permanentemente|en todo momento)\b
standing  {acostumbr|habit|costumbre} <P>(?:acostumbrate|acostumbrese|ve acostumbrandote|coge la costumbre|
  toma la costumbre|agarra la costumbre|ten (?:el habito|la costumbre)|pierde la costumbre)\b
standing  {prohibido|prohibida|vetado|terminantemente} <P>(?:queda |quedan |esta )?(?:terminantemente |
  totalmente )?(?:prohibid[oa]s?|vetad[oa]s?)\b(?!.*\b(?:maneja|gestiona|token|401|403|devuelve)\b)
standing  {sin } <P>(?:no|nunca|jamas|nada|tu|<V>)\b[^?]*\bsin (?:preguntarme|consultarme|avisarme|mi (?:ok|permiso|
  visto bueno|aprobacion|confirmacion)|decirmelo|preguntar(?: antes)?|consultarlo)\b
standing  {antes} <P>(?:siempre )?(?:preguntame|consultame|preguntadme|consultadme|avisame|pregunta|
  consulta)(?: siempre| primero)?,? antes de\b(?!.*\b(?:usuario|dialogo)\b)
standing  {prefier|preferi} <P>(?:yo )?(?:prefiero|prefiere|preferimos)\b(?!.*\b(?:aqui mismo|esta vez|este (?:archivo|
  script|caso)|opcion|solucion|enfoque)\b)(?!.*\?)[^?]*\b(?:sobre|antes que|en (?:lugar|vez) de|a la herencia|
  frente a)\b
standing  {nuevo|nueva} <P>(?:para|en) (?:todos los |todas las |todo |cada |los |las |
  cualquier )(?:[\w-]+ )?(?:nuev\w+)\b[^,]{0,30},? (?:siempre|nunca|no <X>|<V>)\b|\bvale para todo(?:s|as)?\b
forget    {regla|norma|instruccion|preferencia|convencion|nota} <P>(?:la|esa|mi|nuestra|las|lo de la)\b(?!.*\b(?:css|
  eslint|lint|firewall)\b)(?: \w+){0,2}? ?(?:regla|norma|instruccion|preferencia|convencion|
  nota)s?\b[^?]{0,60}(?:\bya no (?:aplica|vale|sirve|cuenta|rige|es valida|esta vigente|se aplica)\w*|\b(?:queda|esta|
  quedo) (?:anulada|sin efecto|obsoleta|derogada|cancelada)\b)
forget    {olvid|tengas en cuenta|hagas caso|ignora|descarta|nunca dije} <C>(?:puedes |podes )?olvid(?:a|ar|ate|ate ya|
  e|arte)(?: ya)?(?: de)? (?:lo de|eso de|esa historia|todo lo (?:de|que)|aquello de|la (?:regla|norma)|
  la historia)\b(?!.*\beslint)|<C>ya no (?:tengas en cuenta|hagas caso (?:a|de)) (?:lo que|la|mi|eso)\b|<C>(?:descarta|
  ignora) lo que (?:te )?dije (?:de|sobre|del)\b
forget?   {memoria|nota} <C>(?:puedes |podrias )?(?:borra|elimina|quita|suprime|saca)[rd]?\b.{0,80}\bde (?:tu|
  la) memoria\b(?=.*(?:regla|norma|nota|lo de|lo que|todo lo|preferencia|tu memoria))|<C>(?:borra|elimina|quita|
  suprime)[rd]? (?:tu|tus|esa|la) notas? (?:sobre|acerca|de que|del? (?:congel|cluster))(?!.*\b(?:readme|doc|archivo|
  formulario|pagina)\b)(?! de)
standing  {en el futuro} <P>(?:evita|no <X>)\b[^?]*\ben el futuro\b|<P><V> en el futuro\b
standing  {ahora|hoy|adelante|sucesivo|momento|el resto} ^(?!.*\?)(?!.*\b(?:dice|dicen|roto|rota|por que|responde|
  segun|podria|podriamos|hasta|changelog)\b)(?!.*[,;] (?:asi que |por favor |y )*(?:arregla|corrige|actualiza|cambia|
  adapta|modifica|ajusta|revisa)\b)(?!.*\b(?:corre|devuelve|retorna|falla|muestra)\b)(?!(?:el|la|los|las|nuestro|este|
  esta) (?:job|api|servidor|servicio|cron|build|endpoint|usuarios?|cliente|worker|pipeline)\b).*\b(?:<D>|(?:por|
  durante) el resto (?:del proyecto|de la sesion))\b
standing  {de una vez} <P>(?!.*\b(?:arregla|corrige|resuelve|soluciona|limpia)\b).*\bde una vez (?:por todas|
  y para siempre)\b
standing  {mas} <P>(?:ya )?no (?:me |lo |la )?(?:<X>|[a-z]{3,}(?:es|as)) mas\b(?!.*\b(?:cuando|si|despues|que)\b)
standing  {se acab} <P>se acab(?:o|aron) (?:el|la|los|las|lo de|eso de)\b
standing  {sin |ningun} <P>(?:sin|ni|ningun|ninguna|nada)\b[^?]*, (?:nunca|jamas|siempre|bajo ningun\w*)[.!]*$
standing  {siempre|nunca} <P>(?:cuando|si|antes de|despues de|en cuanto|al|en|para|tras|con)\b(?! (?:el|la|los|las|un|
  una|falta|hay)\b(?! mensajes| commits| prs| tests| ramas| respuestas))[^?]*\b<V> siempre\b
standing  {siempre|nunca} \b(?:tienes que|debes|teneis que|has de|tenes que)\b[^?]*\b(?:siempre|nunca|jamas)\b
remember  {memoriz|se te pase|se te escape|grabate} <C>memoriza(?:lo|la|te)?\b|<C>que no se te (?:pase|escape|vaya)\b
remember  {para } ^[^:?]{0,50}\bpara (?:las |la |mas |el )?(?:proximas?|futuras?|adelante|luego|despues|
  futuro)\b[^:?]{0,12}\s*:
standing  {hay que} ^(?!.*\b(?:dice|dicen|dijo|segun|pone|por que)\b)(?!.*\?).*\b(?:(?:siempre|nunca) hay que|
  hay que siempre) \w+
standing  {siempre |nunca |solo |jamas } <P>(?:(?:todos |todas )?(?:los|las|el|la|nuestros|tus) |todo el |
  toda la )[\w-]+(?: (?:de|del|y|los|las|la|el) ?[\w-]+)* (?:porfa )?(?:siempre|nunca|jamas) (?:en|con|sin|por|como|a|
  al|de|primero|delante|bajo)\b(?!.*\?)(?!.*\b(?:rojo|error)\b)
standing  {sin } <P>(?:no|nunca|jamas|nada|tu|<V>)\b[^?]*\bsin (?:hablar\w*|comentar\w*|consultar\w*|pasar por mi|
  que (?:yo|lo)|mi\b|el ok)\b
standing  {ocurra|pienses} <P>(?:que )?(?:ni|no) (?:se )?(?:te|os) (?:ocurra|pase por la cabeza)\b|
  <P>ni (?:lo )?pienses en\b
remember  {apunt|anot} <C>(?:apunta|anota|apunte|anote)(?:te|me)?\b[^,.:?]{0,25} que\b(?!.*\b(?:readme|changelog|
  ticket)\b)
remember  {ojo|cuidado|atenc|atento} <C>(?:ojo|cuidado|atencion|atento)\b.{0,6}\bpara <L>\b
forget    {olvid} <P>(?:lo de|la regla|la norma|eso de|aquello de|
  lo que (?:te )?dije)\b[^?]{1,60}, (?:asi que )?olvid(?:alo|ala|ate)\b
"""
