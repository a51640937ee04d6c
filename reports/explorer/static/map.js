// The map of processors: drawn as SVG, painted by mouse, touch and keyboard.

import { make, say } from "./ask.js";
import { board, edited, free } from "./board.js";

const box = document.getElementById("map-box");
const paint = document.getElementById("paint");
const drag = document.getElementById("drag");
let svg, cells = [], cursor = 0, ring, scene, shown = new Map(), painting = null;

const word = i => shown.get(i)?.text ?? (board.busy.has(i) ? "busy" : "free");

function colour(i) {
  const cell = cells[i], look = shown.get(i);
  cell.setAttribute("class", `p ${look?.kind ?? (board.busy.has(i) ? "busy" : "")}`);
  cell.setAttribute("aria-selected", board.busy.has(i));
  cell.setAttribute("aria-label", `${board.labels[i]}: ${word(i)}`);
}

// Shows a set on the map: a Map from processors to {kind, text}.
export function show(looks = new Map()) {
  const touched = new Set([...shown.keys(), ...looks.keys()]);
  shown = looks;
  touched.forEach(colour);
}

export const chosen = (numbers, text = "chosen") =>
  new Map(numbers.map(i => [i, { kind: "chosen", text }]));

export function draw() {
  scene = board.views[board.view];
  const { width, height, side } = scene;
  shown = new Map();
  cursor = Math.min(cursor, scene.spots.length - 1);
  cells = scene.spots.map(([x, y], i) => make("rect", {
    x: x - side / 2, y: y - side / 2, width: side, height: side, id: `p${i}`,
    role: "option", class: "p",
  }));
  ring = make("rect", { class: "cursor", width: side + 4, height: side + 4, rx: 2 });
  const links = scene.links.map(([a, b, c, d]) => `M${a} ${b}L${c} ${d}`).join("");
  svg = make("svg", {
    id: "map", viewBox: `0 0 ${width} ${height}`, tabindex: 0,
    width: Math.round(width * Math.max(1, Math.min(2, 540 / Math.max(width, height)))),
    role: "listbox", "aria-multiselectable": "true", "aria-activedescendant": `p${cursor}`,
    "aria-label": "Processors, selected if busy", "aria-describedby": "keys",
    keydown: pressed, pointerdown: begun, pointermove: dragged,
  },
  make("g", { "aria-hidden": "true" },
    make("path", { class: "links", d: links }),
    ...scene.boxes.map(([x, y, width, height]) =>
      make("rect", { class: "rack", x, y, width, height, rx: 4 })),
    ...scene.texts.map(([x, y, text]) => make("text", { x, y }, text)),
    ...scene.dots.map(([cx, cy]) => make("circle", { class: "dot", cx, cy, r: 3 }))),
  make("g", { role: "presentation" }, ...cells),
  make("g", { "aria-hidden": "true" }, ring));
  cells.forEach((_, i) => colour(i));
  box.replaceChildren(svg);
  place();
  touch();
}

function touch() { svg.classList.toggle("drags", drag.checked); }
drag.addEventListener("change", touch);
addEventListener("pointerup", () => { painting = null; });
addEventListener("pointercancel", () => { painting = null; });

function place() {
  const [x, y] = scene.spots[cursor];
  ring.setAttribute("x", x - scene.side / 2 - 2);
  ring.setAttribute("y", y - scene.side / 2 - 2);
  svg.setAttribute("aria-activedescendant", `p${cursor}`);
}

const wanted = i => paint.value === "toggle" ? !board.busy.has(i) : paint.value === "busy";

function set(i, busy) {
  if (board.busy.has(i) === busy) return;
  if (busy && free() <= 1) { say("One processor must stay free."); return; }
  if (busy) board.busy.add(i); else board.busy.delete(i);
  edited("busy");
  colour(i);
  say(`${board.labels[i]} is ${busy ? "busy" : "free"}; ${free()} of ${board.labels.length} free.`);
}

const under = event => {
  const found = document.elementFromPoint(event.clientX, event.clientY);
  return cells.indexOf(found);
};

function begun(event) {
  const i = under(event);
  if (i < 0 || event.button) return;
  cursor = i;
  place();
  painting = wanted(i);
  set(i, painting);
}

function dragged(event) {
  if (painting === null || !event.buttons || !drag.checked) return;
  const i = under(event);
  if (i >= 0) set(i, painting);
}

// The nearest processor in a direction.
function towards(dx, dy) {
  const [x, y] = scene.spots[cursor];
  let best = cursor, least = Infinity;
  scene.spots.forEach(([u, v], i) => {
    const along = (u - x) * dx + (v - y) * dy;
    const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (along > .5 && along + 3 * aside < least) { least = along + 3 * aside; best = i; }
  });
  return best;
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " || event.key === "Enter") set(cursor, wanted(cursor));
  else if (event.key === "Home") cursor = 0;
  else if (event.key === "End") cursor = cells.length - 1;
  else if (STEPS[event.key]) {
    const busy = event.shiftKey && wanted(cursor);
    if (event.shiftKey) set(cursor, busy);
    cursor = towards(...STEPS[event.key]);
    if (event.shiftKey) set(cursor, busy);
  } else return;
  event.preventDefault();
  place();
  cells[cursor].scrollIntoView({ block: "nearest", inline: "nearest" });
}

// Redraws all processors, after many have become free at once.
export const recolour = () => cells.forEach((_, i) => colour(i));

// A small picture of the board with a set.
export function mini(set, label) {
  const view = board.views[board.view], half = view.side / 2, own = new Set(set);
  const paths = { free: "", busy: "", chosen: "" };
  view.spots.forEach(([x, y], i) => {
    const kind = own.has(i) ? "chosen" : board.busy.has(i) ? "busy" : "free";
    const r = kind === "chosen" ? half : half * .86;
    paths[kind] += `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`;
  });
  const links = view.links.map(([a, b, c, d]) => `M${a} ${b}L${c} ${d}`).join("");
  return make("svg", { class: "mini", viewBox: `0 0 ${view.width} ${view.height}`,
    role: "img", "aria-label": label },
  make("path", { class: "links", d: links }),
  ...Object.entries(paths).map(([kind, d]) => make("path", { class: kind, d })));
}
