"""A stream of jobs with a slider: which job holds which processors."""

from __future__ import annotations

import json
from math import isqrt, prod

from ...heuristics.allocation.allocator import Allocation
from ...instances import Topology
from ...simulation.stream.simulator import Event, JobEnd
from ..pages.document import Plot
from .slider_player import reel

MOST_STARTS = 20_000
"""Starts that a film holds; of a longer stream the first."""


class Film:
    """Records what is held when, as a few numbers per event.

    The title is the name of the allocator, the unit that of all times; ``starts``
    counts those recorded.
    """

    def __init__(self, network: Topology, title: str, unit: str = "s") -> None:
        self.network = network
        self.title = title
        self.unit = unit
        self.starts = 0
        self._events: list[list[int] | int] = []
        self._running: dict[int, int] = {}

    def see(self, event: Event) -> None:
        """Record a start or an end."""
        if isinstance(event, JobEnd):
            begun = self._running.pop(id(event.grant), None)
            if begun is not None:
                self._events.append(begun)
                start = self._events[begun]
                assert isinstance(start, list)
                start[3] = event.time - start[1]
            return
        if self.starts >= MOST_STARTS:
            return
        self.starts += 1
        self._running[id(event.grant)] = len(self._events)
        job = event.job
        self._events.append(
            [job.number, event.time, job.submit, job.seconds, *_runs(event.grant)]
        )

    def data(self) -> str:
        """Write it as JSON that may stand in a page.

        ``events`` holds for an end the place of its start; for a start its number, the
        time, when it was submitted, how long it runs, and processors held, as pairs
        of a gap since the last and a length, then, after a -1, those held unused.
        """
        count = sum(1 for _ in self.network.locations())
        content = {
            "layout": _layout(self.network, count),
            "events": self._events,
            "unit": self.unit,
        }
        return json.dumps(content, separators=(",", ":"))


def _runs(grant: Allocation) -> list[int]:
    """Write sets of numbers as gaps and lengths of runs."""
    used = sorted(grant.used.tolist())
    pairs = _pairs(used)
    if len(grant.held) > len(used):
        pairs += [-1, *_pairs(sorted(set(grant.held.tolist()) - set(used)))]
    return pairs


def _pairs(numbers: list[int]) -> list[int]:
    """Gap and length of every run.

    >>> _pairs([3, 4, 5, 9])
    [3, 3, 3, 1]
    """
    pairs: list[int] = []
    end = 0
    for number in numbers:
        if pairs and number == end:
            pairs[-1] += 1
        else:
            pairs += [number - end, 1]
        end = number + 1
    return pairs


def _layout(network: Topology, count: int) -> list[int]:
    """Columns of a layer, its rows, layers, and how many layers side by side."""
    if network.grid and network.dimension > 1:
        *lead, rows, columns = network.grid.shape
    else:
        columns = min(count, 64)
        lead, rows = [], -(-count // columns)
    layers = prod(lead)
    beside = layers if layers < 4 else min(6, isqrt(layers - 1) + 1)
    return [columns, rows, layers, beside, count]


def slider(film: Film) -> Plot:
    """Make a picture to go through a stream, for any page; see `slider_player`."""
    longest = "" if film.starts < MOST_STARTS else f" (the first {MOST_STARTS} starts)"
    return reel(
        f"The stream under {film.title}",
        "Every start of a job: its processors stand out, those of jobs that run "
        "have a colour each, idle ones are pale, those held but not used are small. "
        f"Point at a processor to see who holds it.{longest}",
        label=f"start of a job under {film.title}",
        step="start",
        last=max(film.starts - 1, 0),
        data=film.data(),
        script=_SCRIPT,
    )


_SCRIPT = """
const [columns,rows,layers,beside,count]=data.layout,{events,unit}=data;
const starts=[];events.forEach((e,i)=>{if(e.length)starts.push(i)});
const gap=layers>1?1:0,wide=beside*(columns+gap)-gap;
const high=Math.ceil(layers/beside)*(rows+gap)-gap;
const cell=Math.max(2,Math.min(26,Math.floor(860/wide),Math.floor(620/high)));
const scale=window.devicePixelRatio||1,ink=canvas.getContext('2d');
canvas.width=wide*cell*scale;canvas.height=high*cell*scale;
canvas.style.width=wide*cell+'px';
let owner=new Int32Array(count),spare=new Uint8Array(count),held=new Set(),at=0;
const place=i=>{const l=Math.floor(i/(columns*rows)),r=i%(columns*rows);
  return [(l%beside)*(columns+gap)+r%columns,
    Math.floor(l/beside)*(rows+gap)+Math.floor(r/columns)]};
function run(e,each){let x=0,unused=0;
  for(let j=4;j<e.length;j+=2){
    if(e[j]<0){unused=1;x=0;j-=1;continue}
    x+=e[j];for(let n=e[j+1];n--;)each(x++,unused)}}
function apply(i){const e=events[i];
  if(e.length){held.add(i);run(e,(x,u)=>{owner[x]=i+1;spare[x]=u})}
  else{held.delete(e);
    run(events[e],x=>{owner[x]=0;spare[x]=0})}}
function go(to){
  if(to<at){owner.fill(0);spare.fill(0);held.clear();at=0}
  while(at<=to)apply(at++)}
const tone=i=>{const n=events[i][0]*0.618034%1,m=events[i][0]*0.754878%1;
  return `hsl(${Math.round(70+n*250)} ${25+Math.round(m*30)}% `+
    `${Math.round((dark.matches?32:56)+m*24)}%)`};
const time=t=>`${t} ${unit}`;
function draw(){
  if(!starts.length){told.textContent='No job started.';return}
  const now=starts[+range.value];go(now);
  const idle=colour('--cloud')||'#d3d9df',fresh=colour('--b')||'#d55e00';
  ink.setTransform(scale*cell,0,0,scale*cell,0,0);ink.clearRect(0,0,wide,high);
  const edge=cell>5?1/cell:0;let busy=0;
  for(let i=0;i<count;i++){const [x,y]=place(i),o=owner[i],s=spare[i]?.3:0;
    busy+=o>0;ink.globalAlpha=o?1:.45;
    ink.fillStyle=!o?idle:o==now+1?fresh:tone(o-1);
    ink.fillRect(x+s,y+s,1-edge-2*s,1-edge-2*s)}
  const e=events[now];let k=0;run(e,(x,u)=>{k+=!u});
  told.textContent=`Start ${+range.value+1} of ${starts.length}, `+
    `${unit=='s'?'second':'cycle'} ${e[1]}: job ${e[0]} gets ${k} `+
    `processor${k==1?'':'s'} after waiting ${time(e[1]-e[2])}; `+
    `${held.size} jobs run on ${busy} of ${count}.`}
canvas.addEventListener('mousemove',m=>{
  const b=canvas.getBoundingClientRect();let text='';
  const u=Math.floor((m.clientX-b.left)/b.width*wide);
  const v=Math.floor((m.clientY-b.top)/b.height*high);
  for(let i=0;i<count;i++){const [x,y]=place(i);if(x!=u||y!=v)continue;
    const e=owner[i]&&events[owner[i]-1];
    text=e?`Processor ${i}: job ${e[0]}, since ${time(e[1])}, until ${time(e[1]+e[3])}`
      :`Processor ${i} is idle`;break}
  who.textContent=text});
""".strip()
