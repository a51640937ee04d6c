"""The links of a network with a slider: which of them are in use when."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt

from ...reports.pages.document import Plot
from ...reports.streams.reel import reel
from ..cut_through.posted import Network
from ..kary_tree import KaryTree
from ..messages import Ints
from ..recording import LinkFilm

_MOST_CELLS = 2**12
"""Cells of a grid of which links are drawn."""
_LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
"""A letter for each share of an interval, from none to all of it."""

Floats = npt.NDArray[np.float64]


def is_plane(network: Network) -> bool:
    """Whether a network is a grid of at most two axes that is not too large."""
    return (
        network.grid is not None
        and network.dimension <= 2
        and network.processors_in_all <= _MOST_CELLS
    )


def plane_of(network: Network) -> tuple[int, int]:
    """Return rows and columns of a grid of one or two axes."""
    rows, columns = (1, *network.size)[-2:]
    return rows, columns


def segments(network: Network, ends: Ints) -> Floats:
    """Return where the links of a plane are drawn, shape (links, 2 ends, x and y).

    Each is on the right of its way. Those that wrap around leave the picture on both
    sides.
    """
    shape = plane_of(network)
    begin, end = (np.stack(np.unravel_index(v, shape), 1) for v in ends.T)
    step = end - begin
    far = np.abs(step) > 1
    step = np.where(far, -np.sign(step), step).astype(np.float64)
    beside = 0.12 * np.stack([step[:, 1], -step[:, 0]], axis=1)
    near = begin + 0.18 * step + beside
    wraps = far.any(axis=1)[:, None]
    away = np.where(wraps, begin + 0.6 * step, end - 0.18 * step) + beside
    return np.stack([near[:, ::-1], away[:, ::-1]], axis=1)


def kinds_of(network: Network, ends: Ints) -> list[str]:
    """Return of which kind each link is, for networks that are not drawn as a plane.

    Examples
    --------
    >>> from closeknit.instances import Mesh
    >>> kinds_of(Mesh(2, 2, 2), np.array([[0, 1], [5, 1]]))
    ['axis 3, upwards', 'axis 1, downwards']
    >>> kinds_of(KaryTree(2, 2), np.array([[4, 6], [6, 4], [5, 3]]))
    ['up from level 0', 'down to level 0', 'to processors']
    """
    if isinstance(network, KaryTree):
        width = network.processors // network.k
        low = (ends - network.processors) // width  # below 0: a processor
        return [
            "to processors"
            if b < 0
            else f"up from level {a}"
            if a < b
            else f"down to level {b}"
            for a, b in low.tolist()
        ]
    if network.labels is not None:
        host = np.zeros(int(ends.max(initial=0)) + 1, np.bool_)
        host[[v for (v,) in network.locations() if v < len(host)]] = True
        return [
            "between processors"
            if a and b
            else "from processors"
            if a
            else "to processors"
            if b
            else "between switches"
            for a, b in host[ends].tolist()
        ]
    begin, end = (np.stack(np.unravel_index(v, network.size), 1) for v in ends.T)
    step = end - begin
    axis = np.abs(step).argmax(axis=1)
    along = step[np.arange(len(step)), axis]
    up = (along == 1) | (along < -1)  # a link that wraps around goes on upwards
    return [
        f"axis {a + 1}, {'upwards' if u else 'downwards'}"
        for a, u in zip(axis.tolist(), up.tolist(), strict=True)
    ]


def link_slider(
    network: Network, ends: Ints, film: LinkFilm, places: tuple[Ints, ...] = ()
) -> Plot:
    """Make a picture to go through a run, interval by interval; see `reel`.

    Parameters
    ----------
    network
        Where the links are.
    ends
        Of every link, shape (links, 2).
    film
        What they carried when, at least one interval.
    places
        Processors that have tasks.
    """
    levels = np.rint(film.shares() * (len(_LEVELS) - 1)).astype(np.int64)
    letters = np.array(list(_LEVELS))
    content: dict[str, object] = {
        "step": film.step,
        "end": film.end,
        "levels": _LEVELS,
        "frames": ["".join(row) for row in letters[levels]],
        "ends": ends.ravel().tolist(),
        "shape": list(network.grid.shape) if network.grid else [],
    }
    if is_plane(network):
        rows, columns = plane_of(network)
        lines = segments(network, ends).reshape(-1, 4)
        used = np.zeros(rows * columns, np.bool_)
        for place in places:
            used[place] = True
        content |= {
            "plane": [columns, rows],
            "lines": np.round(100 * lines).astype(np.int64).ravel().tolist(),
            "used": np.flatnonzero(used).tolist(),
        }
        shown = "A line per link and direction, on the right of its way"
    else:
        kinds = kinds_of(network, ends)
        content["groups"] = [
            [kind, [i for i, other in enumerate(kinds) if other == kind]]
            for kind in dict.fromkeys(kinds)
        ]
        shown = "A cell per link and direction, in order of their numbers"
    return reel(
        "Links through time",
        f"{shown}; the darker, the longer it sent in the interval. Point at a link to "
        f"see which it is.",
        label="interval of time",
        step="interval",
        last=len(film.counts) - 1,
        data=json.dumps(content, separators=(",", ":")),
        script=_SCRIPT,
    )


_SCRIPT = """
const {step,end,frames,ends,shape,levels,plane,lines,used,groups}=data;
const rank={};[...levels].forEach((c,i)=>rank[c]=i/(levels.length-1));
const count=ends.length/2,scale=window.devicePixelRatio||1,ink=canvas.getContext('2d');
const site=v=>shape.length<2?v:'('+shape.reduceRight(([r,s],n)=>
  [Math.floor(r/n),[r%n,...s]],[v,[]])[1].join(', ')+')';
