// Parts that several tools share: a player, a chart, the form of a generator.

import { make, options } from "./ask.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

// Buttons and a slider to go through steps. `draw(step)` may return a promise.
export function player(noun, draw) {
  let timer = 0, last = 0;
  const range = make("input", { type: "range", min: 0, max: 0, value: 0,
    "aria-label": noun, input: () => go(+range.value) });
  const button = (text, label, click) =>
    make("button", { type: "button", "aria-label": label, click }, text);
  const play = button("Play", `play ${noun}`, () => timer ? stop() : start());
  const back = button("◀", `previous ${noun}`, () => go(+range.value - 1));
  const on = button("▶", `next ${noun}`, () => go(+range.value + 1));
  const element = make("div", { class: "row", hidden: true }, back, play, on, range);
  let queue = Promise.resolve();
  function go(step) {
    range.value = Math.max(0, Math.min(last, step));
    range.setAttribute("aria-valuetext", `${noun} ${+range.value + 1} of ${last + 1}`);
    const wanted = range.value;
    queue = queue.catch(() => {}).then(() => wanted === range.value ? draw(+wanted) : null);
    return queue;
  }
  function stop() { clearTimeout(timer); timer = 0; play.textContent = "Play"; }
  function start() {
    if (+range.value >= last) range.value = -1;
    play.textContent = "Stop";
    const tick = async () => {
      await go(+range.value + 1);
      if (!timer) return;
      if (+range.value >= last || !element.isConnected) stop();
      else timer = setTimeout(tick, still.matches ? 1000 : 160);
    };
    timer = setTimeout(tick, 0);
  }
  return {
    element, go, stop,
    // Shows so many steps, from the first on; none hides it.
    set(count, step = 0) {
      stop();
      element.hidden = count < 1;
      last = Math.max(0, count - 1);
      range.max = last;
      return count ? go(step) : null;
    },
  };
}

// A chart of lines: [{kind, name, points: [[x, y], ...], steps}], and a place on the axis.
export function chart(lines, { label, x: across, here = null }) {
  const all = lines.flatMap(line => line.points);
  const wide = 560, high = 200, left = 52, base = high - 30;
  const most = Math.max(1, ...all.map(([x]) => x));
  const top = Math.max(...all.map(([, y]) => y)), low = Math.min(...all.map(([, y]) => y));
  const span = top - low || 1;
  const px = x => left + (wide - left - 10) * x / most;
  const py = y => base - (base - 14) * (y - low) / span;
  const path = line => line.points.map(([x, y], i) =>
    (i ? (line.steps ? `H${px(x).toFixed(1)}V` : `L${px(x).toFixed(1)} `)
      : `M${px(x).toFixed(1)} `) + py(y).toFixed(1)).join("");
  const text = (x, y, content, anchor = "start") =>
    make("text", { x, y, "text-anchor": anchor }, content);
  return make("svg", { class: "chart", viewBox: `0 0 ${wide} ${high}`, role: "img",
    "aria-label": label },
  make("path", { class: "axis", fill: "none", d: `M${left} 8V${base}H${wide - 8}` }),
  text(left - 6, 18, `${+top.toPrecision(6)}`, "end"),
  text(left - 6, base, `${+low.toPrecision(6)}`, "end"),
  text(left, high - 10, "0"), text(wide - 10, high - 10, `${most} ${across}`, "end"),
  ...lines.map(line => make("path", { class: line.kind, d: path(line) })),
  here === null ? null
    : make("path", { class: "here", d: `M${px(here)} 8V${base}` }));
}

// The fields of a generator; `values()` returns what to send.
export function fieldsOf(family) {
  const inputs = family.parameters.map(one => {
    const input = one.choices.length
      ? make("select", {}, ...options(one.choices, one.value))
      : make("input", one.flag ? { type: "checkbox" }
        : { type: "text", value: one.value, placeholder: one.metavar, required: one.required });
    return [one, input];
  });
  const element = make("div", { class: "row" }, ...inputs.map(([one, input]) =>
    make("label", { title: one.help }, `${one.name}`, input)));
  return {
    element,
    input: name => inputs.find(([one]) => one.name === name)?.[1],
    values: () => Object.fromEntries(inputs.flatMap(([one, input]) =>
      one.flag ? (input.checked ? [[one.name, true]] : [])
        : input.value.trim() ? [[one.name, input.value.trim()]] : [])),
  };
}
