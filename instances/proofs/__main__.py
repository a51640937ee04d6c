"""``python -m closeknit.instances.proofs FOLDER`` goes on working for one release."""

import runpy
import sys

if __name__ == "__main__":
    new = "closeknit.proofs.checking"
    print(f"closeknit.instances.proofs is now {new}", file=sys.stderr)
    runpy.run_module(new, run_name="__main__", alter_sys=True)
