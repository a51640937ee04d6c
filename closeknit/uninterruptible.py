"""Whether an exception that a signal raises now would be lost; quick to import."""

import gc
from _thread import get_ident, start_new_thread
from time import sleep

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from signal import pthread_kill
    from types import FrameType
else:
    from _signal import pthread_kill  # `signal` takes its time for its enumerations

_LOADERS = ("importlib.", "_frozen_importlib", "llvmlite.")
_CALLED_BY_LLVM = "_raw_object_cache_"
"""Names of functions that llvmlite lets C call: ctypes drops their exceptions."""
_OWNERS = (
    ("subprocess", "__init__"),
    ("multiprocessing.process", "start"),
    ("tempfile", "__init__"),
    ("shutil", "rmtree"),
)
"""Functions of Python's that close a descriptor twice, or lose a child or a folder."""
_AGAIN = 0.05
"""Seconds after which a signal is sent again that came at a bad moment."""

holding: list[None] = []
"""Has an item while a block of ours must not be left."""
sent_again: list[int] = []
"""Signals that `put_off` has sent, until their handler takes them from here."""


def uninterruptible(frame: "FrameType | None") -> bool:
    """Return whether a frame, or one that called it, must not raise KeyboardInterrupt.

    It must not while a module is imported, since half a module would be of no use
    later; nor where LLVM hands over machine code or an object of its own is half made,
    or Python drops an object or calls back from collecting garbage, where the exception
    would be printed and forgotten; nor while a child is started, or a folder for its
    files is made or removed.
    """
    if holding:
        return True
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


def put_off(number: int, frame: "FrameType | None") -> bool:
    """Send a signal again a moment later if its exception would be lost now."""
    if not uninterruptible(frame):
        return False
    start_new_thread(_send_again, (number, get_ident()))
    return True


def _send_again(number: int, thread: int) -> None:
    sleep(_AGAIN)
    sent_again.append(number)
    pthread_kill(thread, number)