const name=i=>`${site(ends[2*i])} → ${site(ends[2*i+1])}`;
const room=Math.max(240,Math.min(860,box.clientWidth||860));
let unit,wide,high,at=[];
if(plane){
  unit=Math.max(4,Math.min(60,room/(plane[0]+.6),620/(plane[1]+.6)));
  wide=(plane[0]+.6)*unit;high=(plane[1]+.6)*unit
}else{
  let each=64,y=0;while(count>each*each&&room>=6*each)each*=2;
  unit=Math.max(3,Math.floor(room/each));wide=each*unit;
  for(const [kind,links] of groups){y+=18;
    links.forEach((l,j)=>at[l]=[j%each*unit,y+Math.floor(j/each)*unit]);
    y+=Math.ceil(links.length/each)*unit+6}
  high=y}
canvas.width=wide*scale;canvas.height=high*scale;canvas.style.width=wide+'px';
const point=(x,y)=>[(x/100+.8)*unit,(y/100+.8)*unit];
const percent=x=>Math.round(100*x)+' %';
const held=new Set(used||[]);
function draw(){
  const f=+range.value,frame=frames[f];
  ink.setTransform(scale,0,0,scale,0,0);ink.clearRect(0,0,wide,high);
  const link=colour('--b')||'#d55e00',faint=colour('--faint')||'#5c6975';
  let sum=0,best=0;
  for(let i=0;i<count;i++){const s=rank[frame[i]];sum+=s;if(s>rank[frame[best]])best=i}
  ink.strokeStyle=ink.fillStyle=link;
  for(let i=0;i<count;i++){const s=rank[frame[i]];ink.globalAlpha=.07+.93*s;
    if(plane){const [a,b]=point(lines[4*i],lines[4*i+1]);
      const [c,d]=point(lines[4*i+2],lines[4*i+3]);
      ink.lineWidth=unit*(.03+.09*s);
      ink.beginPath();ink.moveTo(a,b);ink.lineTo(c,d);ink.stroke()
    }else ink.fillRect(...at[i],unit-(unit>4),unit-(unit>4))}
  ink.globalAlpha=1;
  if(plane)for(let v=0;v<plane[0]*plane[1];v++){
    const [x,y]=point(100*(v%plane[0]),100*Math.floor(v/plane[0]));
    ink.fillStyle=held.has(v)?colour('--ink')||'#000':colour('--rule')||'#ccc';
    ink.beginPath();ink.arc(x,y,Math.max(1,unit*.055),0,7);ink.fill()}
  else{ink.fillStyle=faint;ink.font='12px system-ui,sans-serif';
    for(const [kind,links] of groups)ink.fillText(kind,0,at[links[0]][1]-5)}
  const to=Math.min(end,(f+1)*step);
  told.textContent=`Cycles ${f*step} to ${to} of ${end}: links send `+
    `${percent(sum/count)} of the time`+
    (sum?`, ${name(best)} most: ${percent(rank[frame[best]])}.`:'.')}
canvas.addEventListener('mousemove',m=>{
  const b=canvas.getBoundingClientRect();
  const x=(m.clientX-b.left)/b.width*wide,y=(m.clientY-b.top)/b.height*high;
  let near=-1,far=plane?.4*unit:unit;
  for(let i=0;i<count;i++){
    const [p,q]=plane?point((lines[4*i]+lines[4*i+2])/2,(lines[4*i+1]+lines[4*i+3])/2)
      :[at[i][0]+unit/2,at[i][1]+unit/2];
    const d=Math.hypot(p-x,q-y);if(d<far){far=d;near=i}}
  who.textContent=near<0?'':`Link ${name(near)}: `+
    `${percent(rank[frames[+range.value][near]])} of these cycles`});
""".strip()
