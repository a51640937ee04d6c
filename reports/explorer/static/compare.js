// Methods side by side: table, sets, the command line.

import { ask, during, make, say } from "./ask.js";
import { board, changed, sent } from "./board.js";
import { chosen, mini, show } from "./map.js";

export function compare(start) {
  const boxes = start.methods.map(one => [one, make("input",
    { type: "checkbox", checked: one.first, value: one.name })]);
  const list = first => make("ul", { class: "methods" }, ...boxes
    .filter(([one]) => one.first === first)
    .map(([one, input]) => make("li", {},
      make("label", { title: one.summary }, input, one.name))));
  const limit = make("input", { type: "number", min: .1, max: 10, step: .1, value: 2 });
  const finding = make("p", { class: "finding", id: "finding" });
  const table = make("div", { class: "wide", tabindex: 0, role: "region",
    "aria-label": "Methods, wide table", hidden: true });
  const sets = make("div", { class: "sets" });
  const go = make("button", { type: "button", class: "main", click: run }, "Compare");

  function clear() {
    finding.textContent = "";
    table.hidden = true;
    sets.replaceChildren();
    document.getElementById("command-line").hidden = true;
    document.getElementById("selection-line").hidden = true;
  }

  // Of those chosen at first, the ones that refuse every board on this network.
  function offer() {
    for (const [one, input] of boxes) {
      const why = board.refused?.[one.name] ?? "";
      if (input.disabled !== !!why) input.checked = one.first && !why;
      input.disabled = !!why;
      input.parentElement.title = why || one.summary;
    }
  }

  // Of a cluster in a file, of one part: what the command select needs.
  function cluster() {
    if (!board.file || board.parts.length > 1) return {};
    const busy = [...board.busy].map(i => board.labels[i]).filter(name => name !== "no node");
    return { cluster: { file: board.file, busy } };
  }

  function run() {
    return during(go, "Methods are running …", async () => {
      const methods = boxes.filter(([, input]) => input.checked).map(([one]) => one.name);
      const found = await ask("compare",
        { board: sent(), methods: methods.length ? methods : ["auto"], time_limit: +limit.value,
          ...cluster() });
      if (!found) return;
      finding.textContent = found.finding;
      document.getElementById("command").textContent = found.command;
      document.getElementById("selection").textContent = found.selection;
      document.getElementById("selection-line").hidden = !found.selection;
      document.getElementById("command-line").hidden = false;
      table.hidden = false;
      table.replaceChildren(make("table", {},
        make("caption", {}, "Sums of distances over all pairs, and ratios to the optimum"),
        make("thead", {}, make("tr", {}, ...["method", "pair sum", "ratio", "guarantee",
          "time"].map((text, i) => make("th",
          { scope: "col", class: i ? "" : "l" }, text)))),
        make("tbody", {}, ...found.rows.map(line))));
      sets.replaceChildren(...found.rows.filter(one => one.chosen.length).map(figure));
      const best = found.rows.at(-1);
      if (best.chosen.length) reveal(best);
      say(found.finding);
    });
  }

  // Of a method that refused or failed, the reason takes the place of the numbers.
  const line = one => one.error ? make("tr", {},
    make("th", { scope: "row", class: "l" }, one.method),
    make("td", { class: "l", colspan: 4 }, one.error)) : make("tr", {},
    make("th", { scope: "row", class: "l" }, one.method,
      make("small", {}, one.proof || (one.limit && `limit: ${one.limit}`))),
    make("td", {}, one.shown),
    make("td", { class: one.broken ? "bad" : one.optimal ? "good" : "" },
      one.optimal ? "optimal" : one.ratio,
      one.exactly === one.ratio ? null : make("small", {}, one.exactly)),
    make("td", {}, one.guarantee),
    make("td", {}, one.seconds));

  const figure = one => make("figure", {},
    mini(one.chosen, `The set of ${one.method}: ${one.chosen.length} processors`),
    make("figcaption", {}, make("b", {}, one.method),
      `pair sum ${one.shown}, ${one.optimal ? "optimal" : `ratio ${one.ratio}`} `,
      make("button", { type: "button", click: () => reveal(one),
        "aria-label": `Show the set of ${one.method} on the map` }, "Show")));

  function reveal(one) {
    board.set = { name: one.method, numbers: one.chosen };
    show(chosen(one.chosen, `chosen by ${one.method}`));
    changed("set");
    say(`The map shows the set of ${one.method}, pair sum ${one.shown}.`);
  }

  return {
    name: "Compare",
    panel: [
      make("p", {}, "Run methods on the network and see what they choose, next to the optimum."),
      make("fieldset", {}, make("legend", {}, "Methods"), list(true),
        make("details", {}, make("summary", {}, "All others"), list(false))),
      make("div", { class: "row" },
        make("label", {}, "Seconds for each", limit), go),
      finding, table, sets,
    ],
    // Chooses one method only, as the worst cases do.
    only(name) { boxes.forEach(([one, input]) => { input.checked = one.name === name; }); },
    run,
    shown() { if (board.set) show(chosen(board.set.numbers, `chosen by ${board.set.name}`)); },
    changed(what) {
      if (what === "network") offer();
      if (what !== "set") clear();
    },
  };
}
