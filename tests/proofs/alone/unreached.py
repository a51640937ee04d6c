"""Functions of the checker that no check executes, and why not.

Who moves one out of the files takes it off here; `test_corpus` fails until then.
"""

LEFT: dict[str, tuple[str, ...]] = {
    "shows an object to whoever uses Python, or has its old names": (
        "instances/extended.py: Extended.__getattr__",
        "instances/extended.py: Extended.__repr__",
        "instances/escape_hidden.py: brief",
        "instances/problems.py: _Problems.__len__",
        "instances/topologies/cuts.py: Cuts.__len__",
    ),
    "writes files": (
        "instances/topologies/metric.py: Priced.document",
        "instances/topologies/topology.py: Topology.document",
    ),
    "is what every network replaces": (
        "instances/topologies/topology.py: AlongAxes.ring_lengths",
        "instances/topologies/topology.py: Topology.dimension",
        "instances/topologies/topology.py: Topology.distance",
        "instances/topologies/topology.py: Topology.graph",
        "instances/topologies/topology.py: Topology.in_given_order",
        "instances/topologies/topology.py: Topology.is_mesh",
        "instances/topologies/topology.py: Topology.is_plane",
        "instances/topologies/topology.py: Topology.kind",
        "instances/topologies/topology.py: Topology.locations",
        "instances/topologies/topology.py: Topology.processors_in_all",
        "instances/topologies/topology.py: Topology.ring_lengths",
        "instances/topologies/topology.py: Topology.size",
        "instances/topologies/topology.py: Topology.spread",
        "instances/topologies/topology.py: Topology.tree",
    ),
    "refuses what the kinds of proofs refuse before: networks without cuts": (
        "instances/topologies/topology.py: Topology.cuts",
    ),
    "is for names and indices that users give": (
        "instances/ksubset/instance.py: KSubset.names",
        "instances/topologies/graph_json.py: names_of",
    ),
    "builds instances in Python": (
        "instances/ksubset/instance.py: mesh",
        "instances/ksubset/json.py: read_ksubset",
        "instances/problems.py: is_instance",
        "instances/problems.py: read_if_instance",
        "instances/procset/instance.py: ProcSet.asking",
        "instances/reading/json_types.py: _key",
        "instances/reading/numbers.py: positive",
        "instances/topologies/graph.py: Graph.from_networkx",
        "instances/topologies/tree.py: switch_tree",
    ),
    "is asked for by methods, drawings and tables": (
        "instances/sukp/instance.py: profit",
        "instances/topologies/graph.py: Graph.graph",
        "instances/topologies/grid.py: Grid.size",
        "instances/topologies/metric.py: Distances.table",
        "instances/topologies/metric.py: Priced.kind",
        "instances/topologies/metric.py: Priced.prices",
        "instances/topologies/metric.py: Priced.together",
        "instances/topologies/points.py: Points.in_given_order",
        "instances/topologies/points.py: Points.processors_in_all",
        "instances/topologies/topology.py: OnNodes.processors_in_all",
        "instances/topologies/topology.py: OnNodes.size",
        "instances/topologies/tree.py: Tree.tree",
    ),
    "is for other commands and the parts of closeknit": (
        "instances/__init__.py: __getattr__",
        "instances/errors.py: InputError.of_json",
    ),
    "is for results that other processes return": (
        "instances/errors.py: InputError.__reduce__",
        "instances/errors.py: _rebuild",
    ),
    "needs what goes on beyond the limit and never looks at the clock": (
        "proofs/checking/alarm.py: end_in_time.ring",
    ),
    "needs a system that refuses: a full disk, a pipe that is empty": (
        "instances/reading/files.py: refusal",
        "proofs/checking/answers/command.py: _silence",
    ),
}
"""By reason, as ``file: function``."""
