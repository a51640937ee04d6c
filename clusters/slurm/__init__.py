"""Jobs of a running Slurm get the nodes that the service chooses.

The plugin `closeknit_submit.lua` asks the service for nodes at submission; `Follower`
tells the service which nodes are in use.
"""
