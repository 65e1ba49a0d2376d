/**
 * Words that say so little that searches ignore them and the length of a text does not count them.
 *
 * The lists are broad on purpose: besides articles, pronouns, prepositions and auxiliaries they
 * have the adverbs and general words of running text ("also", "known", "part"). The length of a
 * text affects its score, and the service does not count such words. All are in lower case; the
 * parts that an apostrophe leaves ("s", "t", "l") are words here.
 */
import type { Language } from "./language.ts";

export function isStopWord(word: string, language: Language): boolean {
  return STOP_WORDS[language].has(word);
}

const ENGLISH = setOf(`
  a about above across after afterwards again against ago ah all almost alone along already also
  although always am amid among amongst an and another any anybody anyhow anyone anything anyway
  anywhere apart are aren around as aside ask asked asking at away b back backed backs be became
  because become becomes becoming been before beforehand began begin behind being beings below
  beside besides best better between beyond big both brief briefly but by c came can cannot case
  cases certain certainly clear clearly come comes could couldn d despite did didn differ
  different differently do does doesn doing don done down downs due during e each early either
  else elsewhere end ended ends enough especially etc even evenly ever every everybody everyone
  everything everywhere ex except f face faces fact facts far felt few fewer find finds for former
  formerly forth from full fully further furthermore g gave general generally get gets give given
  gives go goes going gone good got great greater greatest h had hadn has hasn have haven having
  he hence her here hereafter hereby herein hers herself high higher highest him himself his
  hither how howbeit however i ie if ii iii in inc include included includes including indeed
  inner instead interest interested into is isn it its itself j just k keep keeps kind knew know
  known knows l large largely last lately later latest latter least less lest let lets like likely
  little ll long longer longest ltd m made mainly make makes making man many may maybe me mean
  means meanwhile member members men merely might mine more moreover most mostly mr mrs ms much
  must my myself n namely near nearly necessary need needed needs neither never nevertheless new
  newer newest next no nobody non none nonetheless noone nor normally not nothing now nowhere
  number numbers o obtained obviously of off often oh ok old older oldest on once one ones only
  onto open opened opens or order ordered orders other others otherwise ought our ours ourselves
  out outside over overall own p part parted particular particularly parts per perhaps place
  placed places please point points possible possibly presently previously primarily probably
  problem problems provided put puts q quickly quite r rather re really recent recently regarding
  relatively right room rooms s said same saw say saying says see seeing seem seemed seeming seems
  seen sees self selves several shall she should shouldn show showed shown shows side sides
  significantly similar similarly since small smaller smallest so some somebody somehow someone
  something sometime sometimes somewhat somewhere soon still such sufficiently sure t take taken
  takes than that the their theirs them themselves then thence there thereafter thereby therefore
  therein thereof thereupon these they thing things think this thorough thoroughly those though
  thought thoughts through throughout thus till to today together too took toward towards tried
  tries truly try trying turn turned turns twice u under underneath unless unlike unlikely until
  unto up upon upwards us use used useful uses using usually v various ve very via vs w want
  wanted wants was wasn way ways we well wells went were weren what whatever when whence whenever
  where whereafter whereas whereby wherein whereupon wherever whether which while whilst whither
  who whoever whole whom whose why will with within without won work worked working works would
  wouldn x y year years yes yet you young younger youngest your yours yourself yourselves z
`);

