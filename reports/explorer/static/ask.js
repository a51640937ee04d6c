// Requests to the server, and the two lines that say what happens.

import { board } from "./board.js";

const error = document.getElementById("error");
const status = document.getElementById("status");

export const say = text => { error.textContent = ""; status.textContent = text; };
export const complain = text => { status.textContent = ""; error.textContent = text; };

// Answers to these are about the board as it was when they were asked for.
const ABOUT_BOARD = ["compare"];

// Asks the server; null after an error, which is shown, and for an answer that is late.
export async function ask(name, body = {}) {
  const { version } = board;
  try {
    const response = await fetch(`/api/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (version !== board.version && ABOUT_BOARD.includes(name)) return null;
    if (response.ok) { error.textContent = ""; return answer; }
    complain(answer.detail);
  } catch {
    complain("The server does not answer: is closeknit explore still running?");
  }
  return null;
}

// Runs something while a button cannot be pressed again.
export async function during(button, text, work) {
  if (button.disabled) return;
  button.disabled = true;
  say(text);
  try { await work(); } finally {
    button.disabled = false;
    if (status.textContent === text) status.textContent = "";
  }
}

export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  say(`${name} was saved.`);
}

// Makes an element: tag, attributes (functions are listeners), children.
export function make(tag, attributes = {}, ...children) {
  const drawn = "svg g path rect circle line polyline text title".split(" ");
  const it = drawn.includes(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") it.addEventListener(name, value);
    else if (value === true) it.setAttribute(name, "");
    else if (value !== false && value != null) it.setAttribute(name, value);
  }
  it.append(...children.filter(child => child != null));
  return it;
}

export const options = (names, chosen) => names.map(one => {
  const [value, text] = Array.isArray(one) ? one : [one, one];
  return make("option", { value, selected: value === chosen }, text);
});
