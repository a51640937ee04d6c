// Residents of a submesh that a plan moves, step by step.

import { ask, during, make, options } from "./ask.js";
import { board } from "./board.js";
import { show } from "./map.js";
import { player } from "./parts.js";

export function boxes(start) {
  const method = make("select", {}, ...options(start.plans.map(one => one.name), "auto"));
  const request = make("input", { type: "text", value: "" });
  const go = make("button", { type: "button", class: "main", click: run }, "Plan");
  const finding = make("p", { class: "finding", id: "plan" });
  const told = make("p", { class: "told", id: "move", "aria-live": "polite" });
  const steps = player("move", draw);
  let found = null;

  function residents(upTo) {
    const places = board.residents.map(one => one.cells);
    (found?.steps ?? []).slice(0, upTo).forEach(one => { places[one.resident] = one.after; });
    return places;
  }

  function looks(places, moved = -1) {
    const all = new Map();
    board.blocked.forEach(i => all.set(i, { kind: "busy", text: "defective" }));
    places.forEach((cells, r) => cells.forEach(i => all.set(i, {
      kind: r === moved ? "moved" : board.residents[r].fixed ? "p fixed" : "p",
      fill: r === moved ? "" : `hsl(${(r * 47 + 190) % 360} 28% 58%)`,
      text: `resident ${r}${board.residents[r].fixed ? ", must stay" : ""}`,
    })));
    return all;
  }

  // Step 0 is the state before; after the moves comes the request.
  function draw(step) {
    if (!found) return;
    const move = found.steps[step - 1];
    const all = looks(residents(step), move?.resident ?? -1);
    if (step > found.steps.length)
      found.at.forEach(i => all.set(i, { kind: "at", text: "the request" }));
    show(all);
    told.textContent = step === 0 ? "Before: the residents as they are."
      : move ? `Move ${step} of ${found.steps.length}. ${move.text}`
        : "The request is placed.";
  }

  function clear() {
    found = null;
    finding.textContent = told.textContent = "";
    steps.set(0);
  }

  function run() {
    return during(go, "The plan is searched …", async () => {
      const sides = request.value.split(/[x×, ]+/).filter(Boolean).map(Number);
      const answer = await ask("plan",
        { instance: board.instance, method: method.value, request: sides });
      clear();
      if (!answer) return;
      finding.textContent = answer.finding +
        (answer.proof ? ` Status: ${answer.status} (${answer.proof}).` : ` Status: ${answer.status}.`);
      if (!answer.at.length) { show(looks(residents(0))); return; }
      found = answer;
      await steps.set(answer.steps.length + 2);
    });
  }

  return {
    name: "Boxes",
    watches: true,
    submesh: true,
    panel: [
      make("p", {}, "A request needs a free box; if there is none, residents may be moved. " +
        "Every resident has its own shade; those that must stay have a broken border."),
      make("div", { class: "row" }, make("label", {}, "Method", method),
        make("label", {}, "Request", request), go),
      finding, steps.element, told,
    ],
    changed(what) {
      if (what !== "network") return;
      clear();
      if (board.kind === "submesh") request.value = board.request.join("x");
    },
    left: () => steps.stop(),
    shown: () => { if (!found) show(looks(residents(0))); },
  };
}
