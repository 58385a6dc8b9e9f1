"""The words with which people ask to remember, to keep to something from now on, and to forget: a table per language.

A speaker of a language can edit its table, or add one: `python bench/requests.py --misses` says what it hears of
tests/requests. Type words as people do; capitals, accents and the two ways to write an umlaut make no difference.
A line that begins with two spaces goes on with the entry above it.

    stem       pieces of words of which every phrase holds one: they let a sentence through to the table, so few and
               telling ones; `_` is a space. It stands first. A test names a phrase that no stem lets through
    before     what may politely stand before an order: a phrase begins the sentence, or follows these words;
               one of remember and forget begins any clause
    bare, tag  what is left of an order that does not say what to remember; what is asked behind it ("ok?")
    ending     what the language hangs on to words that are listed with `~`; then other lists, which phrases name <so>
    not        a sentence with such a phrase is no order; `not standing` counts for orders of that kind
    remember, standing, forget   phrases, parted by `;`. With `?` behind the name they count in questions too

In a phrase, (a|b c) is one of these, [a|b] one of them or nothing, !(a|b) none of them; *ed a word that ends so, * any;
<now> a word of that list; … some words of the same clause, …… of the next ones too, at the beginning anywhere in the
sentence; a full stop its end. Commas between words need not be told. "Always" and "never" are mostly said of code: let
them count where the sentence has no subject but you, and rather miss an order than hear one that nobody gave.
"""

from __future__ import annotations

