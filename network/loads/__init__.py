"""What sets of processors put on every link, for each network and routing."""

from .routes import FIXED as FIXED
from .routes import Routes as Routes
from .routes import routings_of as routings_of
from .table import NONE as NONE
from .table import LoadTable as LoadTable
from .table import busiest_of as busiest_of
from .table import coarsen as coarsen
