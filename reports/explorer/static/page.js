// The page: what is loaded, the tools next to it, what is exported.

import { ask, complain, during, make, options, save, say } from "./ask.js";
import { board, changed, edited, free, onChange, sent, take } from "./board.js";
import { compare } from "./compare.js";
import { chosen, draw, recolour, show } from "./map.js";
import { worst } from "./worst.js";

const $ = id => document.getElementById(id);
let tools = [], current = null, most = {}, loadedText;

// Tabs, as the practices of ARIA want them: arrow keys move, one stop of the tab key.
function open(tool, focus = false) {
  if (current && current !== tool) { show(); say(""); }
  current = tool;
  for (const one of tools) {
    const on = one === tool;
    one.tab.setAttribute("aria-selected", on);
    one.tab.tabIndex = on ? 0 : -1;
    one.box.hidden = !on;
  }
  if (focus) tool.tab.focus();
  tool.shown?.();
}

function tabs() {
  tools.forEach((tool, i) => {
    tool.tab = make("button", { type: "button", role: "tab", id: `tab${i}`,
      "aria-controls": `panel${i}`, click: () => open(tool) }, tool.name);
    tool.box = make("div", { role: "tabpanel", id: `panel${i}`,
      "aria-labelledby": `tab${i}` }, ...tool.panel);
  });
  $("tabs").append(...tools.map(one => one.tab));
  $("panels").append(...tools.map(one => one.box));
  $("tabs").addEventListener("keydown", event => {
    const at = tools.indexOf(current);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    open(tools.at(to % tools.length), true);
  });
}

function about() {
  $("about").textContent =
    `${board.name}: ${free()} of ${board.labels.length} processors free, k = ${board.k}`;
  document.title = `${board.name} – closeknit explore`;
}

function refresh() {
  const views = Object.keys(board.views);
  $("k").value = board.k;
  $("k").max = free();
  $("view-label").hidden = views.length < 2;
  $("view").replaceChildren(...options(views, board.view));
  $("part-label").hidden = (board.parts ?? []).length < 2;
  $("part").replaceChildren(...options(
    (board.parts ?? []).map((text, i) => [`${i}`, text]), `${board.part ?? 0}`));
  $("note").textContent = [board.file ? board.about : "", board.views[board.view].note]
    .filter(Boolean).join("; ");
  draw();
  if (current) current.shown?.();
  else open(tools[0]);
}

onChange(what => {
  if (what !== "set") { about(); say(""); } // what was said is of another board
  tools.forEach(one => one.changed?.(what));
  if (what === "network") refresh();
  if (what === "busy" || what === "k") { $("k").max = free(); board.set = null; show(); }
});

async function load(name, text, part = 0) {
  const found = await ask("load", { name, text, part });
  if (!found) return;
  loadedText = { name, text };
  take(found);
  say(`${name} is loaded: ${found.about}.`);
}

$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  if (!file) return;
  if (file.size > most.text) complain(`${file.name}: has more than ${most.text / 2 ** 20} MiB`);
  else await load(file.name, await file.text());
  $("file").value = "";
});
$("part").addEventListener("change", () =>
  load(loadedText.name, loadedText.text, +$("part").value));
$("view").addEventListener("change", () => {
  board.view = $("view").value;
  refresh();
  if (board.set) show(chosen(board.set.numbers, `chosen by ${board.set.name}`));
});
$("k").addEventListener("change", () => {
  const k = Math.round(+$("k").value);
  if (!(k >= 1 && k <= free())) {
    complain(`k: must be from 1 to the ${free()} free processors, not ${$("k").value}`);
    $("k").value = board.k;
    return;
  }
  board.k = k;
  edited("k");
});
$("all-free").addEventListener("click", () => {
  board.busy.clear();
  edited("busy");
  recolour();
  say("All processors are free.");
});
$("export-instance").addEventListener("click", async () => {
  const found = await ask("export", { board: sent() });
  if (found) save(found.name, found.text, "application/json");
});
document.querySelectorAll(".copy").forEach(one => one.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText($(one.dataset.of).textContent);
    say("The command line is copied.");
  } catch { complain("The browser does not let the page copy."); }
}));

const start = await ask("start");
if (start) {
  most = start.most;
  const comparison = compare(start);
  tools = [comparison, worst(start, comparison)];
  tabs();
  loadedText = { name: start.first.file, text: start.first.text };
  take(start.first);
  document.body.dataset.ready = "yes";
  comparison.run();
}
