// An exact search, node by node: the bound meets the incumbent.

import { ask, during, make, options, say } from "./ask.js";
import { sent } from "./board.js";
import { chosen, show } from "./map.js";
import { chart } from "./parts.js";

export function search() {
  const page = crypto.randomUUID();
  const name = make("select");
  const first = make("select", {}, ...options(
    [["row-major", "the first k processors"], ["mm-inc", "mm-inc"]], "row-major"));
  const bounds = make("input", { type: "checkbox" });
  const batch = make("select", {}, ...options(["1", "10", "100", "1000", "10000"], "1"));
  const go = make("button", { type: "button", class: "main", click: begin }, "Begin");
  const step = make("button", { type: "button", disabled: true,
    click: () => { stop(); advance(1); } }, "Step");
  const play = make("button", { type: "button", disabled: true,
    click: () => playing ? stop() : start() }, "Play");
  const told = make("p", { class: "told", id: "search-state" });
  const picture = make("div");
  let points = [], playing = false, proof = "", done = false, busy = false;

  function stop() { playing = false; play.textContent = "Play"; }

  function clear() {
    stop();
    points = [];
    step.disabled = play.disabled = true;
    told.textContent = "";
    picture.replaceChildren();
  }

  async function offer() {
    const found = await ask("searches", { board: sent() });
    if (found) name.replaceChildren(...options(found.searches, found.searches[0]));
    go.disabled = !found || !found.searches.length;
    if (go.disabled) told.textContent = "No search is shown for a network of this size.";
  }

  function begin() {
    return during(go, "The search is set up …", async () => {
      clear();
      const state = await ask("search", { board: sent(), page, search: name.value,
        first: first.value, bounds: bounds.checked });
      if (!state) return;
      proof = state.proof;
      points = [[0, state.incumbent, state.bound]];
      tell(state);
    });
  }

  async function advance(batches) {
    if (busy || done) return;
    busy = true;
    const state = await ask("step", { page, nodes: +batch.value, batches });
    busy = false;
    if (!state) { stop(); return; }
    points.push(...state.points);
    if (points.length > 4000) points = points.filter((_, i) => !(i % 2));
    tell(state);
  }

  async function start() {
    playing = true;
    play.textContent = "Stop";
    while (playing && !done) {
      await advance(batch.value === "1" ? 1 : 5);
      await new Promise(next => setTimeout(next, 120));
    }
    stop();
  }

  function tell(state) {
    done = state.done;
    step.disabled = play.disabled = done;
    show(chosen(state.chosen, "incumbent"));
    const [incumbent, bound] = state.shown;
    const from = proof && points.length === 1 ? ` (${proof})` : "";
    told.textContent = `${state.nodes} node${state.nodes === 1 ? "" : "s"}: incumbent ${incumbent}, bound ${bound}${from}. ` +
      (done ? "They meet: the incumbent is proved to be optimal."
        : `The optimum lies between them; the gap is ${
          (100 * (state.incumbent - state.bound) / state.incumbent).toFixed(1)} %.`);
    if (done || !playing) say(told.textContent);
    picture.replaceChildren(chart([
      { kind: "one", steps: true, points: points.map(([x, y]) => [x, y]) },
      { kind: "two", steps: true, points: points.map(([x, , y]) => [x, y]) },
    ], { label: `Incumbent ${incumbent} and bound ${bound} after ${state.nodes} nodes`,
      x: "nodes" }), make("p", { class: "faint" }, "Solid: incumbent. Broken: bound."));
  }

  return {
    name: "Search",
    watches: true,
    panel: [
      make("p", {}, "An exact search raises its bound and improves its incumbent until " +
        "they meet; the map shows the incumbent."),
      make("div", { class: "row" }, make("label", {}, "Search", name),
        make("label", {}, "First solution", first),
        make("label", { class: "check" }, bounds, "begin from the bounds that need no search")),
      make("div", { class: "row" }, go, make("label", {}, "Nodes of a step", batch), step, play),
      told, picture,
    ],
    changed: what => { if (what !== "set") clear(); },
    left: stop,
    shown: offer,
  };
}
