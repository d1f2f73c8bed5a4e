/** Common words of our answers that are one token in the public tokenizers. A test checks each of them. */
export const knownWords: ReadonlySet<string> = new Set(
  `about above accept accepted action active acts added address adds admin after again against agent agents aliases allow
already also always another answer answers anything append apply archive arguments argv aside asks audit author auto average away
back backup base batch because been before begin belongs below between block blocked blocks boolean both bound bring broken budget
build cache call called caller calls cannot canonical cascade category chain change changed changes characters check checked child
children chosen claim claimed claims clear client clients close code codes come comes command commands commit complete completed
completion config configuration connection console constant content context core could count counts create created criteria
critical current cycles dash data database date decision default definitions delete deleted dependency dependent depends
deps description detail digest digits dispatch docs doctor does domain domains done duration each echo edit else empty ended ends
entries entry error errors estimate ever every everything example exists exit expand expect export external facts fail failed
false field file files filter find first fits flag flags flat focus folder follow form format found free from full fully
gate gateway gets given global grade graded grades grammar group guide hand handle hands hash have head held help here high
history hold holder holds home hooks host hour implementation implemented import index init inject input insert inside install
instead integer into joined json judge keep keys kind know known label labels large last lead least left letter lexer like limit
line lines link linked links list load lock long looks lost machine made main make makes manifest many match meaning means medium
members memory message meta minimal missing mode more most name named names need needed needs never next node none note notes
nothing number object offers offset older once ones only open opens operation operations options order origin other others ours
output outside over pack package page parameter parameters params parent parents parse parsed parser part partial passed path
paths pattern payload pending percent phase piece place plan points port preview printed prints priority problem progress
project prompt protocol pull push query quiet random read reads ready reason receipt record records reference references
refresh refs related relations release released remarks remove removed repair replace report reported require required
research reserve resolve resolved restore result results return revision role root round rows rule rules running runs runtime safe
same schema scope score scores script search second secret section seen selected self separator serve server session sessions
setup shape share shared shell ship show shown side since size skill skills skip small something sort source spawn spec
sqlite stage stamp stand standard standing stands start started starts state statement status stdin steps still stop store strict
string success such summary system tables take taken takes target task tasks term test tests text than that
their them then there these they this those three threshold through tier time timeout timestamp title token tokens tool tools
topic topics total transaction tree true type under undo unfinished unknown unless until update updated upgrade usage used user
valid validate validator value values verification verify version waiting wanted warning warnings wave waves ways well were what
whatever when where whether which while whole whose window with within without word words work worker workers working would write
writes written wrong your`.split(/\s/),
);

/** Punctuation between the parts of JSON, with its cost in tokens. */
export const knownSigns: ReadonlyMap<string, number> = new Map([
  ...[
    '{"',
    '":"',
    '","',
    '":{"',
    '"},{"',
    '":["',
    '},"',
    '":',
    ',"',
    '"}',
    '"}}',
    '}}',
    '},',
    '["',
    '"]',
    '`,',
    '](',
    '`:',
    '`.',
    '),',
    ').',
    '--',
  ].map((signs) => [signs, 1] as const),
  ...['":[{"', '"}],"', '"},"', '"],"', '{"_', '"}]}', '"]}', '"}]', '}]', '"]},{"', '"]},"', '}},"', '"}},"'].map(
    (signs) => [signs, 2] as const,
  ),
]);
