"""The words of Portuguese with which people ask; `order_words` says how to read them.

Its orders are imperatives that often look like the third person; so the verbs of working are listed.
"""

from __future__ import annotations

PATTERNS = r"""
P         (?:e|mas|tambem|ok|por favor|pfv|pf|obrigado|obrigada|valeu|otimo|bem|bom|sim|nao(?=,)|ah|entao|importante|
  regras?|alem disso|perfeito|olha|alias|em geral|depois|beleza|legal|certo)\b(?!\s+(?:me|te|se|lembro)\b)[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:e|mas|tambem|por favor|pf|entao|depois|ok|por isso|assim)\s+)
V         abra adicione agrupe altere anexe apague aplique assine assuma atualiza atualize avise certifique-se chame ad
  iciona apaga altera ajusta arruma avisa muda chama commita compila confirma consulta corrige confere confira checa ch
  eque deixa diz documenta edita escolhe espera explica fala formata gera ignora importa imprime inclui instala le limp
  a manda mexe menciona mocka modifica move nomeia olha olhe ordena passa poe prefere propoe publica refatora remove re
  nomeia resume revisa salva segue separa sobe tira toca traduz trata utiliza valida verifica bota chega cite coloca co
  loque comece comente commite compartilhe compile confie confirme consulte cria crie de deixe delete desative diga div
  ida documente edite escolha escreva escrevam escreve especifique espere evita evite evitem executa execute explique f
  aca facam fale faz force formate garanta gere ignore importe imprima inclua indique inicie instale invente leia mante
  m mantenha mencione mexa misture mocke modifique mostra mostre mova mude nomeie ordene pare passe peca pede pergunta
   pergunte ponha prefira proponha publique pule rebaseie reescreva remova renomeie respeite responda responde resuma r
  evise roda rode rodem salve separe siga suba testa teste toque traduza trate usa use usem utilize valide verifique
D         (?:a partir de (?:agora|hoje)|de agora em diante|daqui (?:pra|para a|em|por) (?:frente|diante)|doravante|
  de hoje em diante|a contar de (?:hoje|agora)|deste momento em diante)
question  ^(?:por que|por que|o que|como faz|quando usar|qual|quem|onde|tem como|sera que)\b
forget    <C>(?:(?:voce )?pode )?(?:esquec[ae]r?|esquece|esqueca-se d[eo]|
  esquece-te d[eo])(?: de)? (?:tudo )?(?:(?:d?o|d?aquilo )?\s?que\b)
forget    <C>(?:pode )?(?:esquec[ae]r?|esquece)(?: d?a| d?o| as| os| essa| esta| minha| a minha| aquela|
   sua)?\b(?: [\w-]+){0,2}? ?(?:regra|preferencia|nota|instrucao|norma|convencao|pedido|orientacao)s?\b
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
forget    <C>(?:apague|apaga) (?:a|essa|esta|aquela) (?:memoria|nota) (?:sobre|de que|do|da)\b(?!.*\b(?:readme|doc|
  docs|arquivo|codigo|pagina)\b)
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
standing  <P>(?:quando|se|antes de|depois de|assim que) (?:voce )?(?:for |abrir|fizer|tiver|terminar|criar|mexer|mudar|
  editar|estiver|nao souber|acabar|alterar)[^,]*, (?:por favor )?(?:me )?(?:sempre (?:me )?<V>|<V> sempre|nunca <V>)\b
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
L         (?:a proxima(?: vez)?|proxima(?: vez)?|depois|mais tarde|o futuro|futuras (?:sessoes|vezes)|
  as proximas(?: vezes| sessoes)?|referencia futura|proximas (?:sessoes|vezes)|frente)
S         (?:(?:os|as|o|a|todos|todas|nossos|meus|seus|novos|novas|mensage[nm]s? d[eo]s?|nomes? d[eao]s?|
  titulos? d[eo]s?) ?)*(?:commits?|branch(?:es)?|branchs|prs?|pull requests?|testes?(?: novos| unitarios|
   de integracao)?|comentarios?|docstrings?|respostas|variave(?:l|is)|imports|migrations|migracoes|dependencias|mocks?|
  endpoints? novos?)
A         (?:usa|use|usem|utiliza|utilize|prefira|prefere|evite|evita|mantenha|mantem|emprega|usar|nao use|nao usa)
remember  {anot|registr|marca|grav} <C>(?:anota|anote|anotem|registra|registre|marca ai|grava|grave)(?: ai| tambem|
   isso| isto| disso| bem| por favor| pf| pra mim| para mim| em algum lugar| nas suas notas| (?:pra|para|
  p/) <L>)*(?:\s*[:,]| que\b|[.!]*$)(?!.*\b(?:no|na|em) (?:arquivo|tabela|banco|readme|log)\b)
remember? {anot|guard|lembr|memoriz|salv|registr} (?:voce |tu |vc )?(?:pode|poderia|podes|consegue|da (?:pra|para)|
  tem como)(?: voce)? (?:por favor |me )?(?:se |te )?(?:guardar|anotar|lembrar|memorizar|salvar|registrar|gravar|
  deixar anotado)(?: isso| isto)?(?: de)?(?: que\b| (?:pra|para) <L>| na (?:sua )?memoria|:)
remember  {esque} <C>(?:ve se |por favor )?(?:nao|n) (?:se |te |vai |va )?(?:esquece|esqueca|esquecas|esquecam|
  esquecer)(?:-se|-te)?(?:\s*[,:]| (?:de )?(?:que|q)\b| disso| disto)
remember  {conta|mente|consideracao} <C>(?:tenha|tem|tenham|leva|leve|levem|ter|levar)(?: sempre| bem)?(?: isso|
   isto)? em (?:mente|conta|consideracao)\b(?!.*\?)(?! (?:a performance|o desempenho|os testes))|\bque (?:voce |
  tu )?(?:tenha|tenhas|leve|leves)(?: isso| isto)? em (?:mente|conta)\b
remember  {guard|salv|grav|memoria|bota|poe|coloca} <C>(?:guarda|guarde|salva|salve|grava|grave|bota|bote|poe|ponha|
  coloca|coloque|joga|mete)(?: ai| bem)? (?:isso|isto|o seguinte|essa info|que\b)(?! (?:em|num|numa|no|na) (?!memoria|
  sua))(?: na (?:sua |tua )?memoria| (?:pra|para) <L>)?(?:\s*[:,]|(?<=que) \w+|[.!]*$)
remember  {memoria|notas} <C>(?:guard[ae]|salv[ae]|grav[ae]|bot[ae]|poe|ponha|coloc[ae]|jog[ae]|adicion[ae]|
  registr[ae]|escrev[ae]|anot[ae]|mete)\b.{0,30}\b(?:n?as?|em) (?:(?:sua|tua|suas|tuas) )?(?:memoria|notas)(?= que\b|
  \s*:| (?:isso|o seguinte))
remember  {nota|dado|info|aviso|lembrete|conhecimento|saber|sabendo|saiba} <C>(?:fica a |uma |um |so um )?(?:nota|dado|
  info|aviso|lembrete|dica)(?: importante| util| rapid[ao])? (?:(?:pra|para) (?:voce|ti|mim|<L>)|mental)\b|
  <C>fica a (?:nota|dica)\b|<C>(?:para|pra) (?:seu|teu) (?:conhecimento|governo)\b|<C>(?:so )?(?:pra|para) (?:voce|tu|
  vc) (?:ja )?(?:saber|ficar sabendo|ficar ciente)\b.{0,40}[:,]|<C>(?:bom|importante|util) saber\b.{0,10}(?:pra|
  para) <L>|<C>(?:para|pra) (?:a )?proxima(?: vez)?,? (?:fica sabendo|saiba)\b|<C>(?:fica|fique) sabendo\b
remember  {pra |para a|para o f|para dep|para mais|para ref|para as|p/ } <C>(?:pra|para|p/) (?:constar|<L>)\s*:|
  <C>(?:pra|para) (?:a )?proxima(?: vez)?\s*,(?! (?:<A>|nao |me |pergunt|por favor))|<C>(?:pra|para) depois\s*:
remember  {lembr|record} <C>lembr[ae](?:-se|-te)?(?: sempre| bem| tambem| ai)* (?:de )?(?:que|q|\w+(?:ar|er|
  ir))\b(?!.*\?)|<C>lembr[ae](?:-se|-te)? sempre\s*[:,]|\b(?:importante|necessario|bom|quero|preciso|gostaria|
  favor)\b.{0,12}\b(?:que (?:voce |tu |vc )?)?(?:se |te )?(?:lembre|lembres|lembrar)\b(?!.*\?)|<C>(?:favor|
  por favor) lembrar\b|<C>record[ae](?:-te|-se)? (?:de )?que\b|<C>(?:lembrar|lembrar-se)(?: de)?(?:\s*:| que\b)
remember  {anotado|registrado|constar|escrito|gravado} <C>deix[ae](?: ai)? (?:anotado|registrado|gravado|
  por escrito)\b(?!.*\b(?:readme|changelog|ticket|log)\b)|<C>fica (?:anotado|registrado)\b|<C>que fique (?:anotado|
  registrado)\b
standing  {para de|pare de|parem|parar de|chega|deixa de|deixe de} <P>(?:para|pare|parem|deixa|deixe)(?: ai|
   ja)? (?:de|com) (?!.*\b(?:aba|servidor|polling|requisic\w+|worker|quando)\b).*(?:\bcada\b|\btoda?\b|\bme\b|(?:pedir|
  dizer|perguntar|explicar|resumir|desculpar)\w*|\bmeus?\b|comentarios?|resum\w+|emojis?|mocks?|sem perguntar|sempre|
  o tempo todo|constantemente|commits?)|<P>chega (?:de|com)\b(?!.*\?)
standing  {nada de|nao mais|sem mais|nenhum} <P>(?:nada de|sem mais|nem um|nem uma) (?!mais\b|\d|
  novo por)(?!.*\b(?:tem|resta|encontr\w+)\b)[\w`.-]+
standing  {nao quero|n quero} <P>(?:ja )?(?:nao|n) quero (?:mais )?(?:ver|que (?:voce |tu )?\w+)\b(?!.*\?)|<P>(?:nao|
  n) quero\b[^?]*\b(?:nunca|jamais|n(?:os|as|o) (?:commits?|codigo|repo|projeto))\b
standing  {sempre|nunca|jamais|somente|apenas} <P><S> (?:(?:devem|deveriam|vao|sao|ficam|ir|comecam|tem que|tem de|em|
  nao|estar|e|vai|deve|fica|comeca|ser) )*(?:sempre|nunca|jamais|somente)\b(?!.*\b(?:falh\w+|quebr\w*|vermelh\w+|
  lent\w+|trav\w+|demor\w+|aparec\w*|pass\w*|retorn\w+|entao|tinham?)\b)(?!.*\?)
standing  {agora|hoje|diante|frente|doravante|momento|ora em} <P>(?:<D>|de ora em diante|daqui (?:pra|para|
  a) (?:a )?frente),? (?:o|a|os|as|um|uma|isto|isso|este|esta|esse|essa|todo|todos|todas|nosso|nossa|cada|
  toda)\b(?!.*\?)(?!.*[,;] (?:entao |por favor |e )*(?:arrum\w+|corrig\w+|atualiz\w+|mud[ae]|adapt\w+|modific\w+|
  ajust\w+|revis\w+))(?! (?:job|servidor|servico|cron|api|build|tarefa|usuario)s?\b)(?! \w+ (?:roda|retorna|mostra|
  executa|falha)\b)|<P>de ora em diante\b|\bvale (?:daqui|de agora) (?:em|pra|para)
standing  {proxima} <P>(?:d?n?a|pra|para a) proxima(?: vez)?(?! que (?:o|a|os|as|um|uma|rodar|se|ele)\b)(?! (?:release|
  versao|reuniao|semana|iteracao|sessao))\s?,? ?(?:por favor |pf |ve se |me |te )*(?:nao\b|sempre|nunca|quero|prefiro|
  <V>)\b
standing  {proxima} <P>(?:me )?(?:nao <V>|<V>)\b[^?]*\b(?:da|na) proxima(?: vez)?(?! que (?:o|a|os|se))[.!]*$
standing  {padrao|a menos que|salvo|regra|via de|em principio|exceto} <P>(?:por padrao|salvo (?:que|se|indicacao)[^,]*|
  a menos que[^,]*|(?:como|por|via de|em) regra(?: geral)?|a nao ser que[^,]*|exceto se[^,]*),? (?:por favor )?(?!(?:o|
  a) (?:porta|modal|valor|campo|botao|dialogo))(?:nao\b|sempre|nunca|os|as|quero|endpoint\w*|todo|<V>)\b
standing  {regra|norma|convenc|combinado} <P>(?!.*\b(?:linter|eslint|firewall|parser|validador|css|regex|lint|
  senha)\b)(?:(?:a|as|uma|umas|algumas|nossas|minhas|minha|estas sao|outra|outras|nova|novas|duas|tres|aqui vao|
  essas) )*(?:regras?|normas?|convenc(?:ao|oes)|combinados?)\b(?: (?:do|da|de|para|pra|aqui|gerais|basicas|em|comuns|
  que|e|sao)\b[^:]{0,60}?)?(?:,[^:]{0,60})?(?:\s*(?::|—)| e que\b)
standing  {repo|projeto|time|aqui|codigo} <P>(?:n(?:este|esse|o|osso)|no nosso|em todo o) ?(?:repo(?:sitorio)?|projeto|
  time|codigo),? (?:a gente |nos |todo mundo |so )*(?:(?:nao |so |nunca |sempre )?(?:usa|usamos|prefer\w+|evita\w*|
  escreve\w*|trabalha\w*|segue|seguimos)\b|nada de|<A>\b|(?:os|as|o|a)\b.*\b(?:nunca|jamais|sempre)\b)(?!.*\?)|
  <P>aqui,? (?:ninguem|a gente|nos|so|nao se)\b(?=.*\b(?:nunca|jamais|sempre|so|nao)\b|.*\busa)(?!.*\?)
standing  {repo|projeto} <P><A>\b[^?]*\b(?:n(?:este|esse|o nosso)|para este|em todo o) (?:repo(?:sitorio)?|projeto|
  codigo)\b(?!.*\b[dn]?esse (?:arquivo|script)\b)
standing  {vez que|sempre que} <P>(?:toda vez|cada vez|sempre) que (?:voce |tu |vc |for |a gente )*(?!o\b|a\b|se\b|
  um\b|eu\b)(?:(?:for |precisar )?\w+(?:ar|er|ir|izer|or))\b(?!.*\b(?:usuario|clicar|cron)\b)[^?]*?(?:, (?:por favor |
  tambem )*(?:nao\b|<V>)| (?:atualiza|regenera|roda|avisa|pergunta|adiciona|revisa|atualize|regenere|rode|avise|
  pergunte|adicione))
standing  {jamais|nunca} <P>(?:nunca|jamais)(?: mais)? (?:\w+ )?\w+(?:ar|er|ir)\b|<P>(?:voce |tu |
  vc )?nao (?:me )?<V> (?:nunca|jamais)\b|<P>(?:voce|tu|vc|nada|ninguem|nenhum\w*)\b[^?]*\b(?:nunca|
  jamais)\b(?!.*\b(?:falou|disse|pediu|fez|viu|me (?:disse|falou))\b)(?=.*(?:\bsem\b|\bnunca[.!]*$|\bna mao\b))
standing  {volte|volta|voltar} <P>(?:nao|nunca|jamais)(?: me)? volt(?:e|es|a) a \w+r\b
standing  {mais} <P>nunca mais <V>\b|<P>nunca mais (?:faz|usa|mexe|roda|commita|apaga|coloca|bota|poe)\b
standing  {sempre} <P>sempre (?:me |te )?(?:pergunt|avis|mostr|ped|consult|rod|us|test|coloc|escrev|verific|cri|
  adicion|atualiz)\w*\b(?=.* (?:antes|depois|sem|primeiro|quando|com|em|o|a)\b)(?!.*\?)(?!.*\bfalh)|
  <P>(?!.*\b(?:falh\w+|quebr\w*|erro|lento|acontece|aparece|trava)\b)(?!o |a (?!regra)|isso |
  e )[^,?]{1,70}, (?:e )?(?:sempre|sem excecao|todas as vezes)[.!]*$
standing  {sistematicamente|exclusivamente|sem excecao|permanentemente|
  o tempo todo} <P><V>\b[^?]*\b(?:sistematicamente|exclusivamente|sem excecao|permanentemente)\b
standing  {acostum|habit|costume} <P>(?:se acostum[ea]|acostum[ea]-se|vai se acostumando|peg[ae] o habito|
  cri[ae] o habito|tenha o (?:habito|costume)|perde o (?:habito|costume))\b
standing  {proibid|vetad} <P>(?:fica |ficam |esta |e )?(?:terminantemente |totalmente |
  expressamente )?(?:proibid[oa]s?|vetad[oa]s?)\b(?!.*\b(?:trata|trate|token|401|403|retorna)\b)
standing  {sem } <P>(?:nao|nunca|jamais|nada|voce|vc|<V>)\b[^?]*\bsem (?:me (?:perguntar|consultar|avisar)|
  (?:a )?minha (?:permissao|aprovacao|autorizacao|confirmacao)|(?:o )?meu (?:ok|aval)|perguntar(?: antes)?|
  falar comigo)\b
standing  {antes} <P>(?:sempre )?(?:me )?(?:pergunta|pergunte|consulta|consulte|avisa|avise)(?:-me)?(?: sempre|
   primeiro| pra mim)? antes de\b(?!.*\b(?:usuario|dialogo|modal)\b)(?=.*\bme\b|.*\b(?:qualquer|cada|mexer|instalar|
  apagar|deletar|rodar|mudar|alterar)\b)
standing  {prefir|preferi|prefer} <P>(?:eu )?(?:prefiro|prefira|preferimos|prefere)\b(?!.*\b(?:dessa vez|desta vez|
  nesse (?:arquivo|script|caso)|opcao|solucao|abordagem)\b)(?!.*\?)[^?]*\b(?:a heranca|em vez de|ao inves de|
  no lugar de|do que|sobre)\b
standing  {novo|nova} <P>(?:para|pra|em) (?:todos os |todas as |todo |toda |cada |os |as |
  qualquer )(?:[\w-]+ )?(?:nov\w+)\b[^,]{0,30},? (?:sempre|nunca|nao <V>|<V>)\b|\bvale (?:para|pra) tudo\b
forget    {regra|norma|instrucao|preferencia|convencao|nota} <P>(?:a|essa|aquela|minha|nossa|as|esta)\b(?!.*\b(?:css|
  eslint|lint|firewall)\b)(?: \w+){0,2}? ?(?:regra|norma|instrucao|preferencia|convencao|
  nota)s?\b[^?]{0,60}(?:\b(?:nao|ja nao) (?:vale|se aplica|conta|serve|existe|esta valendo)\b(?: mais)?|\b(?:foi|esta|
  ta|fica) (?:anulada|cancelada|revogada|obsoleta|sem efeito)\b)
forget    {esque|leve mais|leva mais|considere|desconsider|ignor} <C>(?:(?:voce |vc )?pode )?esque(?:ca|ce|
  cer)(?:-se)?(?: d)? ?(?:aquilo|aquele lance|essa historia|esse lance|essa coisa|tudo (?:sobre|que)|o que|o lance|
  a historia|essa regra|aquela regra|a regra)\b(?!.*\beslint)|<C>(?:nao|ja nao) (?:leve|leva|tenha) mais em (?:conta|
  consideracao) (?:o que|a|minha|isso)\b|<C>(?:desconsider[ae]|ignor[ae]) o que eu (?:disse|falei) (?:d[eoa]|sobre)\b
forget?   {memoria|nota} <C>(?:pode |poderia )?(?:apag(?:a|ue|ar)|remov(?:e|a|er)|tir(?:a|e|ar)|delet(?:a|e|ar)|
  exclu(?:i|a|ir)|limp(?:a|e|ar))\b.{0,80}\bd[ae] (?:sua |tua )memoria\b|<C>(?:apag(?:a|ue)|remov(?:e|a)|tir(?:a|e)|
  delet(?:a|e)|limp(?:a|e)) da memoria (?:tudo|o que|a regra|aquel[ae]|que)\b|<C>(?:apag(?:a|ue)|remov(?:e|a)|tir(?:a|
  e)|delet(?:a|e)) (?:a )?(?:sua|tua|suas) notas? (?:sobre|d[eoa])\b(?!.*\b(?:readme|doc|arquivo|formulario)\b)
standing  {no futuro} <P>(?:evit[ae]|nao <V>)\b[^?]*\bno futuro\b|<P><V> no futuro\b
standing  {agora|hoje|diante|frente|doravante|momento|o resto} ^(?!.*\?)(?!.*\b(?:diz|dizem|disse|quebrad\w+|por que|
  responde\b(?=.*\?)|segundo|poderia|poderiamos|ate|changelog)\b)(?!.*[,;] (?:entao |por favor |e )*(?:arrum\w+|
  corrig\w+|atualiz\w+|mud[ae]|adapt\w+|modific\w+|ajust\w+|revis\w+)\b)(?!.*\b(?:roda|retorna|falha|
  devolve)\b)(?!(?:o|a|os|as|nosso|este|esta|esse) (?:job|api|servidor|servico|cron|build|endpoint|usuarios?|cliente|
  worker|pipeline)\b).*\b(?:<D>|de ora em diante|daqui (?:pra|para|a) (?:a )?frente|(?:pelo|
  durante o) resto (?:do projeto|da sessao))\b
standing  {de uma vez} <P>(?!.*\b(?:arrum\w+|corrig\w+|resolv\w+|conserta|limpa)\b).*\bde uma vez (?:por todas|so)\b
standing  {mais} <P>(?:nao|n) (?:me )?<V> mais\b(?!.*\b(?:quando|se|depois|que)\b)|<P>(?:nao|n) (?:me )?(?:cria|crie|
  faz|faca|usa|use|poe|ponha|mexe|mexa|commita|coloca|adiciona|bota|escreve|gera|pede|pergunta) mais\b
standing  {acabou|acabaram|fim d} <P>acab(?:ou|aram) (?:o|a|os|as|essa|esse|com)\b(?!.*\b(?:memoria|espaco|de)\b)
standing  {sem |nenhum} <P>(?:sem|nem|nenhuma?|nada)\b[^?]*, (?:nunca|jamais|sempre)[.!]*$
standing  {sempre|nunca} <P>(?:quando|se|antes de|depois de|assim que|ao|em|n[oa]s?|para|pra|apos|com)\b(?! (?:o|a|os|
  as|um|uma|falt\w+|houver)\b)[^?]*\b<V> sempre\b
standing  {sempre|nunca} \b(?:tem que|tem de|deve|precisa)\b(?: me)?\b[^?]*\b(?:sempre|nunca|jamais)\b(?=.*\b(?:antes|
  depois|sem)\b)(?<!\bo )
remember  {guarda|guarde|grava} <C>(?:guarda|guarde|grava) (?:essa|esta|esse dado|essa info)\b(?=[.!]*$|\s*[:,])
remember  {pra|para|nas } ^[^:?]{0,50}\b(?:para|pras?|nas) (?:as |a |o )?(?:proximas?|futuras?|depois|mais tarde|
  futuro)\b[^:?]{0,12}\s*:
standing  {tem que|tem de} ^(?!.*\b(?:diz|dizem|disse|segundo|falou|por que)\b)(?!.*\?).*\b(?:(?:sempre|
  nunca) tem (?:que|de)|tem (?:que|de) sempre) \w+
standing  {sempre |nunca |so |jamais } <P>(?:(?:todos |todas )?(?:os|as|o|a|nossos|seus) |todo o |
  toda a )[\w-]+(?: (?:de|do|da|e|os|as|o|a) ?[\w-]+)* (?:pf )?(?:sempre|nunca|jamais) (?:em|no|na|nos|nas|com|sem|por|
  como|ao|a|de|primeiro|na frente|sob)\b(?!.*\?)(?!.*\b(?:vermelho|erro)\b)
standing  {sem } <P>(?:nao|nunca|jamais|nada|voce|vc|<V>)\b[^?]*\bsem (?:falar\w*|combinar\w*|conversar\w*|
  consultar\w*|passar por mim|que (?:eu|a gente)|(?:o )?meu)\b
standing  {nem pens|nem sonh|inventa de} <P>nem (?:pens[ea]|sonh[ea]) em\b|<P>(?:nao|nem) (?:me )?invent[ae] de\b
remember  {anot|registr} <C>(?:anota|anote|registra|registre)\b[^,.:?]{0,30} que\b(?!.*\b(?:readme|changelog|ticket)\b)
remember  {atenc|cuidado|olho|fica esperto} <C>(?:atencao|cuidado|olho|fica esperto)\b.{0,6}\b(?:pra|pras|para|para as|
  nas?) <L>\b
remember  {lembra d} <C>lembra d[aoe]s?\b[^?]{1,60}[,:](?!.*\?)
forget    {esquec} <P>(?:aquilo|aquela|aquele|a regra|essa regra|o lance|o que eu (?:disse|
  falei))\b[^?]{1,60}, (?:entao |pode )?esquec(?:e|a|er)\b
"""
