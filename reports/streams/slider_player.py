"""A picture with a slider, to go through something step by step, for any page.

A script of its own draws it, from data next to it; nothing is fetched. Buttons step,
play and stop; the slider takes the arrow keys, and the space bar plays and stops.
Where the reader wishes reduced motion, playing takes a second for each step.
"""

from __future__ import annotations

from html import escape

from ..pages.document import Plot


def reel(
    title: str,
    caption: str,
    *,
    label: str,
    step: str,
    last: int,
    data: str,
    script: str,
) -> Plot:
    """Make a picture with a slider; the ``svg`` of the plot is a block of HTML.

    Parameters
    ----------
    title, caption
        Heading, and what is seen.
    label
        What the slider chooses, as a noun.
    step
        What a step goes on to, as a noun.
    last
        Greatest value of the slider, from 0.
    data
        JSON; ``<`` may not occur in it.
    script
        JavaScript that defines ``draw``, called whenever the value has changed. It
        finds ``data``, ``range`` (the slider), ``told`` and ``who`` (text above and
        below), ``canvas``, ``dark`` and ``colour``.
    """
    said = escape(label, quote=True)
    markup = (
        f'<div class="film"><style>{_CSS}</style>\n<div class="reel">'
        f'<button type="button" data-step="-1" aria-label="previous {step}">◀</button>'
        '<button type="button" data-step="0" aria-label="play or stop">play</button>'
        f'<button type="button" data-step="1" aria-label="next {step}">▶</button>'
        f'<input type="range" min="0" max="{last}" value="0" aria-label="{said}">'
        '</div>\n<p class="told" role="status"></p>\n<canvas role="img" '
        f'aria-label="the machine at a {said}"></canvas>\n<p class="who faint"></p>\n'
        f'<script type="application/json">{data}</script>\n'
        f"<script>{_BEFORE}{script}{_AFTER}</script></div>"
    )
    return Plot(title, caption, markup)


_CSS = """
.film .reel{display:flex;gap:8px;align-items:center;margin:10px 0 4px;max-width:900px}
.film .reel input{flex:1;min-width:60px}
.film .reel button{font:inherit;min-width:3em;padding:2px 8px;color:inherit;
background:var(--tint,#f4f6f8);border:1px solid var(--rule,#d7dde3);border-radius:6px}
.film canvas{max-width:100%;display:block;margin:8px 0}
.film .told,.film .who{min-height:1.5em;margin:2px 0;max-width:none}
""".strip().replace("\n", "")

_BEFORE = """
(()=>{
const box=document.currentScript.parentElement,$=q=>box.querySelector(q);
const data=JSON.parse($('script[type="application/json"]').textContent);
const range=$('input'),told=$('.told'),who=$('.who'),canvas=$('canvas');
const dark=matchMedia('(prefers-color-scheme:dark)');
const colour=n=>getComputedStyle(document.documentElement).getPropertyValue(n);
""".lstrip()

_AFTER = """
const still=matchMedia('(prefers-reduced-motion:reduce)');
const [back,play,on]=box.querySelectorAll('button');
let timer=0;
const by=n=>{range.value=+range.value+n;draw()};
function toggle(){
  if(timer){clearInterval(timer);timer=0;play.textContent='play';return}
  if(+range.value>=+range.max)by(-range.max);
  play.textContent='stop';timer=setInterval(()=>{
    if(+range.value>=+range.max)toggle();else by(1)},still.matches?1000:120)}
back.onclick=()=>by(-1);on.onclick=()=>by(1);play.onclick=toggle;
range.addEventListener('keydown',e=>{if(e.key==' '){e.preventDefault();toggle()}});
range.addEventListener('input',draw);dark.addEventListener('change',draw);draw();
})()
""".rstrip()
