// The worst instances known.

import { ask, during, make, options } from "./ask.js";
import { board, take } from "./board.js";

export function worst(start, comparison) {
  const told = make("p", { class: "finding", id: "case", "aria-live": "polite" });
  const of = make("select", { change: list }, ...options(
    [...new Set(start.ledger.map(one => one.method))], "mm-inc"));
  const entry = make("select");
  const get = make("button", { type: "button", click: known }, "Load");

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

  list();
  return {
    name: "Worst cases",
    panel: [
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
