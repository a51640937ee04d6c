// The form of the page: which file is what, progress, cancel, and what was found.
const $ = id => document.getElementById(id);
const ROLES = ["instance", "solution", "proof"];
const MOST = { instance: 2 ** 25, solution: 2 ** 25, proof: 2 ** 28 }; // bytes
const chosen = { instance: null, solution: null, proof: null };
let worker = null;
let running = false;
let turn = 0; // changes with every run and whatever ends it: what began before is void

const size = bytes => bytes < 1024 ? `${bytes} bytes` : bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function say(text) { $("check-status").textContent = text; }

function take(role, file) {
  changed();
  chosen[role] = file;
  $(`check-${role}-name`).textContent = file ? `${file.name}, ${size(file.size)}` : "none";
}

// No verdict stays that is about other files, or another word that is taken.
function changed() {
  if (running) stop("The form was changed: nothing is known about the claim.");
  turn += 1;
  show(null);
}

// By what a dropped file begins with: a solution, an instance or formula, else a proof.
async function roleOf(file) {
  if (/\.opb(\.xz|\.gz)?$/.test(file.name) || /\.recount\.json(\.xz|\.gz)?$/.test(file.name)) return "instance";
  if (/\.json\.xz$/.test(file.name)) return "instance";
  const head = await file.slice(0, 400).text();
  if (/^\s*\{/.test(head)) {
    if (/"format"\s*:\s*"closeknit\/solution"/.test(head)) return "solution";
    if (!/"format"\s*:\s*"closeknit\/(certificate|dnn-certificate)"/.test(head)) return "instance";
  }
  return "proof";
}

async function takeAll(files) {
  const taken = new Set();
  for (const file of files) {
    let role = await roleOf(file);
    if (taken.has(role)) { say(`${file.name}: a second ${role} was dropped; choose the files one by one`); return; }
    taken.add(role);
    take(role, file);
  }
  say(`${taken.size} file${taken.size === 1 ? "" : "s"} taken`);
}

function show(found) {
  const box = $("check-verdict");
  box.hidden = !found;
  if (!found) return;
  const word = found.status === 0
    ? found.document?.accepted ? "word taken" : "holds"
    : found.status === 1 ? "does not hold" : "cannot be checked";
  const meaning = {
    "holds": "Everything that the files claim was derived again, here.",
    "word taken": "The choice and its cost are right; the bound is the word of what found it, which you accepted.",
    "does not hold": "Something is wrong, or nothing that was given derives it.",
    "cannot be checked": "A file cannot be used, or a limit was reached. Nothing is known about the claim.",
  };
  box.className = `check-verdict check-${word.replaceAll(" ", "-")}`;
  box.dataset.status = found.status;
  $("check-word").textContent = word[0].toUpperCase() + word.slice(1);
  $("check-meaning").textContent = meaning[word];
  $("check-lines").textContent = found.lines.join("\n");
  $("check-by").textContent = found.by ? `${found.by}; ${found.seconds.toFixed(2)} s` : "";
  $("check-digests").replaceChildren(...Object.entries(found.digests ?? {}).map(([name, digest]) => {
    const item = document.createElement("li");
    item.append(`${name}: `, Object.assign(document.createElement("code"), { textContent: digest }));
    return item;
  }));
  box.focus();
}

function busy(on) {
  running = on;
  $("check-run").disabled = on;
  $("check-cancel").disabled = !on;
  $("check-progress").hidden = !on;
  if (on) $("check-progress").removeAttribute("value");
}

function stop(text) {
  worker?.terminate();
  worker = null;
  turn += 1;
  busy(false);
  say(text);
}

// Names of files in the messages: no folders, no option, no two alike.
function names(files) {
  const seen = new Set();
  return files.map(({ name }, at) => {
    let safe = name.replace(/[^\w.+@=-]/g, "_").slice(-100).replace(/^[-.]+/, "_");
    while (!safe || seen.has(safe)) safe = `${ROLES[at]}-${safe}`;
    seen.add(safe);
    return safe;
  });
}

async function run() {
  if (running) return;
  show(null);
  const { instance, solution, proof } = chosen;
  if (!instance) return say("An instance, or a formula, is missing.");
  const alone = /\.recount\.json(\.xz|\.gz)?$/.test(instance.name);
  const formula = /\.opb(\.xz|\.gz)?$/.test(instance.name);
  if (formula && solution) return say("A formula has no solution: take it away.");
  if (formula && !proof) return say("A proof is missing.");
  if (!alone && !formula && !solution) return say("A solution is missing.");
  for (const role of ROLES) {
    if (chosen[role]?.size > MOST[role]) return say(`${chosen[role].name}: is larger than ${size(MOST[role])}`);
  }
  const seconds = Number($("check-seconds").value);
  if (!(seconds > 0 && seconds <= 86400)) return say("The time limit must be from 1 to 86400 seconds.");
  const files = [instance, solution, proof].filter(file => file);
  const named = names(files);
  const accept = [...document.querySelectorAll("[name=accept]:checked")].map(box => box.value);
  busy(true);
  const mine = ++turn;
  say("The files are read");
  let contents;
  try {
    contents = await Promise.all(files.map(file => file.arrayBuffer()));
  } catch (error) {
    return mine === turn && stop(`A file cannot be read: ${error.message}`);
  }
  if (mine !== turn) return;
  if (!worker) {
    const own = worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
    worker.onerror = event => {
      if (own !== worker) return;
      stop("The checker stopped.");
      show({ status: 2, lines: [`cannot be checked here: ${event.message ?? "the worker could not start"}`] });
    };
    worker.onmessage = ({ data }) => {
      if (own !== worker) return;
      if (data.stage) {
        if (data.spent) {
          $("check-progress").value = data.spent;
          $("check-progress").max = Number($("check-seconds").value);
        }
        return say(data.spent ? `${data.stage}: ${data.spent.toFixed(1)} s` : data.stage);
      }
      if (data.broken) { worker?.terminate(); worker = null; }
      busy(false);
      say("Done");
      show(data);
    };
  }
  worker.postMessage({ files: named.map((name, at) => ({ name, content: contents[at] })), accept, seconds }, contents);
}

// ?instance=...&solution=...&proof=...: files of this site, as its tables link to them.
async function fetchGiven() {
  const given = new URLSearchParams(location.search);
  const wanted = ROLES.filter(role => given.get(role));
  if (!wanted.length) return;
  const before = turn, found = {};
  for (const role of wanted) {
    try {
      const url = new URL(given.get(role), location.href);
      if (url.origin !== location.origin) return say(`${role}: only files of this site are fetched`);
      const answer = await fetch(url, { redirect: "error" });
      if (!answer.ok) return say(`${role}: ${url.pathname} is not here (${answer.status})`);
      found[role] = new File([await answer.blob()], decodeURIComponent(url.pathname.split("/").pop()));
    } catch (error) {
      return say(`${role}: cannot be fetched: ${error.message}`);
    }
  }
  if (before !== turn) return; // others were chosen meanwhile
  for (const role of wanted) take(role, found[role]);
  run();
}

function begin() {
  const drop = $("check-drop");
  for (const role of ROLES) {
    const input = $(`check-${role}`);
    input.addEventListener("change", () => take(role, input.files[0] ?? null));
  }
  for (const type of ["dragenter", "dragover"]) {
    drop.addEventListener(type, event => { event.preventDefault(); drop.classList.add("check-over"); });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("check-over"));
  drop.addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("check-over");
    takeAll([...event.dataTransfer.files]);
  });
  $("check-form").addEventListener("change", changed);
  $("check-form").addEventListener("submit", event => { event.preventDefault(); run(); });
  $("check-form").addEventListener("reset", () => { for (const role of ROLES) take(role, null); say(""); });
  $("check-cancel").addEventListener("click", () => stop("Cancelled: nothing is known about the claim."));
  $("check-form").hidden = false;
  fetchGiven();
}

if (location.protocol === "file:") {
  say("Browsers start no worker for a page that is opened as a file: serve this site, for instance by python -m http.server, and open it there.");
} else {
  begin();
}
