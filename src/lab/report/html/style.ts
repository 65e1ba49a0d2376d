/**
 * How the page looks: in light and dark, on screens and on paper. Colour says how much, and never
 * alone: limits are dashed and named, what is beyond them is hatched, verdicts have a mark and a
 * word. Shades grow away from the background in both themes.
 */
const LIGHT = `--bg:#f6f7f9;--card:#fff;--ink:#1b2430;--soft:#566273;--line:#dde2e9;--bar:#4472c4;
--second:#8fa9d6;--limit:#b3261e;--warn:#9a6700;--area:#dbe6f8;--link:#1f4fb4;
--best:#0b6b3a;--best-bg:#dcf3e4;--workable:#1d569e;--workable-bg:#e0ecfa;
--conditional:#7d5200;--conditional-bg:#fbeecb;--bad:#9c211b;--bad-bg:#fbe2e0;
--h0:#fdf7e6;--h1:#fcebbd;--h2:#fbd88e;--h3:#f8bd66;--h4:#f29a4f;--h5:#e47350;--h6:#cb505b;
--h7:#a53766;--h8:#76256a;--h9:#451759;--hatch:#fff;
--f0:#dbe8fb;--f1:#aecbf4;--f2:#78a4e6;--f3:#3f72c8;--f4:#183f87;
--t0:#10203a;--t1:#10203a;--t2:#10203a;--t3:#fff;--t4:#fff`;

const DARK = `--bg:#0e131a;--card:#161d27;--ink:#e5eaf1;--soft:#9ba8b9;--line:#2b3543;--bar:#7ba3f0;
--second:#4f6ea8;--limit:#ff8a80;--warn:#e3b341;--area:#1e2d48;--link:#8ab4ff;
--best:#7fe0a5;--best-bg:#12351f;--workable:#9cc4ff;--workable-bg:#142b4a;
--conditional:#f0c561;--conditional-bg:#3a2c09;--bad:#ff9d95;--bad-bg:#431815;
--h0:#1b1730;--h1:#331a55;--h2:#531f6b;--h3:#772871;--h4:#9d346c;--h5:#c2485f;--h6:#e1654c;
--h7:#f38a3b;--h8:#fbb642;--h9:#fdeb8c;--hatch:#0e131a;
--f0:#1c2f50;--f1:#2c4d86;--f2:#4a7ac6;--f3:#7fa9ec;--f4:#c3dbff;
--t0:#e5eaf1;--t1:#e5eaf1;--t2:#fff;--t3:#0e1726;--t4:#0e1726`;

const SHADES_OF_HEAT: string = Array.from(
  { length: 10 },
  (_, at) => `.h${at}{fill:var(--h${at})}.k${at}{background:var(--h${at})}`,
).join("");

const SHADES_OF_REACH: string = Array.from(
  { length: 5 },
  (_, at) => `.f${at}{fill:var(--f${at});background:var(--f${at})}.t${at}{fill:var(--t${at})}`,
).join("");

