"""The words of Portuguese with which people ask; `request_words` says how to read them.

Its orders are imperatives that often look like the third person; so the verbs of working are listed.
"""

from __future__ import annotations

PATTERNS = r"""
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
"""
