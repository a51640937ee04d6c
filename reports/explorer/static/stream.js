// A stream of jobs, drawn or from a trace, played under an allocator.

import { ask, during, make, options, say } from "./ask.js";
import { board, sent } from "./board.js";
import { show } from "./map.js";
import { player } from "./parts.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function stream(start) {
  const method = make("select", {}, ...options(
    start.methods.filter(one => !one.exact).map(one => one.name), "mm"));
  const policy = make("select", {}, ...options(
    [["fcfs", "first come first served"], ["easy", "EASY backfilling"]], "fcfs"));
  const source = make("select", { change: choose }, ...options(
    [["drawn", "drawn"], ["trace", "a trace"]], "drawn"));
  const input = (type, value) => make("input", { type, value });
  const drawn = {
    requests: input("number", 200), sizes: input("text", ""),
    interarrival: input("number", 60), service: input("text", "exponential:600"),
    seed: input("number", 0),
  };
  const trace = { first: input("number", 500), divide: input("number", 1) };
  const form = (fields, ...before) => make("div", { class: "row" }, ...before,
    ...Object.entries(fields).map(([name, field]) => make("label", {}, name, field)));
  const file = make("p", {}, "Load a trace (SWF) by “Load a file” first.");
  const forms = { drawn: form(drawn), trace: form(trace, file) };
  const go = make("button", { type: "button", class: "main", click: run }, "Run");
  const told = make("p", { class: "told", id: "stream-state", "aria-live": "polite" });
  const measures = make("div");
  const steps = player("start of a job", draw);
  let film = null, starts = [];
  drawn.sizes.placeholder = "exponential:16";

  function choose() {
    for (const [name, one] of Object.entries(forms)) one.hidden = source.value !== name;
  }

  function clear() {
    film = null;
    steps.set(0);
    told.textContent = "";
    measures.replaceChildren();
  }

  function asked() {
    const body = { topology: board.topology, busy: sent().busy, method: method.value,
      policy: policy.value };
    if (source.value === "trace") {
      const { name, text } = board.trace ?? {};
      return { ...body, trace: { name: name ?? "", text: text ?? "",
        first: +trace.first.value, divide: +trace.divide.value } };
    }
    return { ...body, drawn: {
      requests: +drawn.requests.value, interarrival: +drawn.interarrival.value,
      service: drawn.service.value, seed: +drawn.seed.value,
      ...(drawn.sizes.value.trim() ? { sizes: drawn.sizes.value.trim() } : {}),
    } };
  }

  function run() {
    if (source.value === "trace" && !board.trace) { say(file.textContent); return null; }
    return during(go, "The stream is simulated …", async () => {
      const found = await ask("stream", asked());
      if (!found) { clear(); return; }
      film = found.film;
      starts = film.events.flatMap((event, i) => event.length ? [i] : []);
      measures.replaceChildren(
        make("table", {}, make("caption", {}, `The stream under ${method.value}`),
          make("tbody", {}, ...found.measures.map(([words, number]) => make("tr", {},
            make("th", { scope: "row", class: "l" }, words), make("td", {}, `${number}`))))),
        ...found.notes.map(note => make("p", {}, note)));
      await steps.set(starts.length);
    });
  }

  // Calls back with every processor of a start: gaps and lengths, then those unused.
  function held(event, each) {
    let x = 0, unused = false;
    for (let j = 4; j < event.length; j += 2) {
      if (event[j] < 0) { unused = true; x = 0; j -= 1; continue; }
      x += event[j];
      for (let n = event[j + 1]; n--;) each(x++, unused);
    }
  }

  const tone = job => `hsl(${Math.round(200 + job * .618034 % 1 * 130)} ` +
    `${30 + Math.round(job * .754878 % 1 * 30)}% ${(dark.matches ? 42 : 62)}%)`;

  function draw(step) {
    if (!film) return;
    const looks = new Map(), now = starts[step], jobs = new Set();
    board.busy.forEach(i => looks.set(i, { kind: "busy", text: "held all the time" }));
    for (let i = 0; i <= now; i++) {
      const event = film.events[i];
      if (event.length) {
        jobs.add(i);
        held(event, (x, unused) => looks.set(x, i === now && !unused
          ? { kind: "chosen", text: `starts: job ${event[0]}` }
          : { kind: "p", fill: tone(event[0]), text: `job ${event[0]}${unused ? ", unused" : ""}` }));
      } else {
        jobs.delete(event);
        held(film.events[event], x => looks.delete(x));
      }
    }
    show(looks);
    const [job, time, submit, seconds] = film.events[now];
    let size = 0;
    held(film.events[now], (x, unused) => { size += !unused; });
    told.textContent = `Start ${step + 1} of ${starts.length}, second ${time}: job ${job} gets ` +
      `${size} processor${size === 1 ? "" : "s"} for ${seconds} s after waiting ` +
      `${time - submit} s; ${jobs.size === 1 ? "1 job runs" : `${jobs.size} jobs run`}.`;
  }

  choose();
  return {
    name: "Stream",
    watches: true,
    panel: [
      make("p", {}, "Jobs arrive, wait, get processors and leave. What is painted busy is " +
        "held all the time."),
      make("div", { class: "row" }, make("label", {}, "Jobs", source),
        make("label", {}, "Allocator", method), make("label", {}, "Queue", policy)),
      forms.drawn, forms.trace,
      make("div", { class: "row" }, go), steps.element, told, measures,
    ],
    changed(what) {
      if (what === "trace") {
        source.value = "trace";
        choose();
        file.textContent = `Trace ${board.trace.name}: ${board.trace.about}.`;
      } else if (what !== "set") clear();
    },
    left: () => steps.stop(),
  };
}
