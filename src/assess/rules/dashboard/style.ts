import { Html } from './html.ts';

/** The style sheet of the page. It loads no fonts, images or scripts. */
export const style = new Html(`
:root{color-scheme:light dark;--page:#f7f7f5;--card:#fff;--ink:#1b1c1d;--soft:#5c6065;--rule:#dcddd9;--accent:#2563c9;--good:#17713f;--fair:#8a5a00;--poor:#b3261e;--track:#e7e8e4}
@media (prefers-color-scheme:dark){:root{--page:#141517;--card:#1d1f22;--ink:#ececea;--soft:#a3a7ad;--rule:#34373b;--accent:#7fb0ff;--good:#5fd093;--fair:#e3b34c;--poor:#ff8a80;--track:#2d3034}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
main{max-width:1080px;margin:0 auto;padding:24px 20px 64px}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 4px}
h2{font-size:1.05rem;margin:0 0 12px}
p{margin:0 0 12px}
.soft{color:var(--soft)}
.card{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:18px 20px;margin-top:16px;min-width:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:12px;margin:20px 0 0;padding:0}
.tiles>div{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:12px 16px}
.tiles dt{color:var(--soft);font-size:.85rem}
.tiles dd{margin:0;font-size:1.55rem;font-weight:600;font-variant-numeric:tabular-nums}
.tiles small{display:block;font-size:.8rem;font-weight:400;color:var(--soft)}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:16px}
.wide{overflow-x:auto}
.wide:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);font-size:.85rem;padding-bottom:6px}
th,td{text-align:left;vertical-align:top;padding:7px 14px 7px 0;border-bottom:1px solid var(--rule)}
th{font-weight:600;font-size:.85rem;color:var(--soft);white-space:nowrap}
tbody th{color:var(--ink);font-size:inherit;white-space:normal;min-width:8rem}
tbody tr:last-child>*{border-bottom:0}
.n{text-align:right;white-space:nowrap}
.nowrap{white-space:nowrap}
.bar{display:inline-block;width:90px;height:8px;border-radius:4px;background:var(--track);overflow:hidden;vertical-align:middle;margin-right:8px}
.bar>span{display:block;height:100%;background:var(--accent)}
.bar.good>span{background:var(--good)}.bar.fair>span{background:var(--fair)}.bar.poor>span{background:var(--poor)}
.good{color:var(--good)}.fair{color:var(--fair)}.poor{color:var(--poor)}
.grade{display:inline-block;min-width:1.7em;text-align:center;font-weight:700;border:1.5px solid currentColor;border-radius:5px}
.chart{width:100%;height:auto;display:block;margin-bottom:8px}
.range{margin-left:8px}
.grid{stroke:var(--rule)}.axis{fill:var(--soft);font-size:11px}
.dot{fill:var(--accent);fill-opacity:.55}.miss{stroke:var(--poor);stroke-width:2;fill:none}.trend{fill:none;stroke:var(--ink);stroke-width:2;stroke-linejoin:round}
ol,ul{margin:0;padding-left:1.2em}li{margin-bottom:8px}
details summary{cursor:pointer;color:var(--accent)}
li,p,code{overflow-wrap:anywhere}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
@media (max-width:720px){main{padding:16px 12px 48px}.pair{grid-template-columns:1fr;gap:0}.card{padding:14px}.bar{width:56px}.axis{font-size:19px}.trend,.miss{stroke-width:3}}
@media print{body{background:none}.card,.tiles>div{break-inside:avoid}}
`);
