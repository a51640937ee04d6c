// What is on the page: a network with busy processors.

const listeners = [];

export const board = {
  topology: null, busy: new Set(), k: 1, name: "board", labels: [],
  views: {}, view: "", set: null,
  version: 0, // counts changes, so that late answers are known
};

export const onChange = listener => listeners.push(listener);

export function changed(what) {
  if (what !== "set") board.version += 1;
  listeners.forEach(listener => listener(what));
}

// Takes over what the server has loaded or made.
export function take(found) {
  Object.assign(board, {
    parts: null, case: null, set: null, file: null, note: "", ...found,
    busy: new Set(found.busy),
  });
  changed("network");
}

// The board as requests have it.
export const sent = () => ({
  topology: board.topology, busy: [...board.busy].sort((a, b) => a - b), k: board.k,
  name: board.name,
});

// Notes that the board is no longer what its name says.
export function edited(what) {
  if (!board.name.endsWith("-painted")) board.name += "-painted";
  changed(what);
}

export const free = () => board.labels.length - board.busy.size;
