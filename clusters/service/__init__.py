"""The choice of nodes as a service over HTTP, with the state of the cluster.

`Service` knows requests and answers, `application` puts it on the network. Starlette
and prometheus_client are the extra ``serve``.
"""