const GERMAN = setOf(`
  ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes
  auch auf aus ausser außer bald bei beide beiden beim bereits bin bis bist da dabei dadurch dafür
  dagegen daher dahin damals damit danach daneben dann daran darauf daraus darf darin darüber
  darum das dass daß dasselbe davon davor dazu dein deine deinem deinen deiner deines dem
  demselben den denn denselben der deren derer derselbe derselben des deshalb desselben dessen
  dich die dies diese dieselbe dieselben diesem diesen dieser dieses dir doch dort du durch dürfen
  ehe ein eine einem einen einer eines einig einige einigem einigen einiger einiges einmal er erst
  erste ersten es etwa etwas euch euer eure eurem euren eurer eures für ganz gar gegen gewesen hab
  habe haben hast hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
  ihres im immer in indem ins ist ja jede jedem jeden jeder jedes jedoch jemals jemand jene jenem
  jenen jener jenes jetzt kann kein keine keinem keinen keiner keines können könnte machen man
  manche manchem manchen mancher manches mehr mein meine meinem meinen meiner meines mich mir mit
  muss muß musste müssen nach nachdem nein nicht nichts noch nun nur ob oben oder ohne sehr sei
  sein seine seinem seinen seiner seines seit selbst sich sie sind so sobald sogar solche solchem
  solchen solcher solches soll sollen sollte sondern sonst soweit sowie sowohl über um und uns
  unser unsere unserem unseren unserer unter viel viele vielen vom von vor während wann war waren
  warst warum was weg wegen weil weiter weitere welche welchem welchen welcher welches wenig wenn
  wer werde werden wessen wie wieder will wir wird wirst wo woher wohin wollen wollte worden wurde
  wurden würde würden zu zum zur zwar zwischen
`);

const SPANISH = setOf(`
  a acá ahí ahora al algo algún alguna algunas alguno algunos allá allí ambos ante antes aquel
  aquella aquellas aquello aquellos aquí así aun aún aunque bajo bastante bien cada casi como cómo
  con contra cual cuál cuales cualquier cuando cuándo cuanto cuánto de del demás desde después
  donde dónde dos durante e el él ella ellas ello ellos en entonces entre era erais eran eras eres
  es esa esas ese eso esos esta ésta está estaba estaban estado están estar estará estas éstas
  este éste esto estos éstos estoy estuvo etc excepto fin fue fuera fueron fui ha había habían
  haber hace hacen hacer hacia han hasta hay haya he hemos hizo hoy incluso ir jamás junto la las
  le les lo los luego más me mediante menos mi mí mía mías mientras mío míos mis misma mismas
  mismo mismos mucha muchas mucho muchos muy nada ni ningún ninguna ninguno no nos nosotras
  nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro otros para parte pero poca
  pocas poco pocos podía por porque pronto pudo pues puede pueden que qué quien quién quienes se
  sea sean según ser será si sí sido siempre siendo sin sino sobre sois solamente solo sólo somos
  son soy su sus suya suyas suyo suyos tal tales también tampoco tan tanta tantas tanto tantos te
  tenía tener tengo ti tiene tienen toda todas todavía todo todos tras tu tú tus tuve tuvo tuya
  tuyo u un una unas uno unos usted ustedes va vamos van varias varios veces vez vosotras vosotros
  vuestra vuestro y ya yo
`);

const FRENCH = setOf(`
  a à afin ai ainsi alors après as assez au aucun aucune aujourd auquel aussi autant autre autres
  aux auxquelles auxquels avaient avais avait avant avec avez avoir avons ayant beaucoup bien c
  car ce ceci cela celle celles celui cependant certain certaine certaines certains ces cet cette
  ceux chacun chacune chaque chez ci comme comment contre d dans de déjà depuis derrière des dès
  desquels dessous dessus deux devant doit donc dont du duquel durant elle elles en encore enfin
  entre envers es est et étaient étais était étant été être eu eux fait faire fois font furent fut
  hors hui il ils j jamais je jusqu jusque l la là laquelle le lequel les lesquelles lesquels leur
  leurs lors lorsqu lorsque lui m ma mais malgré me même mêmes mes mien mienne moi moins mon n ne
  néanmoins ni non nos notre nôtre nous on ont or ou où outre par parce parfois parmi part partie
  pas pendant peu peut peuvent plus plusieurs plutôt pour pourquoi près presque puis puisque qu
  quand que quel quelle quelles quelque quelques quels qui quoi quoique rien s sa sans sauf se
  selon sera serait seront ses seul seulement si sien sienne sinon soi soit sommes son sont sous
  souvent suis sur t ta tant te tel telle telles tels tes toi ton toujours tous tout toute
  toutefois toutes très trop tu un une unes uns va vais vers voici voilà vont vos votre vôtre vous
  y
`);