export const STYLE: string = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
@media print{:root{${LIGHT};--bg:#fff}}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--bg);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1480px;margin:0 auto;padding:28px clamp(14px,3vw,40px) 60px}
h1{font-size:26px;line-height:1.2;margin:0 0 2px;letter-spacing:-.01em}
h2{font-size:19px;margin:44px 0 4px;letter-spacing:-.005em}
h2+p{margin:0 0 14px;color:var(--soft);max-width:80ch}
h3{font-size:15px;margin:0;font-weight:600;overflow-wrap:anywhere}
h4{font-size:12.5px;margin:0 0 4px;font-weight:600}
code{font:.93em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
a{color:inherit;text-decoration-color:var(--line);text-underline-offset:3px}
a:hover{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
small{display:block;color:var(--soft);font-size:12px;line-height:1.35;font-weight:400}
.sub{color:var(--soft);margin:0 0 22px}
.top{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:18px}
@media (max-width:900px){.top{grid-template-columns:minmax(0,1fr)}}
.panel{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:18px 20px}
.panel h2{margin:0 0 8px;font-size:16px}
.panel h2:not(:first-child){margin-top:18px}
.panel p{margin:0 0 8px}.panel p:last-child{margin:0}
.panel ul{margin:0;padding-left:18px}.panel li+li{margin-top:6px}
.winner{font-size:19px;margin:0 0 10px!important;overflow-wrap:anywhere}
.winner .verdict{font-size:13px;vertical-align:2px;margin-right:6px}
.tiles{display:flex;flex-wrap:wrap;gap:10px 26px;margin:14px 0 0}
.tiles div{min-width:96px}.tiles dt{color:var(--soft);font-size:12px}
.tiles dd{margin:0;font-size:18px;font-weight:600;font-variant-numeric:tabular-nums}
.verdict{display:inline-block;border-radius:99px;padding:0 9px;font-size:12.5px;font-weight:600;
white-space:nowrap}
${["best", "workable", "conditional", "bad"]
  .map((name) => `.verdict.${name}{color:var(--${name});background:var(--${name}-bg)}`)
  .join("")}
.toggles{display:flex;gap:6px 18px;flex-wrap:wrap;border:0;padding:0;margin:22px 0 -26px;
color:var(--soft);font-size:13.5px}
.toggles legend{float:left;padding:0;margin-right:18px}
.toggles label{cursor:pointer}
body:has(#show-good:checked) [data-verdict="bad"],
body:has(#show-front:checked) [data-front="no"]{display:none}
.wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:6px 12px;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{border-top:0;color:var(--soft);font-weight:600;font-size:12.5px;vertical-align:bottom}
tbody th{font-weight:400}
.all tbody th,.reach tbody th,.cost tbody th{min-width:180px;max-width:340px;overflow-wrap:anywhere}
.all td:not(.n){min-width:104px}
.n{text-align:right;white-space:nowrap}
.reach td,.reach thead th{white-space:nowrap}
.r-everywhere{color:var(--bad)}.r-everywhere small{color:inherit}
.least{font-weight:600}.no{color:var(--soft)}.cost .no small{min-width:130px;max-width:200px}
small.over{color:var(--bad)}small.near{color:var(--conditional)}
.meter{display:block;height:4px;margin-top:3px;border-radius:2px;min-width:90px;max-width:160px;
background:linear-gradient(var(--bar),var(--bar)) no-repeat 0/var(--w) 100% var(--line)}
.meter.over{background:repeating-linear-gradient(135deg,var(--limit) 0 3px,transparent 3px 5px)}
figure{margin:0;min-width:0}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{font:10px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;fill:var(--soft)}
figcaption{color:var(--soft);font-size:12px;line-height:1.4;margin-top:3px;overflow-wrap:anywhere}
.grid{stroke:var(--line);stroke-width:.7;fill:none}
.base{stroke:var(--soft);stroke-width:.8}
.bar{fill:var(--bar)}.bar.over,.more{fill:var(--limit)}
path.limit{stroke:var(--limit);stroke-width:1.1;stroke-dasharray:5 3}
svg text.limit{fill:var(--limit);paint-order:stroke;stroke:var(--card);stroke-width:3px}
path.warn{stroke:var(--warn);stroke-width:.9;stroke-dasharray:2 3}
svg text.warn{fill:var(--warn);paint-order:stroke;stroke:var(--card);stroke-width:3px}
.line{fill:none;stroke:var(--bar);stroke-width:1.8;stroke-linejoin:round}
.line.second{stroke:var(--second);stroke-dasharray:4 3;stroke-width:1.4}
.split{stroke:var(--soft);stroke-width:1.4}
.mark{fill:var(--limit);stroke:var(--card);stroke-width:1.2}
.area{fill:var(--area)}.equal{stroke:var(--soft);stroke-width:.8;stroke-dasharray:2 3;fill:none}
.cold{fill:var(--h0)}.hatch{fill:url(#hatch)}
#hatch path{stroke:var(--hatch);stroke-width:1}
${SHADES_OF_HEAT}${SHADES_OF_REACH}
.legend{display:flex;align-items:center;flex-wrap:wrap;gap:0;color:var(--soft);font-size:12px;
margin:0 0 12px}
.legend span{margin:0 6px}.legend span:first-child{margin-left:0}
.key{display:inline-block;width:18px;height:11px;border:.5px solid var(--line)}
.kover{background:repeating-linear-gradient(135deg,var(--h9) 0 2.5px,var(--hatch) 2.5px 4px)}
.pair{white-space:nowrap;margin-right:6px}.pair .key{margin-right:4px;vertical-align:-1px}
.front{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px}
.front{overflow-x:auto}.front svg{min-width:600px;max-width:980px;margin:0 auto}
.dot{stroke:var(--card);stroke-width:1}.ring{fill:none;stroke:var(--ink);stroke-width:1.6}
.leader{stroke:var(--soft);stroke-width:.7}
svg text.rank{font-weight:600}svg text.name{font-size:11px}
${["t0", "t1", "t2", "t3", "t4"].map((t) => `svg text.rank.${t}{fill:var(--${t})}`).join("")}
.cards{display:grid;
grid-template-columns:repeat(auto-fit,minmax(min(310px,100%),1fr));gap:18px 16px}
.card{display:grid;grid-row:span 9;grid-template-rows:subgrid;gap:14px;align-content:start;
background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;
min-width:0}
.card:target{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
.card .place{margin:0 0 4px;color:var(--soft)}
.why{font-size:13.5px}
.why p{margin:0 0 7px;padding-left:16px;position:relative;overflow-wrap:anywhere}
.why p::before{position:absolute;left:0}
.merit::before{content:"+";color:var(--best);font-weight:700}
.against::before{content:"✕";color:var(--bad);font-size:12px}
.condition::before{content:"△";color:var(--conditional);font-size:12px}
.remark::before{content:"·";color:var(--soft);font-weight:700}
.reason small{display:inline;margin-left:4px}.example{color:var(--soft)}
.card dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:1px 12px;margin:10px 0 0;
font-size:12.5px}
.card dt{color:var(--soft)}
.card dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
details summary{cursor:pointer;color:var(--soft);font-size:13px}
details.rest{margin-top:18px}details.rest>summary{font-size:14.5px;padding:8px 0;color:var(--link)}
.card details{min-width:0;overflow-x:auto}
.card table{font-size:11.5px;margin-top:8px}.card th,.card td{padding:2px 6px}
caption{text-align:left;color:var(--soft);font-size:12px;padding:6px 0 2px}
footer{margin-top:40px;color:var(--soft);font-size:12.5px;max-width:90ch}
@media print{body{font-size:11px}main{max-width:none;padding:0}.toggles{display:none}
.cards{grid-template-columns:repeat(3,minmax(0,1fr));gap:10px}.card{break-inside:avoid;padding:8px}
.wide{overflow:visible}figure,tr{break-inside:avoid}h2{break-after:avoid}}
@media (forced-colors:active){.meter,.key{forced-color-adjust:none}svg{forced-color-adjust:none}}
`;
