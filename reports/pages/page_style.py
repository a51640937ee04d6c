"""Style sheet of the pages: on screen, light or dark, and on paper."""

CSS = """
:root{--page:#fff;--ink:#1d2731;--faint:#5c6975;--rule:#d7dde3;--cloud:#d3d9df;
--a:#0072b2;--b:#d55e00;--proven:#a84300;--good:#00664a;--bad:#b00020;--tint:#f4f6f8;
--checked:#0072b2;--enumerated:#56b4e9;--confirmed:#009e73;--solver:#e69f00;
--sans:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color-scheme:light dark}
@media screen and (prefers-color-scheme:dark){:root{--page:#14191f;--ink:#e3e8ee;
--faint:#98a5b3;--rule:#34404b;--cloud:#3a4652;--a:#56b4e9;--b:#f0a202;
--proven:#f0a202;--good:#5fcfa5;--bad:#ff8a80;--tint:#1b222a;--checked:#56b4e9;--enumerated:#a8d8f3;
--confirmed:#5fcfa5;--solver:#f0a202}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 var(--sans);
font-variant-numeric:tabular-nums}
main,header{max-width:1120px;margin:0 auto;padding:0 28px}
header{padding-top:44px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.01em;margin:0 0 6px}
h2{font-size:20px;margin:52px 0 6px;padding-top:14px;border-top:1px solid var(--rule)}
h3{font-size:15px;margin:0 0 4px}
.part>h2{font-size:24px;border-top:3px solid var(--ink);margin-top:64px}
.part>section>h3{font-size:20px;margin:44px 0 6px;padding-top:14px;
border-top:1px solid var(--rule)}
h4{font-size:15px;margin:0 0 4px}
.contents{margin-top:22px}
a{color:var(--a)}
p{margin:6px 0;max-width:78ch}
.faint,caption,figcaption{color:var(--faint)}
.faint,figcaption{font-size:13.5px}
code{font-family:var(--mono);font-size:.92em}
.tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:14px;
margin:26px 0 18px}
.tile{background:var(--tint);border-radius:8px;padding:14px 18px}
.tile b{display:block;font-size:27px;line-height:1.25;font-weight:600}
.tile span{color:var(--faint);font-size:13px}
.bar{display:flex;height:12px;border-radius:6px;overflow:hidden;background:var(--cloud);
margin:6px 0 8px}
.bar i{display:block;height:100%}
.key{display:flex;flex-wrap:wrap;gap:4px 22px;padding:0;margin:0;list-style:none;
font-size:13.5px}
.key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:7px}
.finding{margin:20px 0 0;padding:10px 16px;border-left:4px solid var(--good);
background:var(--tint);border-radius:0 6px 6px 0;max-width:none}
.finding.bad{border-color:var(--bad)}
.bad{color:var(--bad);font-weight:600}
.good{color:var(--good)}
th small{font-weight:400;color:var(--faint)}
.answer{max-width:none}
.strip{display:grid;grid-template-columns:140px minmax(0,1fr) 104px;
column-gap:14px;font-size:12.5px;line-height:18px;margin-bottom:6px}
.strips>b{font-size:13px}
.strip a,.strip span{display:block;white-space:nowrap;height:18px;overflow:hidden;
text-overflow:ellipsis}
.strip div:first-child a{color:var(--ink);text-decoration:none;text-align:right}
.strip div:first-child a:hover{text-decoration:underline}
.strip span{color:var(--faint)}.strip i{font-style:normal;color:var(--proven)}
.strip svg{width:100%;overflow:visible;padding:0 4px}
.wide:has(>.strips){overflow:visible;background:none}
.strip circle{fill:var(--a);fill-opacity:.6}
.strip circle.built{fill:none;stroke:var(--a);stroke-width:1.3}
.strip circle.open{fill:var(--faint)}
.strip circle.built.open{fill:none;stroke:var(--faint)}
.strip circle:hover{fill:var(--ink);fill-opacity:1}
.strip line{stroke:var(--rule)}
.strip line.mean{stroke:var(--ink);stroke-width:2.4}
.strip line.proven{stroke:var(--b);stroke-width:2.6}
.strip text{fill:var(--faint);font-size:11px;text-anchor:middle}
/* Shades at the edges beyond which there is more; the bar stays in sight. */
.wide{overflow-x:auto;background:
linear-gradient(90deg,var(--page) 40%,transparent) left/36px 100% no-repeat local,
linear-gradient(270deg,var(--page) 40%,transparent) right/36px 100% no-repeat local,
linear-gradient(90deg,var(--cloud),transparent) left/14px 100% no-repeat scroll,
linear-gradient(270deg,var(--cloud),transparent) right/14px 100% no-repeat scroll}
.wide::-webkit-scrollbar{height:11px;width:11px;background:var(--tint)}
.wide::-webkit-scrollbar-thumb{background:var(--faint);border-radius:6px}
.wide:has(>table){max-height:92vh;margin-top:12px}
.wide>table{margin-top:0}
thead th{position:sticky;top:0;background:var(--page);
box-shadow:inset 0 -1px var(--faint);z-index:1}
table{border-collapse:collapse;width:100%;margin:12px 0 4px;font-size:13.5px}
th,td{padding:5px 13px 5px 0;text-align:right;vertical-align:top;
border-bottom:1px solid var(--rule)}
th{font-weight:600;vertical-align:bottom;border-bottom-color:var(--faint)}
tbody th{font-weight:600;border-bottom-color:var(--rule);vertical-align:top}
tbody tr{scroll-margin-top:90px}
th.l,td.l{text-align:left}
tr>:last-child{padding-right:0}
td.short,td:not(.l){white-space:nowrap}
pre{line-height:1.2;overflow-x:auto}
td small,tbody th small{display:block;color:var(--faint);font-size:11.5px;
white-space:nowrap}
td small.long{white-space:normal}
figure{margin:26px 0 0}
figcaption{max-width:78ch;margin-bottom:6px}
caption{text-align:left;padding-bottom:4px}
figcaption h3,figcaption h4{color:var(--ink)}
svg{max-width:100%;height:auto;display:block}
svg.plot{width:100%;max-width:1000px;font-family:var(--sans)}
svg.plot.narrow{max-width:640px}
svg.plot *{stroke-linejoin:round;stroke-linecap:butt}
.worst{display:grid;grid-template-columns:270px minmax(0,1fr);gap:28px;margin:0;
padding:22px 0;border-bottom:1px solid var(--rule);align-items:start}
.worst:last-child{border-bottom:0}
.worst dl{display:grid;grid-template-columns:auto 1fr;gap:1px 12px;margin:8px 0 0;
font-size:13.5px}
.worst dt{color:var(--faint)}
.worst dd{margin:0;overflow-wrap:anywhere}
.find{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin:14px 0 0}
.find input,.find select,.fractions{font:inherit;font-size:13.5px;color:var(--ink);
background:var(--page);border:1px solid var(--faint);border-radius:6px;padding:4px 9px;
max-width:100%}
.fractions{margin:18px 0 0;cursor:pointer}
.under th{padding-left:18px;font-weight:400}
.unfold{font:inherit;font-size:11.5px;font-weight:400;color:var(--a);background:none;
border:0;padding:0;cursor:pointer;display:block}
td code{overflow-wrap:anywhere}td:has(>code){min-width:260px}
.sort{font:inherit;color:inherit;background:none;border:0;padding:0;margin:0;
cursor:pointer;text-align:inherit}
.sort::after{content:"\\a0\\2195";color:var(--faint);font-weight:400}
[aria-sort=ascending] .sort::after{content:"\\a0\\2191";color:var(--ink)}
[aria-sort=descending] .sort::after{content:"\\a0\\2193";color:var(--ink)}
:focus-visible{outline:2px solid var(--a);outline-offset:2px}
:target{background:var(--tint)}
small.exact{display:none!important}
.exactly small.exact{display:block!important;white-space:normal;overflow-wrap:anywhere}
header figure{margin-top:14px}
figcaption h2{border:0;margin:0;padding:0;font-size:15px;color:var(--ink)}
details{margin:8px 0}
summary{cursor:pointer}
p,li,h1,h2,h3,h4,figcaption{overflow-wrap:anywhere}
main{padding-bottom:50px}
@media (max-width:820px){.tiles{grid-template-columns:1fr 1fr}
.worst{grid-template-columns:minmax(0,1fr)}svg.plot:not(.narrow){min-width:620px}}
@media (max-width:640px){main,header{padding-left:14px;padding-right:14px}
.strip{column-gap:8px;font-size:11.5px;grid-template-columns:112px minmax(0,1fr) 44px}
.strip i{display:none}
figure:has(.plot:not(.narrow)) figcaption::after{font-weight:600;
content:" Wider than this window: scroll sideways."}}
.sideways:has(>table)::before{display:block;position:sticky;left:0;width:max-content;
font-size:13px;color:var(--faint);content:"Wider than this window: scroll sideways."}
@media (scripting:none) and (max-width:820px){.wide:has(>table)::before{display:block;
position:sticky;left:0;width:max-content;font-size:13px;color:var(--faint);
content:"May be wider than this window: scroll sideways."}}
@media print{.find,.fractions,.sort::after{display:none}
body{font-size:10.5pt}main,header{max-width:none;padding:0}
h2{break-after:avoid}figure,.worst,tr,.tiles{break-inside:avoid}
.wide{overflow:visible;max-height:none!important;background:none}
thead th{position:static}table{font-size:8.5pt}
table th,table td{white-space:normal;overflow-wrap:anywhere;padding-right:9px}
thead{display:table-header-group}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
""".strip()