WITHOUT_SPACES = ("zh", "ja")
TABLES = {
    "en": """
stem: rememb, remeb, remmem, forget, memor, note, later, down, always, never, now on, going f, moving f, ever, rule,
  henceforth, from here, this point, future, time, as of, starting, unlearn, without, ask_, whenever, mind,
  circumstances, today, scrap, ignore
before: and, also, but, so, ok, okay, then, hey, btw, please, pls, just, oh, yes, great, thanks, now, well, important,
  fyi, ps, by the way
bare: this, that, it, please, of, for, later, next, time, me, also, so, these
tag: ok, okay, alright, please, deal, got it, understood
state: *s, *ed, *ing, mind, the, a, an, been, seen, had, in, on, by, at, of, from, got, sure, know, knew, trust, again
thing: the, this, that, it, its, there, he, she, they, i, our, users, a, an
now: from now on, from here on, from here on out, from this point on, from this point forward, henceforth,
  going forward, going fwd, moving forward, from today on, as of today, as of now, starting now, starting today
never: never, never ever, never again, don't ever, don't you ever, dont ever, do not ever, don't ever again
later: later, next time, the next time, the future, future reference, future sessions, future you
kept: rule, rules, request, note, notes, memory, preference, preferences, instruction, instructions, convention
can: can you, could you, would you, will you, can u
not: (why|what|how|who|where|which|does|did|is|are|was|were|has|should|can|could|would|will|any idea); (do|have)
  (you|we|i)
remember: [always] (remember|remeber|remmember) !(when|me|if|whether|last|where|the time|the day); … (thing|things) to
  remember; [i want|i need|i'd like] (you to|you should|you must|you need to|make sure you) [always] remember;
  (don't|do not|dont|never) [you|ever] forget (:|that|we|i|i'm|it's|it|this|there); (make|take|keep|leave) [a] [mental]
  note !(on|in); note to self; (memorize|memorise) (that|this|my|our|:); [note|noting|fyi|heads up] for <later> [:]
  !(releases); (save|store|log|keep|note) (this|that|it) for <later>; (save|store|add|put|write|keep|commit)
  [this|that|it] (to|in|into) [your] memory [please] (:|that|so|—|.); (save|store|add|put|write|keep) … (to|in|into)
  your (memory|notes); (keep|bear) [this|that|it] in mind (:|that|we|this|the|.); (write|note|jot) [this|that|it] down
  !(in|the)
remember?: <can> [please|pls|also|just] (remember|memorize|keep in mind|make a note|keep a note)
standing: <now> !(<thing>|or|in|by|one|to); (for|in) all future; in [the] future !(<thing>|tense|versions|we could);
  !(<thing>|<now>) … (<now>|in the future) .; (always|<never>) !(<state>) *; … , (always|ever|every time|never again) .;
  … (and|but|please) <never> !(<state>) *; [i want|i expect|i'd like] you (to|must|should|have to|need to|are to)
  (always|never) !(<state>) *; (we|let's|make sure you|make sure to) (always|never) !(<state>|got|use to) *; under no
  circumstances; never * , always *; (if|when|before|after|once) (you|you're) …… (always|never) !(<state>) *;
  (every time|each time|whenever) you !(click); [new|house|ground|my] (rule|rules) … :; (don't|dont|do not|never) …
  without (asking|my|telling|checking|talking); ask [me] before
standing?: <can> please (always|never); <can> … <now>
forget: [you can|you may] forget [about] (what|everything|anything|all|whatever) [that] (i|we|you); unlearn; [you can]
  (forget|scrap|ignore) [about] (the|that|this|my|your|our|those|any|all) … <kept>; [you can] forget that
  (the|we|i|our|my|there|you); (delete|remove|wipe|clear) the memory (about|on|that)
forget?: <can> [please] forget [about] (what|everything|the rule|my); (delete|remove|drop|clear) … from [your] memory
""",
    "de": """
stem: merk, vergiss, vergess, notier, notiz, denk, behalt, chtnis, speicher, schreib, zukunft, _fest, pra, immer, _nie,
  ab jetzt, ab sofort, ab heute, ab nun, von nun, von jetzt, nftig, fortan, jedes, stets, regel, ohne_, umst, grunds,
  spat, spaet, bevor, nachst, naechst, streich
before: und, aber, also, auch, ok, okay, bitte, danke, super, gut, ja, nein, ach, hey, dann, noch, noch was, wichtig
ending: e, en
bare: das, dies, es, bitte, mal, endlich, für, später, die, zukunft, dir, gut, auch, noch
tag: ok, okay, ja, bitte, klar, gell, verstanden
do: aktualisier~, antwort~, arbeit~, benutz~, check~, commit~, committ~, deploy~, dokumentier~, entfern~, erklär~,
  erstell~, ersetz~, fass~, formatier~, frag~, füg~, führ~, geh~, gib, halt~, installier~, kommentier~, lass~, leg~,
  lies, lösch~, mach~, merg~, mock~, nenn~, nimm, nutz~, prüf~, push~, rebas~, ruf~, sag~, schreib~, setz~, signier~
now: ab jetzt, ab sofort, ab heute, ab nun, von nun an, von jetzt an, in zukunft, künftig, zukünftig, fortan
always: immer, nie, niemals, nie wieder, nie mehr, stets, grundsätzlich
later: später, die zukunft, das nächste mal, nächstes mal, die nächste session, nächste mal
kept: regel, regeln, notiz, vorliebe, anweisung, konvention, erinnerung, hinweis, vorgabe
can: kannst du, könntest du, würdest du, magst du
not: (warum|wieso|weshalb|was|wann|wie|wer|wo|welche|welcher|welches|gibt es|ist|sind|hat|hast|haben|stimmt|kann);
  (kannst|könnte|soll|darf|weißt); … (steht|laut|angeblich) …
remember: (merk|merke|merkt) [es|das|bitte|mal] (dir|euch); merk's dir; merke :; … (bitte|gut) [dir] merken; … (zu|zum)
  merken :; … (dass|damit|wenn) du dir … (merkst|notierst|merken könntest); (vergiss|vergesst) [bitte|ja] nicht
  (dass|:|wir); … nicht vergessen (dass|:|wir|der|die); [das] (solltest|sollst|musst) du dir [bitte|gut] merken; du
  (solltest|musst) dir merken; (präg|präge) dir; (notier|notiere|notiert) [bitte] (dir|euch|:|das|dass); notiz [für]
  [<later>] :; … bitte (notieren|abspeichern) :; (schreib|schreibe) [es|das] dir … (auf|hinter die ohren);
  (denk|denke|denkt) [bitte|immer] (dran|daran) (:|dass|wir); (behalt|behalte) … (im kopf|im hinterkopf|im gedächtnis);
  (halt|halte) [bitte] fest; (für|fürs) <later> :; (speicher|speichere|leg|pack|schreib|nimm) …
  (ins gedächtnis|dein gedächtnis|deine notizen); speicher dir
remember?: <can> [dir|bitte] [bitte|das|noch] (merken|notieren|im hinterkopf behalten)
standing: <now> !(läuft|ist|sind|wird|könnte|könnten|kann|hat|gibt|geht|kommt|dauert|braucht|morgen|früh);
  (du sollst|du musst|ich will|ich möchte|keine|kein|<do>) … (<now>|nie wieder|nie mehr); niemals; nie wieder; <do> …
  <always> !(noch|mehr|wieder); du (sollst|musst|darfst|solltest) … <always> !(noch); (immer|stets|nie)
  !(noch|mehr|dies|das|wenn|gleich|im|nur|die|zu) … (*en|*ern|*eln|sein) .; [neue] (regel|regeln) … :; … ,
  (immer|niemals|nie wieder|nie) .; (vor|nach|bei|beim|in|für) … (immer|nie|niemals) !(noch|wieder) … *en .;
  (wenn|bevor|nachdem|sobald|falls) du …… <always> !(noch); (jedes mal|jedesmal|immer) wenn du !(klick*);
  (<do>|nichts|keine|du) … ohne (mich zu fragen|rücksprache|mein); frag [mich] [immer|erst] bevor; ich
  (will|möchte|erwarte) dass du … <always>; unter keinen umständen
standing?: <can> … <now>
forget: vergiss [bitte|mal|jetzt] [alles] (was|dass); … kannst du … (vergessen|streichen); vergiss [bitte|mal]
  (die|meine|den|das|deine|diese|alle|unsere) … (<kept>|*regel)
forget?: (lösch|lösche|entferne|streich|streiche) … aus (deinem|dem) gedächtnis; <can> [bitte] [alles] vergessen
  (was|dass)
""",
    "fr": """
stem: souv, rappel, oubli, note, reten, retien, garde, moris, moire, prochain, plus tard, toujours, jamais, sormais,
  navant, partir d, avenir, maintenant, compter d, chaque fois, regle, _sans_, aucun_, avant, suite, futur
before: et, mais, aussi, alors, ok, okay, bon, merci, oui, non, ah, salut, stp, svp, s'il te plaît, s'il vous plaît
bare: ça, cela, ceci, le, la, les, stp, svp, bien, pour, plus, tard, s'il, te, plaît, toi, moi
tag: ok, d'accord, compris, hein, stp, svp
do: ajoute, ajoutez, utilise, utilisez, lance, lancez, fais, faites, mets, mettez, écris, écrivez, demande, demandez,
  réponds, vérifie, vérifiez, exécute, pousse, commite, crée, supprime, modifie, touche, garde, évite, préfère,
  commence, termine, teste, laisse, montre, explique, formate, signe, documente, nomme, passe, prends, propose, renomme,
  dis
now: à partir de maintenant, à partir d'aujourd'hui, désormais, dorénavant, à l'avenir, dès maintenant,
  à compter d'aujourd'hui
later: plus tard, la prochaine fois, la suite, l'avenir, les prochaines sessions, le futur
kept: règle, règles, consigne, consignes, note, notes, préférence, préférences, instruction, instructions, convention
can: peux-tu, pourrais-tu, tu peux, tu pourrais, pouvez-vous, pourriez-vous
not: (pourquoi|que|quoi|quel|quelle|quand|comment|qui|où|est-ce|combien|y a-t-il|est-il|peut-on|c'est)
remember: (souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|souviens-t'en|souviens toi)
  !(quand|de la fois|du jour); (retiens|retenez|mémorise|mémorisez) !(le nombre|la position); … à retenir (:|.);
  (n'oublie|n'oubliez|oublie|t'oublies) (pas|jamais) (que|qu'|:|ça|cela); (garde|gardez|gardes) …
  (en tête|en mémoire|à l'esprit); (prends|prenez) [bien] (note|en note) !(dans); (note|notez|note-le) [bien]
  (que|qu'|ça|cela|ceci|pour); (tu dois|vous devez) (te souvenir|retenir|te rappeler); [note|info|à noter] pour <later>
  :; (enregistre|ajoute|mets|écris|stocke) … (ta mémoire|tes notes|votre mémoire);
  (je veux|je voudrais|j'aimerais|il faut|faut) que tu (te souviennes|retiennes|te rappelles)
remember?: <can> [stp|bien] (te souvenir|retenir|te rappeler|noter|mémoriser|garder en tête|garder en mémoire)
standing: <now> !(le|la|les|l'|ce|cette|il|elle|ça|on peut|notre|un|une); (je veux|j'aimerais|tu|on|ne|<do>) … <now> .;
  (toujours|jamais) (*er|*ir|*re) !(.); (ne|n') … jamais; <do> <now>; <do> jamais; <do> toujours; plus jamais;
  (tu dois|vous devez|il faut|il faut que tu|je veux que tu|j'aimerais que tu) … (toujours|jamais); tu ne … jamais;
  (avant|après|quand|si|lorsque|pour|dans|en) …… <do> toujours; … , (toujours|jamais) .; il ne faut jamais;
  (dans|pour|avant|quand) …… n' … jamais; jamais de; (chaque fois|à chaque fois) que tu !(clique*);
  [nouvelle|nouvelles|les|ma] (règle|règles) … :; nouvelle règle; (ne|n') … sans
  (me demander|demander|mon accord|me consulter|m'en parler); demande-moi [toujours] avant; en aucun cas;
  (ici|dans ce dépôt|dans ce projet|chez nous) on … (toujours|jamais)
standing?: <can> … <now>
forget: [tu peux] (oublie|oubliez|oublier) [stp] (ce que|tout ce que|que|qu'); [tu peux] (oublie|oubliez|oublier) [stp]
  (la|ma|mes|les|cette|ces|ta|tes) … <kept>
forget?: (efface|supprime|enlève|retire|effacer|supprimer) … (ta mémoire|votre mémoire|tes notes)
""",
    "es": """
stem: recuerd, record, acuer, acord, olvid, nota, apunt, cuenta, presente, en mente, memor, futur, proxim, adelante,
  siempre, nunca, jamas, ahora, sucesivo, hoy, norma, regla, _sin_, antes, luego, mas tarde, despues, ninguna, anot,
  vuelvas, cada
before: y, pero, también, además, ok, vale, bueno, gracias, sí, oye, por favor, porfa, genial, perfecto, entonces, ah
ending: me, te, nos, lo, la, los, las, n, d
bare: esto, eso, lo, por, favor, porfa, siempre, para, luego, bien, ello, que, de
tag: ok, vale, de acuerdo, entendido, sí, si, listo, dale, eh
do: usa~, utiliza~, ejecuta~, corre~, haz, hacé, haga~, pon, poné, ponga~, escribe~, pregunta~, pregúntame, responde~,
  revisa~, comprueba~, verifica~, sube~, crea~, añade~, agrega~, borra~, elimina~, cambia~, toca~, deja~, evita~,
  prefiere~, empieza~, termina~, prueba~, muestra~, explica~, formatea~, firma~, documenta~, nombra~, pasa~
now: a partir de ahora, de ahora en adelante, desde ahora, de aquí en adelante, en adelante, en lo sucesivo,
  a partir de hoy, desde hoy, de hoy en adelante, en el futuro
later: luego, más tarde, más adelante, después, el futuro, la próxima, la próxima vez, futuras sesiones,
  próximas sesiones
kept: regla, reglas, norma, normas, nota, notas, preferencia, preferencias, instrucción, instrucciones, convención
can: puedes, podrías, podés, puede, podría
not: (por qué|qué|que|cuál|cómo|cuándo|quién|dónde|hay|es|está|se puede|cuánto)
remember: (recuerda|recuerde|recordá|recordad|recuérdalo|acuérdate|acordate) !(cuando|aquella|la vez|el día|el nombre);
  (no olvides|no olvidar|no te olvides|no olvide|nunca olvides|no lo olvides|no se te olvide) [de] (que|:|esto|eso|.);
  (ten|tené|tenga) [esto|eso|siempre|muy] (en cuenta|presente|en mente) (que|:|.); tenlo (en cuenta|presente);
  (anota|anótalo|anotá|apunta|apúntalo|apuntá|anote|memoriza) [esto|eso|bien] (que|:|esto|eso|para|.);
  [nota|dato|info|anota|ojo] para <later> :; (toma|tomá|tome) nota; (debes|tienes que|hay que) recordar;
  (guarda|guárdalo|añade|agrega|pon|registra|mete) … (tu memoria|tus notas); guarda en [la] memoria que;
  (quiero|necesito|me gustaría) que (recuerdes|te acuerdes|tengas en cuenta|memorices)
remember?: <can> [por favor] (recordar|acordarte|tener en cuenta|anotar|apuntar|memorizar|tomar nota)
standing: <now> !(el|la|los|las|este|esta|se|hay|un|una|podría|podríamos|esto|eso); (quiero|no|nada de|<do>|solo) …
  <now> .; (nunca|jamás) (*as|*es|*ar|*er|*ir|*an|*en) !(.); siempre (<do>|*ar|*er|*ir); <do> siempre; no …
  (nunca|jamás); (debes|tienes que|tenés que|quiero que|hay que|prefiero que|me gustaría que) … (siempre|nunca|jamás);
  nunca más; (cuando|antes de|después de|si|en|para) …… <do> siempre; … , (siempre|nunca|jamás) .; siempre que
  (*es|*as); [en este proyecto|en este repo|aquí] (siempre|nunca) *amos; no vuelvas a; cada vez que (*as|*es);
  (nueva|nuevas) (regla|norma|reglas|normas); [la|mi|las] (regla|reglas|normas) … :; bajo ninguna circunstancia;
  (no|nunca) … sin (preguntarme|preguntar|consultarme|avisarme|mi permiso|decirme); (pregúntame|avísame) [siempre] antes
standing?: <can> … <now>
forget: [ya] [puedes] (olvida|olvidá|olvide|olvídate|olvidar|olvidarte) [de] (lo que|todo lo que|que); [ya] [puedes]
  (olvida|olvidá|olvide|olvídate|olvidar) [de] (la|mi|mis|las|esa|esta|tu|tus|los|el) … <kept>
forget?: (borra|elimina|quita|borrá|borrar|eliminar) … (tu memoria|tus notas); <can> [por favor] olvidar
  (lo que|todo|mi)
""",
    "pt": """
stem: lembr, record, esque, anot, em mente, em conta, memor, futur, proxim, nota, sempre, nunca, jamais, agora, diante,
  frente, doravante, vez que, regra, norma, hoje, _sem_, antes, hipotese, depois, mais tarde, registr, presente
before: e, mas, também, além disso, ok, certo, bom, obrigado, obrigada, valeu, sim, oi, por favor, pf, ótimo
bare: isto, isso, disto, disso, aí, pf, pra, para, depois, por, favor, o, bem, se, nisso
tag: ok, certo, tá, tá bom, blz, beleza, viu, né, combinado, entendido
do: use, usa, utilize, rode, roda, execute, faça, faz, ponha, põe, coloque, coloca, escreva, pergunte, pergunta,
  responda, responde, verifique, suba, crie, cria, adicione, apague, remova, mude, toque, mexa, mexe, deixe, evite,
  evita, prefira, comece, termine, teste, mostre, mostra, explique, formate, assine, documente, nomeie, passe, instale
now: a partir de agora, de agora em diante, daqui em diante, daqui pra frente, daqui para frente, doravante,
  a partir de hoje, de hoje em diante, no futuro
later: depois, mais tarde, o futuro, a próxima, a próxima vez, próxima vez, futuras sessões, as próximas sessões
kept: regra, regras, norma, normas, nota, notas, preferência, preferências, instrução, instruções, convenção
can: pode, poderia, você pode, você poderia, consegue, vc pode, podes
not: (por que|porque|o que|que|qual|como|quando|quem|onde|há|está|será|quanto)
remember: (lembre|lembra|lembre-se|lembrem-se|lembra-te|recorde|se lembre) !(quando|daquela|da vez|do dia|do nome);
  (não esqueça|não se esqueça|não esquece|nunca esqueça|não te esqueças) [de] (que|:|disso|isso|.); (tenha|tem|leve)
  [isso|isto|sempre] (em mente|em conta|presente) (que|:|para|se|.); (tome|toma) nota;
  (anote|anota|anotem|memorize|memoriza|registre|registra) [isso|isto|aí|bem] (que|:|isso|isto|para|pra|aí|.);
  [nota|dado|info|anote|aviso|fica a dica] (para|pra) <later> :;
  (guarde|guarda|salve|salva|adicione|coloque|grave|bota|põe) … (sua memória|suas notas|tua memória|na memória que);
  (quero|preciso|gostaria) que você [se] (lembre|memorize|tenha em mente); você (deve|precisa|tem que) [se] lembrar
remember?: <can> [por favor] [se|te] (lembrar|lembrar-se|anotar|memorizar|ter em mente|tomar nota)
standing: <now> !(o|a|os|as|este|esta|isso|há|um|uma|podemos|poderia|poderíamos); (quero|não|nada de|<do>|só) … <now> .;
  (nunca|jamais|nunca mais) (<do>|*ar|*er|*ir|*es|*as|se); sempre [me] (<do>|*ar|*er|*ir); <do> sempre; nunca mais;
  (você deve|você tem que|deve|quero que você|prefiro que você|gostaria que você) … (sempre|nunca); não …
  (nunca|jamais); (quando|antes de|depois de|se|em|para|pra|nas|nos) …… <do> sempre; … ,
  (sempre|nunca|jamais|nunca mais) .; (aqui|neste projeto|neste repo) [a gente] (sempre|nunca) *; você nunca (deve|*a);
  (toda vez que|sempre que) (mudar|mexer|adicionar|alterar|criar|editar|terminar|fizer|você) !(clica*); (nova|novas)
  (regra|norma|regras|normas); [a|minha|as] (regra|regras|normas) … :; em hipótese alguma; pare de … <now>; (não|nunca)
  … sem (me perguntar|perguntar|me consultar|me avisar|minha permissão|falar comigo);
  (me pergunte|pergunte-me|me consulte|me avise|pergunte) [sempre] antes
standing?: <can> … <now>
forget: [já] [pode|você pode] (esqueça|esquece|esquecer) [de] (o que|tudo o que|tudo que|que); [já] [pode|você pode]
  (esqueça|esquece|esquecer) [de] (a|minha|minhas|as|essa|esta|sua|suas|o|aquela) … <kept>
forget?: (apague|apaga|remova|exclua|tire|tira|delete) … (sua memória|da memória|suas notas); <can> esquecer
  (o que|tudo|minha)
""",
    "zh": """
stem: 规, 那条, 那件, 的事, 没说, 记, 忘, 备, 下次, 以后, 今后, 往后, 从现在, 从今, 从此, 永远, 绝, 千万, 再也, 禁止,
  严禁, 不准, 不许, 总是, 一定要, 务必, 必须, 每次, 每当, 一律, 始终, 新规, 新的, 统一, 不要再, 别再, 一直, 任何, 都要,
  都得, 问我, 同意, 参考, memory, 跟我, 一下我, 作废, 不算数, 取消, 让我, 允许, 确认, 说的
before: 请, 麻烦, 帮我, 你, 你们, 都, 也, 还, 另外, 然后, 好的, 好, 谢谢, ok, 嗯, 对了, 哦, 我希望, 希望, 重要, 务必,
  一定, 要, 得, 必须, 给我, 可以, 能, 先, 顺便, 再, 最后, 注意, 千万, 永远, 永久, 牢牢
bare: 了, 哈, 这个, 这点, 这条, 一下, 吧, 下来, 啊, 哦, 请, 这些, 下
tag: 好吗, 好么, 行吗, 好不好, 可以吗, 明白吗, 好吧
now: 以后, 今后, 往后, 从现在开始, 从现在起, 从今以后, 从今往后, 从今天起, 从今天开始, 从此以后, 从此
never: 永远不要, 永远别, 绝对不要, 绝不要, 绝对别, 千万别, 千万不要, 再也不要, 再也别, 不许再, 不准再, 任何情况下都不要,
  任何时候都不要
rule: 规则, 规矩, 规定, 约定, 偏好, 要求, 说法
not: (为什么|怎么|什么|如何|谁|哪); … (吗|呢) .; … (不生效|失效|没生效|的功能)
not standing: … (用户|按钮|返回|点击|如果|的话|函数|文档|报错|readme)
remember: (记住|牢记|谨记|切记|记着|记好|记一下|记下|记牢|记个|记录一下); 记得 !(那次|上次|之前); 把 …
  (记下来|记住|记一下|记到|记在); (别|不要|勿|可别|请勿) 忘 [了|记]
  !(跑|去|先|运行|提交|更新|加|写|测试|检查|推|删|改|把|顺便|补|带|也|第); …
  (写进|写入|加到|加进|存到|存进|记到|记在|放进|加入|保存到) [你的] [长期] (记忆|笔记|备忘|memory); …
  (要|得|需要|必须|让你) 记住; (备忘|备注|笔记|以备后用) [一下] :; (留|做|写|加|存) 个 (备注|笔记|备忘|memory); … 记住
  (这点|这一点|这个|这些|这条|以下); (供|留待) (以后|下次|将来|今后) 参考; (下次|以后) [要] (注意|参考); … (请|你|要|得)
  (记住|记着) .
remember?: (你能|能不能|能否|可否|可以|麻烦|能) [你|请你|帮我|帮忙] [帮我] (记住|记一下|记下|记录下)
standing: <now> !(再说|可能|可以随时|会|还会|也许|或许|要是|有空|有时间|再|这个|该|那个|系统|服务|任务); … <never>
  !(忘); (禁止|严禁|不准) !(输入|重复); (别再|不要再) !(多); … (绝不能|绝对不能) (把|在|打印|提交|推|动|改|删|用|写); …
  , <now> (都|只|要|不要|一律|必须); (总是|永远|始终|一直) (先|用|要|使用|在|把|给|跑|写|加|保持|以); 每当你; 每次 …
  (都要|都得|都必须|必须); 新 [的] (规则|规矩|规定); … (前|之前|后|之后|时候|时) [请]
  (始终|一定要|必须|务必|总是|都要|都得|一律); … (一律|统一) (用|使用|采用|以); … 每次都 (要|得|先|必须); …
  (先|必须|都要|一定要) (问我|问一下我|跟我说|经我同意|让我确认); … 没有 [我|我的] (同意|允许|确认) …
  (不要|别|不许|不准); [项目|我的|这里的] (规则|规矩|规范|规定) … :; … , (永远|一直|以后都这样|每次都这样) .; 你
  (应该|要|得|必须) (始终|总是|永远|一直|每次)
standing?: <now> (可以|能|请)
forget: (忘掉|忘记|忘了|忘) … (说的|说过|告诉|<rule>|那条|这件事|那件事|的事|记住的|记忆); …
  (删掉|删除|清除|移除|去掉|忘掉) … 记忆; … 记忆 … (删|清|去掉); … (<rule>|说的|那条) …
  (作废|不算数|可以忘|忘掉|忘了|取消); … 记住的 … (删|清|忘)
forget?: (能|可以|请) [你] 忘 (掉|记|了) … (说的|说过|告诉)
""",
    "ja": """
stem: 一切, もう, 禁止, 厳禁, やめ, 常に, いつも, 聞か, 相談, 記録, 書いて, 留意, のために, ルール, なかった, 覚え,
  おぼえ, 記憶, 忘れ, メモ, 念頭, 頭, 心に, 次回, 今後, これから, 以後, 以降, 次から, 必ず, 絶対, 決して, 毎回, 二度と,
  たびに, 度に, 今日から, 今から, 勝手に, 無断, 許可, 確認, 書き留, 控え, 備忘, 覚書, 肝に, 前に, 保存
before: あと, それと, では, じゃあ, はい, ok, ありがとう, ちなみに, また, そして, なお, 重要, ところで, よし, なので
bare: ください, 下さい, ね, よ, これ, これを, それを, それ, そこ, お願いします, ぜひ, ちゃんと, を, は
tag: いい, いいですか, いいね, よろしい, よろしいですか
now: 今後は, 今後, これからは, これから, 以後は, 以後, 以降は, 次回から, 次回からは, 今日から, 今から, 次からは, 次から
ask: て, てください, て下さい, てね, てほしい, てくれ, ること, うこと, ように, で, でお願い, お願いします, ましょう,
  統一, すこと, くこと
never: ないで, ないこと, ないように, するな, 出すな, やめて, 禁止, 厳禁, やめろ
do: 使って, 使うこと, 使用, 実行して, 実行すること, 走らせ, 付けて, つけて, 書いて, 聞いて, 確認を, 見せて, 通して,
  通すこと, 回して, 更新して, 流して, 先に
not: (なぜ|どうして|何が|何を|いつ|どこ|誰が); … (ですか|ますか|でしょうか|のか) .; … かもしれない
not standing: … が (必ず|常に|毎回|絶対); … (を|に) (必ず|常に|毎回); … (なので|ので|クリック|関数|ユーザー|とあ|はず)
remember: … (覚えて|おぼえて|記憶して) (おいて|おく|下さい|ください|て) !(います|った); … (覚えといて|記憶しといて); …
  メモ (して|しといて|っておいて|っといて|に残して|お願い|リに保存|リに追加|リに書い|リに入れ); [後のために|自分用|備忘]
  メモ :; 備忘 [録] (:|として); … (書き留めて|控えておいて|記録しておいて|記録しといて|書いておいて); …
  (ことを|ことは|点を|って|と) [絶対に] (忘れないで|忘れずに|忘れないように); … お忘れなく; …
  (頭に入れて|頭に入れといて|念頭に|心に留めて|肝に銘じて|頭の片隅|留意して);
  (次回|次から|今後のセッション|後で参照する) のために
remember?: … (覚えて|記憶して|メモして|保存して) [おいて|もらって] (くれ|もらえ|いただけ)
standing: 今後の … ルール; <now> …… <ask> .; <now> …… <never>; … 二度と … <never>; … (絶対に|絶対|決して|一切|もう) …
  <never>; … 必ず … <do>; … (前|前に|前は|前には|時|時は|際|際は|後|後は) [に] 必ず; … 常に … <do>; 毎回 … <do>; …
  (確認なしに|許可なく|勝手に|無断で|相談なしに|聞かずに) … <never>; … 前に [必ず] (聞いて|確認して|私に); … ルール :; …
  は (今後|以後) …… (<ask>|<never>)
standing?: <now> …… (くれ|もらえ|ください|いただけ)
forget: … (こと|話|件|ルール|指示|メモ|記憶|好み|約束|お願い) [は|を|について|も] [もう] [全部] (忘れて|なかったことに);
  … (記憶|メモリ) (から|を|は) … (消して|削除して|外して)
forget?: … 忘れて (くれ|もらえ)
""",
}
