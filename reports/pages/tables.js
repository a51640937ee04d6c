// Tables that sort, search and filter; without scripts they are plain tables.
(() => {
  "use strict";
  const SIZES = {"µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400};
  const text = cell => (cell ? cell.firstChild ? cell.textContent : "" : "").trim();
  const make = (kind, more) => Object.assign(document.createElement(kind), more);

  // The number that a cell begins with, in seconds where it is a time; null if none.
  const value = cell => {
    const said = (cell.firstChild?.textContent ?? "").trim();
    if (said === "∞") return Infinity;
    const found = /^([-+−]?[\d\u202f]*\.?\d+(?:e[-+]?\d+)?)\s*(µs|ms|s|min|h|d)?\b/i.exec(said);
    if (!found) return null;
    const plain = found[1].replace(/\u202f/g, "").replace("−", "-");
    return Number(plain) * (SIZES[found[2]] ?? 1);
  };

  // Each row with those folded under it.
  const groups = body => {
    const found = [];
    for (const row of body.rows) {
      if (row.className === "under" && found.length) found.at(-1)[1].push(row);
      else found.push([row, []]);
    }
    return found;
  };

  const foldable = body => groups(body).forEach(([row, below]) => {
    if (!below.length) return;
    const button = make("button", {type: "button", className: "unfold"});
    const set = open => {
      below.forEach(one => one.hidden = !open);
      button.setAttribute("aria-expanded", String(open));
      button.textContent = `${open ? "−" : "+"} ${below.length} variant${below.length > 1 ? "s" : ""}`;
    };
    button.addEventListener("click", () => set(below[0].hidden));
    row.cells[0].append(button);
    set(false);
  });

  const sortable = (table, body) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", {type: "button", className: "sort"});
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const falls = head.getAttribute("aria-sort") === "ascending";
        heads.forEach(one => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", falls ? "descending" : "ascending");
        const byText = head.classList.contains("l");
        const keyed = groups(body).map(([row, below], place) => {
          const cell = row.cells[column];
          return {rows: [row, ...below], place, key: byText ? text(cell).toLowerCase() : value(cell)};
        });
        const sign = falls ? -1 : 1;
        keyed.sort((a, b) => {
          if (a.key === null || b.key === null) {
            return (a.key === null) - (b.key === null) || a.place - b.place;
          }
          const order = byText ? a.key.localeCompare(b.key, "en", {numeric: true})
            : a.key - b.key || 0;
          return sign * order || a.place - b.place;
        });
        body.append(...keyed.flatMap(one => one.rows));
      });
    });
  };

  const searchable = (table, body, wide) => {
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const bar = make("div", {className: "find"});
    const field = make("input", {type: "search", placeholder: "search"});
    field.setAttribute("aria-label", "Search the rows of this table");
    const told = make("output", {className: "faint"});
    bar.append(field);
    const choices = [];
    heads.forEach((head, column) => {
      if (!head.classList.contains("l")) return;
      const found = new Set(rows.map(row => text(row.cells[column])));
      if (found.size < 2 || found.size > 30 || 2 * found.size > rows.length) return;
      const choice = make("select");
      choice.setAttribute("aria-label", `Only rows with this ${head.textContent}`);
      choice.append(make("option", {value: "", textContent: `any ${head.textContent}`}));
      [...found].sort().forEach(one =>
        choice.append(make("option", {value: one, textContent: one.slice(0, 60)})));
      choices.push([column, choice]);
      bar.append(choice);
    });
    bar.append(told);
    const show = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      for (const row of rows) {
        const all = row.textContent.toLowerCase();
        row.hidden = !(words.every(word => all.includes(word)) && choices.every(
          ([column, choice]) => !choice.value || text(row.cells[column]) === choice.value));
        left += !row.hidden;
      }
      told.textContent = left === rows.length ? "" : `${left} of ${rows.length} rows`;
    };
    let wait = 0;
    field.addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(show, rows.length > 2000 ? 250 : 0);
    });
    choices.forEach(([, choice]) => choice.addEventListener("change", show));
    wide.before(bar);
  };

  for (const table of document.querySelectorAll(".wide > table")) {
    const body = table.tBodies[0], count = body?.rows.length ?? 0;
    if (count >= 3) sortable(table, body);
    const folds = body?.querySelector(".under");
    if (folds) foldable(body);
    if (count >= 12 && !folds) searchable(table, body, table.parentElement);
  }

  // Tables that are wider than the window say so, also where they are unfolded.
  const measure = one => one.classList.toggle("sideways", one.scrollWidth > one.clientWidth);
  const observer = new ResizeObserver(seen => seen.forEach(({target}) => measure(target)));
  document.querySelectorAll(".wide").forEach(one => { measure(one); observer.observe(one); });

  // Exact fractions, on demand.
  if (document.querySelector("small.exact")) {
    const button = make("button", {type: "button", className: "fractions"});
    const set = on => {
      document.body.classList.toggle("exactly", on);
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "Hide exact fractions" : "Show exact fractions";
    };
    button.addEventListener("click", () =>
      set(!document.body.classList.contains("exactly")));
    set(false);
    document.querySelector("main").prepend(button);
  }

  // A link into folded contents opens them.
  const open = () => {
    const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let up = aim; up; up = up.parentElement) {
      if (up.localName === "details") up.open = true;
      up.hidden = false;
    }
    aim?.scrollIntoView();
  };
  addEventListener("hashchange", open);
  if (location.hash) open();
})();
