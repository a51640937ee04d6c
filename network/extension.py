"""What the part for networks adds to closeknit."""

from ..extensions import Extension

EXTENSION = Extension(
    title="networks",
    claims={
        "network": "network.claims.networks:NETWORK_CLAIMS",
        "loads": "network.claims.loads:LOAD_CLAIMS",
        "mapping": "network.claims.mappings:MAPPING_CLAIMS",
    },
    names={"order_ranks": "network.mapping.table"},
    kernels="network.warming:NETWORK_KERNELS",
    allocators={"contention": "network.contention.allocator:Contention"},
    hooks={
        "simulate": "network.commands.simulate",
        "simulate stream": "network.commands.stream",
    },
)
