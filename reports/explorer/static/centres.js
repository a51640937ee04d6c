// The centres of mm one by one.

import { ask, during, make, options, say } from "./ask.js";
import { board, sent } from "./board.js";
import { chosen, show } from "./map.js";
import { chart, player } from "./parts.js";

export function centres() {
  const method = make("select", {}, ...options(["mm", "mm-free", "mm-all"], "mm"));
  const go = make("button", { type: "button", class: "main", click: list }, "List the centres");
  const told = make("p", { class: "told", id: "centre", "aria-live": "polite" });
  const picture = make("div");
  const steps = player("centre", draw);
  const choice = make("button", { type: "button", hidden: true,
    click: () => steps.go(found.winner) }, "Go to the choice");
  let found = null, asked = null;

  function clear() {
    found = null;
    steps.set(0);
    choice.hidden = true;
    told.textContent = "";
    picture.replaceChildren();
  }

  function list() {
    return during(go, "Centres are priced …", async () => {
      asked = { board: sent(), method: method.value };
      found = await ask("centres", asked);
      if (!found) { clear(); return; }
      choice.hidden = false;
      await steps.set(found.costs.length);
    });
  }

  async function draw(index) {
    const one = await ask("candidate", { ...asked, index });
    if (!one || !found) return;
    const { costs, labels, sums, winner, spots } = found;
    let best = 0;
    for (let i = 1; i <= index; i++) if (costs[i] < costs[best]) best = i;
    show(chosen(one.chosen, "candidate"), board.view === board.topology.kind
      ? [[...spots[best], "best"], [...spots[index], ""]] : []);
    const final = index === winner ? " This is the choice of the method." : "";
    told.textContent = `Centre ${index + 1} of ${costs.length}, at ${labels[index]}: the ` +
      `${board.k} nearest cost ${one.shown}. Least so far: ${sums[best]}, of the centre ` +
      `at ${labels[best]}.${final}`;
    let least = Infinity;
    const points = costs.map((cost, i) => [i, cost]);
    const bests = points.map(([i, cost]) => [i, least = Math.min(least, cost)]);
    picture.replaceChildren(chart([
      { kind: "one", points }, { kind: "two", points: bests, steps: true },
    ], { label: `Pair sums of the candidates of ${costs.length} centres; the least is ` +
        `${sums[winner]}`, x: "centres", here: index }));
  }

  return {
    name: "Centres",
    watches: true,
    panel: [
      make("p", {}, "The method mm tries centres; the candidate of each is the k free " +
        "processors nearest to it, and the cheapest candidate is the choice. On the map " +
        "a ring marks the centre, a broken ring the best one so far."),
      make("div", { class: "row" }, make("label", {}, "Method", method), go, choice),
      steps.element, told, picture,
      make("p", { class: "faint" }, "Solid: pair sum of each candidate. Broken: least so far."),
    ],
    changed: what => { if (what !== "set") clear(); },
    left: () => steps.stop(),
    shown: () => { if (found) say("The centres are those of the network as it is."); },
  };
}
