"""Whether a signal came while Python imports a module; imports nothing itself."""

TYPE_CHECKING = False  # importing `typing` for it takes its time
if TYPE_CHECKING:
    from types import FrameType

_LOADERS = ("importlib.", "_frozen_importlib")


def importing(frame: "FrameType | None") -> bool:
    """Return whether a frame, or one that called it, imports a module.

    A module of which only half has been imported would be of no use later.
    """
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(_LOADERS):
            return True
        frame = frame.f_back
    return False
