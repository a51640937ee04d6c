// Checks files by closeknit_check, the checker alone, in Python that runs here (Pyodide).
// Messages in: {files: [{name, content}], accept, seconds}. Messages out: {stage} with
// {spent} while a proof is followed; then one {status, lines, document, digests, ...}.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const PYTHON = `
import hashlib, json, os, platform, shutil
from time import monotonic

from closeknit_check import __version__
from closeknit_check.instances.errors import InputError
from closeknit_check.proofs.checking.answers.command import check_files
from closeknit_check.proofs.checking.statements import CheckLimits

def check(names, accept, seconds, tell):
    begun, told = monotonic(), 0.0
    def now():
        nonlocal told
        spent = monotonic() - begun
        if spent > told + 0.2:
            told = spent
            tell(spent)
        return begun + spent
    found = {"status": 2, "document": None}
    try:
        outcome = check_files(names, accept, CheckLimits(seconds=seconds, now=now))
        found = {"status": outcome.status, "document": outcome.document}
        found["lines"] = outcome.lines
    except InputError as error:
        found["lines"] = [str(error)]
    except MemoryError:
        found["lines"] = ["out of memory"]
    except BaseException as error:
        found["lines"] = [f"cannot be checked here: {type(error).__name__}: {error}"]
    found["digests"] = {}
    for name in names:
        with open(name, "rb") as stream:
            found["digests"][name] = hashlib.file_digest(stream, "sha256").hexdigest()
    found["seconds"] = monotonic() - begun
    found["by"] = f"closeknit-check {__version__}, Python {platform.python_version()}"
    return json.dumps(found)

def empty_folder():
    os.chdir("/")
    shutil.rmtree("/work", ignore_errors=True)
    os.mkdir("/work")
    os.chdir("/work")
`;

async function load() {
  postMessage({ stage: "Python is loaded" });
  const python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  const code = await fetch(new URL("closeknit_check.zip", import.meta.url));
  if (!code.ok) throw new Error(`the checker is not here (${code.status})`);
  python.unpackArchive(await code.arrayBuffer(), "zip");
  python.runPython(PYTHON);
  return python;
}

let loading = null;

self.onmessage = async ({ data: { files, accept, seconds } }) => {
  try {
    loading ??= load();
    const python = await loading;
    python.globals.get("empty_folder")();
    for (const { name, content } of files) python.FS.writeFile(`/work/${name}`, new Uint8Array(content));
    postMessage({ stage: "The files are checked" });
    const tell = spent => postMessage({ stage: "The files are checked", spent });
    const names = python.toPy(files.map(file => file.name));
    const found = python.globals.get("check")(names, python.toPy(accept), seconds, tell);
    postMessage(JSON.parse(found));
  } catch (error) {
    loading = null;
    postMessage({ status: 2, broken: true, lines: [`cannot be checked here: ${error.message ?? error}`] });
  }
};
