"""Whether an exception that a signal raises now would be lost; quick to import."""

import gc

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from types import FrameType

_LOADERS = ("importlib.", "_frozen_importlib")
_CALLED_BY_LLVM = "_raw_object_cache_"
"""Names of functions that llvmlite lets C call: ctypes drops their exceptions."""
_OWNERS = (("subprocess", "__init__"), ("tempfile", "__init__"), ("shutil", "rmtree"))
"""Functions of Python's that close a descriptor twice, or lose a child or a folder."""


def uninterruptible(frame: "FrameType | None") -> bool:
    """Return whether a frame, or one that called it, must not raise KeyboardInterrupt.

    It must not while a module is imported, since half a module would be of no use
    later; nor where LLVM hands over machine code, or Python drops an object or calls
    back from collecting garbage, where the exception would be printed and forgotten;
    nor while a child is started, or a folder for its files is made or removed.
    """
    collecting = [getattr(each, "__code__", None) for each in gc.callbacks]
    while frame is not None:
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if module.startswith(_LOADERS) or (module, name) in _OWNERS:
            return True
        if name == "__del__" or name.startswith(_CALLED_BY_LLVM):
            return True
        if frame.f_code in collecting:
            return True
        frame = frame.f_back
    return False
