// Worst cases: families whose parameter is dragged, and the worst instances known.

import { ask, during, make, options, say } from "./ask.js";
import { board, take } from "./board.js";
import { fieldsOf } from "./parts.js";

export function worst(start, comparison) {
  const families = start.families.filter(one => one.worst);
  const family = make("select", { change: () => { fill(); load(); } }, ...options(
    families.map(one => [one.name, `${one.name}: ${one.summary}`]), families[0].name));
  const form = make("div");
  const range = make("input", { type: "range", input: drag, change: settle });
  const named = make("span");
  const told = make("p", { class: "finding", id: "case", "aria-live": "polite" });
  const make_ = make("button", { type: "button", class: "main", click: settle }, "Load");
  const of = make("select", { change: list }, ...options(
    [...new Set(start.ledger.map(one => one.method))], "mm-inc"));
  const entry = make("select");
  const get = make("button", { type: "button", click: known }, "Load");
  let chosen, fields, timer = 0, running = false, again = false;

  const text = at => chosen.dragged[0] === "eps" ? `1/${at}`
    : chosen.dragged[0] === "N" ? `${2 ** at}` : `${at}`;

  function fill() {
    chosen = families.find(one => one.name === family.value);
    fields = fieldsOf(chosen);
    form.replaceChildren(fields.element);
    const [name, least, most] = chosen.dragged;
    const field = fields.input(name);
    range.min = least;
    range.max = most;
    const given = field.value.startsWith("1/") ? +field.value.slice(2) : +field.value;
    range.value = name === "N" ? Math.log2(given) : given;
    range.setAttribute("aria-label", name);
    range.setAttribute("aria-valuetext", text(+range.value));
    named.textContent = name;
  }

  function drag() {
    fields.input(chosen.dragged[0]).value = text(+range.value);
    range.setAttribute("aria-valuetext", text(+range.value));
    clearTimeout(timer);
    timer = setTimeout(load, 60);
  }

  // One request at a time; the last value wanted is the one that is shown.
  async function load() {
    if (running) { again = true; return null; }
    running = true;
    const found = await ask("family", { family: chosen.name, values: fields.values() });
    running = false;
    if (again) { again = false; return load(); }
    if (found) take(found);
    return found;
  }

  function settle() {
    clearTimeout(timer);
    return during(make_, "The worst case is built …", async () => {
      const found = await load();
      if (found) { comparison.only(found.case.method); say("Loaded; Compare runs its method."); }
    });
  }

  function list() {
    entry.replaceChildren(...options(start.ledger
      .map((one, i) => [i, one]).filter(([, one]) => one.method === of.value)
      .map(([i, one]) => [`${i}`, `${one.ratio}: ${one.network}, k = ${one.k}`])));
  }

  function known() {
    return during(get, "The instance is loaded …", async () => {
      const found = await ask("worst", { index: +entry.value });
      if (!found) return;
      take(found);
      comparison.only(found.case.method);
    });
  }

  fill();
  list();
  return {
    name: "Worst cases",
    panel: [
      make("h3", {}, "Families"),
      make("div", { class: "row" }, make("label", {}, "Family", family)),
      form,
      make("div", { class: "row" }, named, range, make_),
      make("h3", {}, "Worst instances known"),
      make("div", { class: "row" }, make("label", {}, "Method", of),
        make("label", {}, "Instance", entry), get),
      told,
    ],
    changed(what) {
      if (what !== "network") return;
      const one = board.case;
      told.textContent = !one ? ""
        : `${one.method} pays ${one.cost}, the optimum is ${one.optimum}: ratio ${one.ratio}` +
          `${one.exactly === one.ratio ? "" : ` = ${one.exactly}`}. Run here it pays ` +
          `${one.measured}${one.agrees ? ", as predicted" : ", other than predicted"}. ` +
          `${one.statement} (${one.source}).`;
    },
  };
}
