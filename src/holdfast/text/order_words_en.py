"""The words of English with which people ask; `order_words` says how to read them."""

from __future__ import annotations

PATTERNS = r"""
P         (?:and|also|but|so|ok|okay|then|hey|btw|please|pls|plz|kindly|just|oh|yes|no(?=,)|great|thanks|thx|thank you|
  cool|well|now|again|important|fyi|ps|plus|rules?|reminder|one more thing|for the record|by the way|in general|
  generally|finally|lastly|remember|makes sense|nice|perfect|good|right|fine|and another thing)\b[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:and|but|also|then|so|please|pls|plz|kindly|just|now|ok|okay)\s+)
V         add amend annotate answer apply ask assume attach avoid be begin bring build bump bypass call change check ch
  erry-pick cite clean comment commit confirm consult copy create credit declare define delete depend deploy disable do
   document double-check download drop edit enable end execute explain expose finish fix follow force forget format gen
  erate get give go group guess hard-code hardcode have ignore implement import include install introduce invent keep k
  ill launch leave let link lint list log look make mark mention merge mock modify move name open order overwrite pin p
  lace plan post prefer present print propose provide publish pull push put quote re-run re-use read rebase refactor re
  ference reformat regenerate release rely remove rename replace reply report rerun reset respect respond restart reuse
   revert review rewrite run save say send set share ship show sign skip sort speak spell split squash stage start stas
  h stop store stub submit suggest summarise summarize switch tag talk tell test think touch translate treat trust try
   type update upgrade upload use validate verify wait work wrap write
D         (?:from now on(?:wards?)?|from here on(?: out| in)?|from this point (?:on|onwards?|forward)|going (?:forward|
  fwd)(?! or\b| in\b| by\b| one\b| to\b| and back)|henceforth|from today on|hereafter|moving forward|
  in future sessions?|as of (?:today|now)|(?:starting|effective) (?:now|today|immediately)|from today(?!'))
W         add are bump change commit complete create delete deploy do edit finish fix implement introduce make merge mo
  dify move need open push refactor release remove rename start touch update want work write
question  ^(?:why|what|when (?:do|does|did|is|are|should|will|to)|how|who|where|which|does|do (?:you|we|i|they)\b|did|
  is|are|was|were|has|have (?:you|we)\b|should|can|could|would|will|any idea)\b
forget    <C>(?:you (?:can|may|should) )?(?:now )?forget (?:about )?(?:what|everything|anything|all|
  whatever) (?:that )?(?:i|we|you)\b(?:'ve| have)?(?: (?:just|ever|previously|once|earlier))? (?:said|told|mentioned|
  wrote|asked|remember(?:ed)?|learned|learnt|know|noted|stored|saved)
forget    <C>(?:you (?:can|may|should) )?(?:now )?forget (?:about )?(?:the|that|this|my|your|our|those|these|any|
  all)(?: [\w-]+){0,3}? (?:rules?|requests?|wish|order|notes?|memory|memories|preferences?|instructions?|conventions?|
  guidelines?|facts?|lessons?)\b
forget    <C>(?:you (?:can|may|should) )?forget (?:the fact )?that (?:the|we|i|our|my|there|you|it|[\w-]+ (?:is|are|
  was|has|uses?|needs?))\b
forget    <C>(?:delete|remove|erase|drop|discard|wipe) (?:the|that|this|your|those|any|all)(?: [\w-]+)? (?:memory|
  memories)(?: (?:about|on|that)\b|[.!]*$)
forget    <C>unlearn\b
forget?   (?:<C>|can you |could you |please )(?:delete|remove|erase|drop|clear|wipe) .{1,80} from your memor
forget?   (?:can|could|would) you (?:please )?forget (?:about )?(?:what|everything|(?:the|that|this) rule|my (?!last|
  previous))\b
remember  <C>(?:always )?(?:remember|remeber|rember|rememebr|remmember)\b(?!\s*(?:when|me\b|if|whether|how (?:we|i)\b|
  last|the (?:time|day|name)|where|-|\())
remember  (?:i (?:want|need)|i'?d like|i would like) you to (?:please |always )?(?:remember|remeber|memori[sz]e)
remember  (?:you (?:should|must|need to|have to)|(?:important|crucial) (?:that you|for you to|to)|make sure (?:you|to)|
  be sure to) (?:always )?remember\b(?! how| when)
remember  <C>(?:do not|don'?t|dont|never) forget(?:\s*[:,—]|\s+-|\s+(?:that|we|i'?m|i|it'?s|there)\b)
remember  <C>(?:make|take|leave|keep) (?:a |yourself a )?(?:mental )?note\b(?! (?:on|in) the (?:readme|pr|code|docs))
remember  <C>notes? (?:to self|for (?:later|next time|the future|future \w+|yourself))\s*[:,—-]
remember  <C>for (?:future (?:reference|sessions?)|next time|the future|later)\s*(?:[:,—]|-\s)
remember  <C>(?:save|store|add|put|write|record|keep|commit) (?:this|that|it|these|the following)?.{0,30}(?:to|in|
  into) your (?:long-term )?memory
remember  <C>(?:save|store|add|commit|write)(?: (?:this|that|it|these|
  the following))? to (?:long-term )?memory(?:\s*[:,—-]|\s+that\b|[.!]*$)
remember  <C>memori[sz]e (?:that|this|these|the following|my|our|:)
remember  <C>(?:keep|bear) in mind(?:\s*[:,—]|\s+(?:that|we|this)\b)
remember  <C>(?:keep|bear) (?:this|that) in mind
remember? (?:can|could|would|will) (?:you|u)(?: please| also| just| pls)* (?:remember|remeber|memori[sz]e|keep in mind|
  make a note)(?:\s*[:,]|\s+(?:that|this|these|to|my|our|we|i'?m|i|for)\b)
standing  <P><D>\b(?!,? (?:the|this|that|it|its|there|he|she|they|our|users?|a|an)\b)
standing  <P>in (?:the )?future,? (?:please|pls|do\b|don'?t|dont|never|always|you should|i want|i'?d like|let'?s|no\b|
  only|stop|we use|<V>\b)
standing  <P>(?:stop|don'?t|dont|do not|you|let'?s|no|only|i want|i'?d like|we|<V>)\b.*\b(?:<D>|
  in (?:the )?future)[.!\s]*(?:please|pls)?[.!\s]*$
standing  <P>(?:stop|don'?t|do not|let'?s|<V>)\b[^,]* <D>\b
standing  <P>(?:always|never(?: ever| again)?|(?:don'?t|dont|do not) ever) (?:please )?(?:ever <V>|<V>)\b
standing  <P>(?:don'?t|dont|do not) (?:ever )?<V>\b.* (?:ever )?again[.!]*$
standing  <P>never again\b
standing  ^(?!if\b|when\b|the\b|it\b|docs?\b|i\b|they\b).*(?:\band|\bbut|\balso|\bplease|;|[.!]) (?:please )?(?:always|
  never(?: ever)?) <V>\b
standing  \bnever \S+[,;:] (?:but )?always \S+$|\balways (?:\w+ )?\S+[,;] never \S+$
standing  <P>you (?:must|should|shall|have to|need to|are to|may|can|will)(?: please)? (?:always|never) <V>\b
standing  <P>(?:make|be) sure (?:that )?(?:you |to )?(?:always|never) <V>\b
standing  <P>(?:every|each) time (?:that )?(?:you|we) <W>\b[^,]*, (?:please |also |you (?:must|should) )?(?:always |
  never )?(?:also )?<V>\b
standing  <P>(?:whenever|any ?time|always when) (?:you|we) <W>\b[^,]*, (?:please |also |you (?:must|
  should) )?(?:always |never )?(?:also )?<V>\b
standing  <P><V>\b[^,]* (?:whenever|every time|each time) you <W>\b
standing  <P>(?:(?:here|in (?:this|our) (?:project|repo|repository|codebase|team|monorepo)),? )?we (?:always|
  never) <V>\b(?!.*\?)
standing  <P>(?:new|another|house|project|team) rule\s*[:,—-]
standing  <P>before (?:every|each) (?:commit|push|pr|merge|release)\b,?|<P><V>\b[^,]* (?:before|after) (?:every|
  each) (?:commit|push|pr|merge|release|change|edit|task)\b
standing? (?:could|would|will|can) you(?: please| pls) (?:always|never) <V>\b|(?:could|would) you (?:always|
  never) <V>\b
standing? (?:can|could|would|will) you(?: please| pls)? <V>\b.* <D>\b
standing? (?:can|could) we (?:always <V>|<V>\b.* <D>)
remember  \bso (?:that )?you (?:will |can |'ll )?remember\b|\b(?:thing|things|point|one|fact) to remember\b
remember  <C>(?:write|note|jot) (?:(?:this|that|it|these) down\b(?! in the\b)|down(?:\s*[:,]| that\b| this\b| for\b|
   somewhere))
remember  <C>(?:add|put|write|save|record|store) .{0,40}\b(?:to|in|into) your (?:notes|memory|long-term memory)\b
remember  <C>(?:remember|keep|store|save) (?:this|that|it) for (?:later|next time|the next|future)
standing  <P>(?:no|only|don'?t|<V>)\b.*, (?:always|ever|every time|each time|every single time|never again)[.!]*$
standing  <P>(?:i (?:want|need|expect|would like)|i'?d like) (?:you )?(?:to )?(?:please )?(?:always|never)\b
standing  <P>(?:i (?:want|need|expect|would like)|i'?d like) you to (?:always|never)\b
standing  <P>no more (?!than\b).*\b(?:ever|again|please)\b|<P>(?:under no circumstances|at no point|in no case)\b
standing  <P>never,[^,]*, <V>\b|<P>(?:don'?t|do not|never) <V>\b.*\bunder any circumstances\b
standing  <P>(?:if|when|before|after|once|as soon as) (?:you|unsure|in doubt)\b[^,]*, (?:please )?(?:always|
  never) <V>\b
standing  <P>(?:if|when) (?:unsure|in doubt)\b,? (?:please )?(?:always )?<V>\b
standing  <P>(?:for|in|on|with) (?:all |any |every )?(?:future|upcoming|subsequent) (?!versions?|releases?|
  reference)\w+,?
standing  <P>(?:i|we) (?:prefer|hate|dislike|don'?t like|never want|don'?t want)\b.*\b(?:in general|generally|always|
  ever)\b
remember  \bto keep in (?:memory|mind)\b.*:|\b(?:good|worth|important) to (?:know|remember) for (?:later|next time|
  the future)\b
standing  <P>(?:in|for|before|after|on|with|during|at|when|while)\b[^,.]{0,60},? (?:please )?(?:always|never) <V>\b
standing  <P>(?:before|after) (?:every|each)\b[^,]{0,40}?,? (?:please )?<V>\b
standing  <P>always, always\b|<P>(?:don'?t|dont|do not) ever again <V>\b|<P>never, ever\b
standing  <P>(?:i (?:would )?(?:prefer|rather|like it)|i'?d (?:prefer|rather|like it))\b.{0,20}\byou (?:always|never)\b
L         (?:later|the next time|next time|(?:the )?future(?: (?:reference|sessions?|use|runs?|work|tasks?|chats?|
  conversations?))?|another time|the next session|later reference)
M         (?:remember|remeber|rember|rememebr|remmember|rmember|remmeber|remembr|remenber|rembember)
S         (?:(?:the|all|my|our|your|any|new|every|each|code|unit|git) )*(?:commits?|commit (?:messages?|subjects?|
  titles?|bod(?:y|ies))|branch(?:es)?|branch names?|prs?|pr (?:titles?|descriptions?|bod(?:y|ies))|pull requests?|
  tests|comments?|docstrings?|answers|replies|your responses|variable names?|imports|migrations|dependencies|
  changelog entries|release notes)
R         (?:repo(?:sitory)?|project|codebase|code base|monorepo|team|workspace)
remember  {rmemb|remme|remembr|remenb|rembem} <C>(?:always )?<M>\b(?!\s*(?:when|me\b|if|whether|last|where))
remember  {later|next time|future|next session} <C>(?:fyi|heads[- ]up|note|noting|noted|good to know|useful|
  worth knowing|(?:just )?so (?:that )?you(?:'ll| will)? know|for your info(?:rmation)?|info|reminder|context|tip|
  lesson|something)\b.{0,20}\b(?:for|in|to) <L>\b
remember  {later|next time|future} <C>for <L>\s*[:,—]|<C>(?:just )?so (?:that )?you(?:'ll| will)? know (?:this |it |
  that )?next time
remember  {note} <C>note (?:this|that|it|these)(?: down)? for <L>\b|, so (?:please |pls |do )?note (?:this|that|
  it)\b(?! the)
remember  {remembering|to remember|noting|memory|notes} <C>(?:this is |that's |it's )?(?:also )?(?:worth|important|
  good|useful) (?:remembering|to remember|noting)(?:\s*[:,—]| for\b)|<C>(?:one|something|this one|a fact|fact|
  another one) (?:for|to) (?:the|your) (?:memory|notes|books|records?)\b
remember  {save |store |record |log |keep |put |stash |file |persist } <C>(?:save|store|record|log|keep|put|stash|file|
  persist) (?:this|that|it|these|the following)(?: (?:info|information|fact|away|somewhere|as a (?:note|memory|
  rule)))*(?: please)?(?:\s*:(?=.*\w)| for <L>\b)
remember  {memory} <C>(?:save|store|keep|add|put|record|commit|write|log)(?: (?:this|that|it|these|
  the following))? (?:to (?:your |long-term |persistent )?memory(?=\s*[:,—-]| that\b| so\b| please|[.!]*$)|(?:in|
  into) (?:your |the |long-term |persistent )?memory(?=\s*[:,—]| that\b))
remember  {memory} <C>(?:add|save|create|make|store|write|new)(?: (?:a|this|that|one|
  it))?(?: as)?(?: a)?(?: new)? memory(?: entry|note)?(?=\s*[:,—]| that\b| saying\b| about (?:me|my|our|the)\b)
remember  {in mind} <C>(?:keep|bear|have|hold) (?:it|this|that|these|the following) in mind\b|<C>(?:keep|bear|
  hold) in mind (?:the|our|my|all|only|your)\b.* (?:is|are|has|have|was|were|needs?|must|can'?t|cannot|does|do|will|
  runs?|uses?|only|still)\b
remember  {forget} <C>(?:do not|don'?t|dont) (?:you |ever |you dare )+forget\b(?! to\b)|<C>(?:do not|don'?t|dont|
  never) (?:ever )?forget (?:the|our|my|all|this\b|about the fact)\b.* (?:is|are|has|have|needs?|runs?|uses?|must|
  can'?t|only|still)\b|\b(?:make|be) sure (?:that )?(?:you |to )?(?:don'?t|do not|never|not)(?: to)? forget (?:that|
  this|it)\b|<C>(?:do not|don'?t|dont) forget (?:this|it)\b(?! (?:file|test|time|one))
remember  {remember|memori|in mind|a note} ^(?!.*\?).*\b(?:great|good|nice|helpful|appreciate(?: it)?|glad|best|better|
  happy|cool|important|thankful|grateful)\b.{0,15}\b(?:if|that) you(?: could| would| can|
  'd)?(?: please)? (?:<M>(?:ed)?|memori[sz]ed?|ke(?:ep|pt) (?:this |that |it )?in mind|(?:made|
  make) a note)\b(?! (?:when|how|where|which|what|why|any))
remember? {keep|take|make|leave|save|store|write|note|jot|record|add|put|commit|file} (?:can|could|would|will) (?:you|
  u)(?: please| also| just| pls)* (?:keep|take|make|leave|save|store|write|note|jot|record|add|put|commit|
  file) (?!.*\b(?:in|to) (?:the|a) (?!future|memory))(?:yourself )?(?:a (?:mental )?note (?:that|of|for|:)|(?:this|
  that|it|these|the fact that .{1,80}) (?:down|in mind|for <L>|(?:to|in) (?:your |long-term )?memory|to your notes)|
  (?:down )?(?:for <L>|that (?!to|in|into)))\b
remember  {remind yourself|mental note|personal note|learn |lesson|keep track|for you to } <C>remind yourself\b|
  <C>(?:mental|personal) note\s*[:,—-]|<C>learn (?:this|from this|that)\s*[:,]|<C>(?:lessons? (?:learned|learnt)|
  lesson)\s*:|<C>keep track of (?:the fact|this)\b|\bfor you to (?:keep|remember|store|save)\b
remember  {again} <C>(?:in case|should|if|when) (?:it|this|that)(?: ever)? comes? up again\s*[:,]|<C>you(?:'ll|
   will) need (?:this|that|it) again\b
standing  {always|never|only} <P><S> (?:(?:should|must|shall|are|is|to|have to|need to|go|get|
  gets) )?(?:be )?(?:always|never|only)(?! (?:fail|pass|return|contain|show|hang|break|time|run|come|seem|block|work|
  succe|take|throw|crash|been|was|were|had)\w*)\b(?!.*\?)
standing  {always|ever|exception|every time} <P>(?!.*\b(?:fails?|failing|breaks?|crash\w*|hangs?|returns?|errors?|
  happens?|slow|red|broken|shows?|says?|flak\w+|was|were|did)\b)(?!it\b|this\b|that\b|the (?:build|test|app|page|
  function|value)\b|they\b|he\b|she\b|why\b)[^,?]{1,90}, (?:always|ever|every time|every single time|each time|
  without exception|no exceptions|always and everywhere)[.!]*$
standing  {rule} <P>(?!.*\b(?:validator|parser|linter|eslint|firewall|regex|grammar|css|password|nginx|routing|game|
  lint)\b)(?:(?:it's|it is|there is|there's|these are|here are|those are|this is) )?(?:(?:a|an|some|few|the|my|our|
  more|one|another|new|hard|golden|simple|important|following|general|basic|house|ground|project|team|coding|repo|
  working|first|second|third|last|final|strict|standing|additional|other|couple of) )*rules?\b(?: (?:for|of|in|here|
  when|about|to|that|while|we|i|you)\b[^:]{0,60})?(?: is| are| apply)?\s*(?::|—)(?! if\b)
standing  {rule|default|unless|principle|convention|cases|times|exception} <P>(?:as a (?:general |
  strict )?rule(?: of thumb)?|by default|by convention|on principle|as a matter of principle|unless (?:i|we|told|asked|
  stated|otherwise|specified|instructed)\b[^,]*|in all cases|at all times|without exception),? (?:please )?(?:don'?t|
  do not|never|always|no\b|i (?:want|prefer|like)|we (?:use|prefer|don'?t|never|only)|<V>\b)
standing  {rule|unless|at all times|habit|principle|exception|for good|default} <P>(?:don'?t|dont|do not|no|only|
  <V>)\b.*\b(?:as a (?:general )?rule|unless (?:i|we) (?:say|tell|ask|specify|explicitly|approve|request)\b|
  unless (?:told|asked|stated) otherwise|at all times|as a habit|on principle|without exception|for good)\b
standing  {repo|project|codebase|code base|team|workspace} <P>(?:use|prefer|avoid|stick (?:to|with)|don'?t use|
  do not use|dont use|no|never|only)\b(?!.*\b(?:from|this (?:file|function|test|script|time))\b).*\b(?:in|for|across|
  throughout) (?:this|our|the(?: whole| entire)?) <R>\b
standing  {repo|project|codebase|code base|team|workspace| here} <P>(?:(?:in|for|across|inside|within|on) (?:this|our|
  the|my) <R>|(?:around )?here),? (?:please )?(?:we (?:only |always |never )?(?:use|prefer|don'?t|do not|only|avoid|
  write|follow|stick|name|put|keep|squash|rebase)|(?:use|prefer|avoid|stick|don'?t|do not|no|only|never|
  always)\b)(?!.*\?)
standing  {ly } <P>(?:consistently|permanently|strictly|exclusively|systematically|religiously) <V>\b|
  <P><V> (?:\S+ ){0,4}?(?:consistently|permanently|exclusively)\b
standing  {stop |quit |cease |refrain|enough with|knock off|cut out} <P>(?:stop|quit|cease|refrain from|cut out|
  knock off|enough with)(?: the| all| with| it with| constantly| always| all of)* (?:apologi[sz]|summari[sz]|explain|
  prais|narrat|thank|recapp|greet|asking me|telling me|reminding me|repeating|commenting|second-guess|hedg|flatter)
standing  {stop |quit |cease |refrain} <P>(?:stop|quit|cease|refrain from)(?: constantly| always)? \w+ing\b.*\b(?:me|
  my (?:code|files?|commits?|prs?)|unless i|without (?:asking|me|my)|comments?|emojis?|summar\w+|docstrings?|commits?|
  (?:in|to|at the end of|after|for|with) (?:every|each) (?:message|answer|reply|response|commit|file|pr|change|line|
  task|edit|step|turn|prompt)|at the end of your|every time you|all the time|in your (?:answers|replies|responses|
  messages))\b
standing  {no more } <P>no more (?!than\b|rows?\b|data\b|items?\b|results?\b|memory\b|space\b)(?!.*\b(?:is|are|left|
  after|found|available|because|why)\b)[\w`-]+
standing  {anymore|any more|any longer} <P>(?:don'?t|dont|do not) (?:use|add|write|commit|push|touch|edit|create|run|
  ask|mock|put|install|import|include|make|generate|suggest|leave|rely|reformat|rewrite|do)\b(?!.*\b(?:if|when|after|
  once|while)\b).*\b(?:any ?more|any longer)\b
standing  {now on|going f|henceforth|from here|this point|forward|hereafter|future|as of |starting|effective|
  from today} <P><D>,? (?:the|our|a|an|this|that|it|its)\b[^?]{1,60}?\b(?:must|should|shall|needs? to|has to|have to|
  goes?|belongs?|lives?|stays?|is to|are to|is forbidden|is off|gets?)\b(?!.*\?)(?!.*[,;] (?:so |please |and |
  then )*(?:fix|update|adapt|adjust|change|correct|does|can|could))
standing  {now on|going f|henceforth|from here|this point|forward|hereafter|future|as of |starting|effective|
  from today} <P>(?:every|each|all|any|new|no|only|<S>)\b[^?]*\b<D>[.!]*$
standing  {every time|each time|whenever|anytime|any time} <P>(?:every time|each time|whenever|
  any ?time) (?:that )?(?:you|we) <W>\b[^?]*?(?:,| please| also|, then) (?:please |also |you (?:must|should) |first |
  then )*(?:don'?t|do not|never|always|<V>)\b
standing  {every time|each time|whenever} <P>(?:every time|each time|whenever) (?:a|an|something|
  anything)(?: new)? ?[\w-]* (?:is|gets|was) (?:added|created|changed|touched|removed|renamed|introduced|merged|edited|
  finished|done)\b[^,]*, (?:please |also )*<V>\b
standing  {next time} <P>(?:the )?next time,? (?:please |pls |just |could you )*(?:don'?t|do not|never|always|
  you should|i want|i'?d (?:like|prefer)|<V>)\b
standing  {next time} <P>(?:the )?next time (?:that )?(?:you|we) <W>\b[^,]*, (?:please )*(?:don'?t|do not|never|<V>)\b
standing  {next time} <P>(?:please |don'?t |do not )?<V>\b[^?]*\b(?:the )?next time[.!]*(?: please)?[.!]*$
standing  {i always|i never|you are|you're|let's|lets|make it|habit|get used|used to} <P>i (?:always|never) (?:want|
  expect|need|like|prefer)\b|<P>you(?:'re| are) (?:never|always|not|only)(?: ever)? (?:allowed to|permitted to|
  to <V>)\b|<P>let'?s (?:always|never|agree (?:that|on|to)|make it a (?:rule|habit))\b|<P>(?:make it a (?:habit|rule|
  point)(?= (?:to|of|that)\b|\s*[:,]|[.!]*$)|get (?:into|in) the habit|get used to)\b
standing  {want|let me} <P>(?:i (?:do not|don'?t|dont|never) (?:ever )?want (?:to see|any|you to|you \w+ing)|
  never let me see)\b.*\b(?:ever|again|any ?more|from you|in (?:this|my|our|the|your) (?:code|repo|project|commits?|
  codebase|comments?|answers))\b
standing  {to be|off limits|off-limits|banned|no-go|taboo} \b(?:is|are) (?:never|always) to be <V>|\b(?:is|
  are) (?:strictly |always |totally )?(?:off[- ]limits|banned|a no-go|taboo)\b(?!.*\?)
standing  {prefer} <P>i(?:'d| would)? (?:much |really |strongly |generally |usually )?prefer\b(?!.*\b(?:here|for this|
  this time|in this case|approach|option|solution|this one)\b).*\b(?:over|instead of|rather than)\b|
  <P>prefer (?!.*\bthis (?:file|function|test|case|script|class)\b).*\b(?:over|instead of|rather than)\b
standing  {all |any |every |each |new } <P>(?:for|in|on) (?:all|any|every|each)(?: of)?(?: my| our| your| the)* (?:new|
  future|upcoming)\b[^,]{1,30}?,? (?:please )?(?:don'?t|never|always|<V>)\b|<P>(?:for|in|on|with) (?:all|any|every|
  each|new)\b[^?]*, (?:never|always)\b
standing  {without|unless i|unless we} <P>(?:please )?(?:don'?t|dont|do not|never|you (?:do not|don'?t|may not|
  must not|can'?t|cannot))\b[^?]*\b(?:without (?:asking|checking with|consulting|telling) (?:me|us|first)|
  without asking|without my (?:ok|okay|approval|permission|consent|say-so|go)|unless i (?:say|ask|tell|approve|
  explicitly|told|asked|confirm))\b
standing  {before} <P>(?:please )?(?:ask|check with|consult) (?:me|us) (?:first )?before (?:you\b|\w+ing\b|any\b|every)
forget    {disregard|ignore|scrap|scratch|drop|wipe|erase|delete|remove|clear|discard} <C>(?:you (?:can|may|
  should) )?(?:please )?(?:disregard|scrap|scratch|drop|wipe|erase|delete|remove|clear|discard|
  ignore)(?: out)? (?:what|everything|anything|all|whatever)(?: that)? (?:i|we|you)(?:'ve| have)?(?: just| ever| once|
   previously)? (?:said|told|mentioned|remember|know|noted|stored|saved|learned|learnt)\b
forget    {rule|instruction|preference|convention|guideline|memor|note|what i} <C>(?:you (?:can|may|
  should) )?(?:now )?(?:please )?(?:drop|scrap|ditch|retire|cancel|lift|revoke|discard|remove|delete|erase|clear|wipe|
  forget|ignore|disregard|lose) (?:about )?(?:the|that|this|my|your|our|all|those)(?: [\w-]+){0,3}? (?:rule|
  instruction|preference|convention|guideline|memor(?:y|ies)|note)s? (?:about|on|with|for|that|regarding|concerning|
  from (?:yesterday|last|before|earlier))\b(?!.*(?:\.\w+rc|config|eslint|lint|readme|\bfiles?\b|\bdocs?\b|firewall|
  \bform\b|\bpage\b|changelog|\bfrom the\b))
forget    {rule|instruction|preference|convention|note|thing} <P>(?:that|the|my|our|this|your)(?: (?!css|eslint|lint|
  firewall)[\w-]+){0,3} (?:rule|instruction|preference|convention|note|guideline|thing)s?(?: (?:about|on|with|for|that|
  regarding|of|i)\b[^?]{0,60}?)? (?:(?:is|are) (?:no longer|not)(?: valid| true| needed| relevant| in force|
   current)(?: anymore| any more)?|(?:is|are) (?:obsolete|void|outdated|history|gone|off the table)|no longer (?:appl|
  hold|count|stand)\w*|(?:doesn'?t|does not|don'?t|do not) (?:apply|hold|count) any ?more)\b(?!.*\?)(?!.*\bwhy\b)
forget    {from memory|from your|out of your} \b(?:drop|delete|remove|erase|clear|wipe|take|purge|
  strike)\b.{0,50}\b(?:note|rule|memory|preference|fact|instruction|it|that|this)\b.{0,40}\b(?:from|
  out of) (?:your )?memory[.!]*(?: please)?[.!]*$
standing  {now on|going f|henceforth|from here|this point|forward|hereafter|as of |starting|effective|from today|
  the rest of} ^(?!.*\?)(?!.*\b(?:says?|said|according|changelog|will be|was|were|until|docs?|broken|fail\w*|crash\w*|
  died|skips?|hangs?|nobody|why|mentions?|might|could)\b)(?!.*[,;] (?:so |please |and |then )*(?:fix|update|adapt|
  adjust|change|correct)\b)(?!.*\b<D>,? (?:it|they|he|she|there)\b)(?!.*\b<D>,? (?:the|this|that|our|a|an|its?) (?:job|
  api|server|service|cron|build|endpoint|users?|client|value|field|worker|pipeline)\b)(?!(?:the|this|that|our|
  it) ?(?:job|api|server|service|cron|build|endpoint|users?|client|value|field|worker|pipeline)?\b).*\b(?:<D>|
  for the rest of (?:this|the|our) (?:project|session|conversation|work|day))\b
standing  {once and for all} <P>(?!.*\b(?:fix|solve|sort|clean|get rid|settle|resolve)\b).*\bonce and for all\b
standing  {always|never} ^(?!if\b|when\b(?! you)|the\b|it\b|docs?\b|i\b|they\b|why\b|he\b|she\b|
  users?\b)(?!.*\?).*[,:—] (?:please |and |but |so )*(?:always|never(?: ever)?) <V>\b
standing  {every time|each time|whenever|anytime|any time} <P>(?:every time|each time|whenever|
  any ?time) (?:that )?(?:you|we) <W>\b[^?]* <V>\b
standing  {you } <P>you (?:must|should|have to|need to|are supposed to)\b[^?]*\b(?:every time|each time|at all times|
  without exception|always)\b
standing  {want you} <P>i (?:do not|don'?t|dont|never)(?: ever)? want you to\b(?=.*\b(?:ever|never|any ?more|again|
  on your own|by yourself|without)\b)
standing  {stop using|quit using|stop with} <P>(?:stop|quit) (?:using|with)\b(?!.*\b(?:when|if|after|once|while|
  in (?:this|the) (?:test|file|function|script|loop))\b)
standing  {we } <P>we <V>\b(?!.*\b(?:but|why|because|know|think|used to|had|were|until)\b)[^?]*\b(?:in|for|
  across) (?:this|our) <R>\b(?!.*\?)
remember  {later|again|next time} \byou(?:'ll| will) (?:want|need) (?:this |that |it )?(?:later|again|next time)\b
forget    {forget that} <C>(?:please )?forget (?:the fact )?that [\w-]+ (?!to\b)\w+s\b
remember  {later|future|next|upcoming} ^[^:?]{0,50}\bfor (?:later|future|the next|upcoming|next)(?: \w+)?\s*:
standing  {always |never |only } <P>(?!.*\b(?:is|are|was|were|has|have|gets?|goes|runs?|returns?|fails?|shows?|ends?|
  errors?|bugs?|crash\w*|it|he|she|they|i|why|works?|lands?|comes?|stays?|stuck)\b)(?:[\w/.'-]+ ){1,4}(?:always|never|
  only) (?:in|with|as|on|under|via|from|before|after|without|at|first|lower|upper)\b(?!.*\?)
standing  {without} <P>(?:please )?(?:don'?t|dont|do not|never|you (?:do not|don'?t|
  may not))\b[^?]*\bwithout (?:\w+ing (?:to |with |it (?:by|with) )?(?:me|us)|(?:a |an )?(?:explicit )?(?:ok|okay|
  approval|go-ahead|permission)\b)
standing  {dare|think about} <P>(?:don'?t|do not) (?:you dare|even think (?:about|of))\b
remember  {somewhere|down} <C>(?:note|write|jot|record|keep)\b[^,.:?]{0,20} (?:somewhere|down) that\b
forget    {forget} <P>(?:the|that|my) [^,?]{1,50}, (?:so |please |just )*forget (?:it|that|about it)[.!]*$
"""