const ITALIAN = setOf(`
  a abbastanza abbia abbiamo abbiano ad adesso agli ai al alcun alcuna alcune alcuni all alla alle
  allo allora altra altre altri altro anche ancora anzi appena aveva avevano avere avete avuto ben
  bene c che chi ci ciascuna ciascuno ciò circa cioè coi col come con contro così cui d da dagli
  dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro di dietro dopo dove
  dovrà due dunque durante e è ebbe ecco ed egli era erano essa esse essere essi esso fa faceva
  fanno fare fatto fino fra fu fuori furono già gli ha hai hanno ho i il in infatti inoltre invece
  io l la là le lei li lo loro lui ma mai me meno mentre mi mia mie miei mio molta molte molti
  molto ne né negli nei nel nell nella nelle nello nessun nessuna nessuno niente noi non nostra
  nostre nostri nostro nulla o od ogni ognuno oltre oppure ora parte per perché perciò però più
  poca poche pochi poco poi possono potrà prima proprio può qual quale quali qualche qualcosa
  qualcuno quando quanta quante quanti quanto quasi quegli quei quel quell quella quelle quelli
  quello quest questa queste questi questo qui quindi s sarà saranno se sé secondo sei sembra
  sempre senza si sia siamo siano siete solo sono sopra soprattutto sotto sta stai stanno stata
  state stati stato stesso sto su sua subito sue sugli sui sul sull sulla sulle sullo suo suoi
  tale tali talvolta tanta tante tanti tanto te ti tra tranne troppo tu tua tue tuo tuoi tutta
  tutte tutti tutto un una uno v va verso vi via voi volta vostra vostro
`);

const PORTUGUESE = setOf(`
  a à acerca agora ainda além algo alguém algum alguma algumas alguns ali ambos ante antes ao aos
  apenas após aquela aquelas aquele aqueles aquilo aqui as às assim até através bastante bem cada
  com como contra contudo cujo da dado daquela daquele daqui das de debaixo dela delas dele deles
  demais depois desde dessa desse desta deste deve dever do dois dos durante e é ela elas ele eles
  em embora enquanto então entre era eram és essa essas esse esses esta está estão estar estas
  estava estavam este estes esteve estou eu faz fazer fez foi fora foram fosse há hoje isso isto
  já lá lhe lhes logo mais mas me mediante meio menos mesma mesmas mesmo mesmos meu meus mim minha
  minhas muita muitas muito muitos na nada não nas nem nenhum nenhuma nessa nesse nesta neste no
  nos nós nossa nossas nosso nossos num numa nunca o onde ora os ou outra outras outro outros para
  parte pela pelas pelo pelos per perante pode podem poder pois por porém porque porquê portanto
  pouca pouco poucos primeiro primeira própria próprio pude qual quais qualquer quando quanta
  quanto quase que quê quem se seja sejam sem sempre sendo ser será serão seu seus si sido sim sob
  sobre somente sou sua suas tais tal também tampouco tanta tanto tão te tem têm ter terá teu teus
  teve ti tido tinha tinham tive toda todas todavia todo todos tu tua tuas tudo um uma umas uns
  vai vão várias vários vez vezes você vocês vos vós vosso
`);

const STOP_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  "en-US": ENGLISH,
  "de-DE": GERMAN,
  "es-ES": SPANISH,
  "fr-FR": FRENCH,
  "it-IT": ITALIAN,
  "pt-BR": PORTUGUESE,
  "pt-PT": PORTUGUESE,
};

function setOf(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
