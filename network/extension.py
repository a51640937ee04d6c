"""What the part for networks adds to closeknit."""

from ..extensions import Extension

EXTENSION = Extension(
    title="networks",
    claims={
        "network": "network.claims.networks:NETWORK_CLAIMS",
        "loads": "network.claims.loads:LOAD_CLAIMS",
        "contention": "network.claims.contention:CONTENTION_CLAIMS",
        "mapping": "network.claims.mappings:MAPPING_CLAIMS",
    },
    names={
        "contention": "network.contention.constructor",
        "order_ranks": "network.mapping.table",
    },
    problems={"contention": "network.contention.problem"},
    kernels="network.warming:NETWORK_KERNELS",
    allocators={"contention": "network.contention.allocator:Contention"},
    hooks={
        "simulate": "network.commands.simulate",
        "worst": "network.commands.worst",
        "simulate stream": "network.commands.stream",
    },
)
