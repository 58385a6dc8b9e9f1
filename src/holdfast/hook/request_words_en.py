"""The words of English with which people ask; `request_words` says how to read them."""

from __future__ import annotations

PATTERNS = r"""
P         (?:and|also|but|so|ok|okay|then|hey|btw|please|pls|plz|kindly|just|oh|yes|no(?=,)|great|thanks|thx|thank you|
  cool|well|now|again|important|fyi|ps|plus|rules?|reminder|one more thing|for the record|by the way|in general|
  generally|finally|lastly|remember|makes sense|nice|perfect|good|right|fine|and another thing)\b[\s,:;.!—-]*
C         (?:^|[,;:(!.—]\s*|\s-+\s|\b(?:and|but|also|then|so|please|pls|plz|kindly|just|now|ok|okay)\s+)
V         add amend annotate answer apply ask assume attach avoid be begin bring build bump bypass call change check
   cherry-pick cite clean comment commit confirm consult copy create credit declare define delete depend deploy
   disable do document double-check download drop edit enable end execute explain expose finish fix follow force
   forget format generate get give go group guess hard-code hardcode have ignore implement import include install
   introduce invent keep kill launch leave let link lint list log look make mark mention merge mock modify move name
   open order overwrite pin place plan post prefer present print propose provide publish pull push put quote re-run
   re-use read rebase refactor reference reformat regenerate release rely remove rename replace reply report rerun
   reset respect respond restart reuse revert review rewrite run save say send set share ship show sign skip sort
   speak spell split squash stage start stash stop store stub submit suggest summarise summarize switch tag talk tell
   test think touch translate treat trust try type update upgrade upload use validate verify wait work wrap write
D         (?:from now on(?:wards?)?|from here on(?: out| in)?|from this point (?:on|onwards?|forward)|
  going (?:forward|fwd)|henceforth|from today on|hereafter|moving forward|in future sessions?|as of (?:today|now)|
  (?:starting|effective) (?:now|today|immediately)|from today)
W         add are bump change commit complete create delete deploy do edit finish fix implement introduce make merge
   modify move need open push refactor release remove rename start touch update want work write
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
remember  (?:you (?:should|must|need to|have to)|(?:important|crucial) (?:that you|for you to|to)|make sure (?:you|
  to)|be sure to) (?:always )?remember\b(?! how| when)
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
remember? (?:can|could|would|will) (?:you|u)(?: please| also| just| pls)* (?:remember|remeber|memori[sz]e|
  keep in mind|make a note)(?:\s*[:,]|\s+(?:that|this|these|to|my|our|we|i'?m|i|for)\b)
standing  <P><D>\b(?!,? (?:the|this|that|it|its|there|he|she|they|our|users?|a|an)\b)
standing  <P>in (?:the )?future,? (?:please|pls|do\b|don'?t|dont|never|always|you should|i want|i'?d like|let'?s|no\b|
  only|stop|we use|<V>\b)
standing  <P>(?:stop|don'?t|dont|do not|you|let'?s|no|only|i want|i'?d like|we|<V>)\b.*\b(?:<D>|
  in (?:the )?future)[.!\s]*(?:please|pls)?[.!\s]*$
standing  <P>(?:stop|don'?t|do not|let'?s|<V>)\b[^,]* <D>\b
standing  <P>(?:always|never(?: ever| again)?|(?:don'?t|dont|do not) ever) (?:please )?(?:ever <V>|<V>)\b
standing  <P>(?:don'?t|dont|do not) (?:ever )?<V>\b.* (?:ever )?again[.!]*$
standing  <P>never again\b
standing  ^(?!if\b|when\b|the\b|it\b|docs?\b|i\b|they\b).*(?:\band|\bbut|\balso|\bplease|;|
  [.!]) (?:please )?(?:always|never(?: ever)?) <V>\b
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
remember  <C>(?:write|note|jot) (?:this|that|it|these)? ?down\b(?! in the (?:readme|docs))
remember  <C>(?:add|put|write|save|record|store) .{0,40}\b(?:to|in|into) your (?:notes|memory|long-term memory)\b
remember  <C>(?:remember|keep|store|save) (?:this|that|it) for (?:later|next time|the next|future)
standing  <P>(?:no|only|don'?t|<V>)\b.*, (?:always|ever|every time|each time|every single time|never again)[.!]*$
standing  <P>(?:i (?:want|need|expect|would like)|i'?d like) (?:you )?(?:to )?(?:please )?(?:always|never)\b
standing  <P>(?:i (?:want|need|expect|would like)|i'?d like) you to (?:always|never)\b
standing  <P>no more\b.*\b(?:ever|again|please)\b|<P>(?:under no circumstances|at no point|in no case)\b
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
standing  <P>(?:i (?:would )?(?:prefer|rather|like it)|i'?d (?:prefer|rather|like it))\b.{0,20}\byou (?:always|
  never)\b
"""
