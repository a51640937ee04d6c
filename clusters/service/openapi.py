"""The OpenAPI document of the service."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from ...scheduler.http.problems import MEDIA as PROBLEM
from ..placement import MOST_K
from ..placement.request import NO_LINKS
from .service import Service

Schema = dict[str, Any]

_HOSTLIST: Schema = {
    "type": "string",
    "description": "Nodes in Slurm's notation, such as n[01-12],login1.",
}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SEQUENCE: Schema = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
_PARTS: Schema = {
    "type": "object",
    "description": "The numbers of the objective, the first one first.",
    "additionalProperties": {"type": "integer"},
}
_REFUSED = {
    400: "The host is none of this machine, or the body is no JSON object.",
    401: "The token is missing or wrong.",
    403: "A page of another host asks.",
    408: "The body has not come in time.",
    409: "No choice is possible, or the sequence number does not follow.",
    413: "The body is too large.",
    415: "The body is not of type application/json.",
    422: "A field is malformed, or names a node that is not in the topology.",
    503: "Too many requests wait, or memory is short.",
}
_ALWAYS, _OF_BODIES, _OF_CHOICES = (400, 401, 403), (408, 413, 415), (409, 422, 503)
_OF_PODS = (422, 503)
_FOR = "nodes for kube-scheduler (extender/v1)."


def _object(properties: Schema, *required: str, more: bool = False) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": more,
    }


def _all(kind: str, *names: str) -> Schema:
    return {name: {"type": kind} for name in names}


_STATE = _object(
    {
        "source": {"type": "string", "description": "Where the state is from."},
        "not_free": {"type": "object", "additionalProperties": _COUNT},
        "notes": _STRINGS,
        **dict.fromkeys(("must_boot", "planned"), _COUNT),
    },
    "source",
)
_OUTCOME = _all("string", "topology", "proof", "limit") | {
    "status": {"enum": ["optimal", "feasible", "infeasible", "unknown"]},
    "hostlist": _HOSTLIST,
    "cost": _PARTS,
    "bound": _PARTS,
    "seconds": {"type": "number"},
    "state_age": {
        "type": "number",
        "description": "Seconds since the last step; missing if there was none.",
    },
    "state": _STATE,
    "take": {"type": "integer", "description": "Of the nodes that are taken."},
}
"""What answers about nodes and about jobs of parts have in common."""
_ANSWER = _object(
    _OUTCOME
    | _all("string", "objective")
    | dict.fromkeys(("nodes", "free", "k"), _COUNT)
    | {"chosen": _STRINGS},
    *("topology", "nodes", "free", "k", "objective", "status", "seconds"),
)
_PLACED = _object(
    _OUTCOME
    | _all("string", "job")
    | _all("boolean", "fits")
    | {
        "pods": _COUNT,
        "roles": {"type": "object", "additionalProperties": _COUNT},
        "placement": {"type": "object", "additionalProperties": _STRINGS},
        "clash": {"type": "object", "description": "Constraints that clash."},
    },
    *("topology", "job", "pods", "roles", "status", "seconds"),
)
_JOB = _object(
    _all("string", "name", "device")
    | _all("array", "objective")
    | {
        "format": {"const": "closeknit/job"},
        "version": {"const": 1, "type": "integer"},
        "roles": {"type": "array", "items": {"type": "object"}, "minItems": 1},
        "constraints": {"type": "array", "items": {"type": "object"}},
    },
    *("format", "version", "roles"),
)
_TAKEN = _object(
    {"take": _COUNT, "nodes": _HOSTLIST, "seconds": {"type": "number"}},
    *("take", "nodes", "seconds"),
)
_PROBLEM = _object(
    _all("string", "type", "title", "detail", "field")
    | _all("integer", "status")
    | {"sequence": _SEQUENCE, "answer": {"anyOf": [_ANSWER, _PLACED]}},
    *("type", "title", "status", "detail"),
)
_CHANGED = _object(
    {"sequence": _SEQUENCE, "free_nodes": _COUNT, "state": _STATE},
    *("sequence", "free_nodes"),
)
_LISTS = {"busy": _HOSTLIST, "free": _HOSTLIST, "sequence": _SEQUENCE}
_WHOLE_STATE = _LISTS | {
    "nodes": _COUNT,
    "free_nodes": _COUNT,
    "state": _STATE,
    "taken": {"type": "array", "items": _TAKEN},
}
_DELTA = _object(_LISTS) | {"anyOf": [{"required": ["busy"]}, {"required": ["free"]}]}
_WITH_REPORTS = (
    _LISTS
    | _all("boolean", "assume_up", "no_boot")
    | _all("string", "reservation")
    | {
        "reports": {
            "type": "array",
            "items": {"type": "object"},
            "description": "What sinfo, squeue or kubectl print as JSON.",
        },
        "tolerate": _STRINGS,
    }
)
_WHOLE = {
    "oneOf": [
        _object(_LISTS, "busy") | {"not": {"required": ["free"]}},
        _object(_LISTS, "free") | {"not": {"required": ["busy"]}},
        _object(_WITH_REPORTS, "reports"),
    ]
}
_NAMES: Schema = {"type": ["array", "null"], "items": {"type": "string"}}
_REASONS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
_NODES: Schema = {"Nodes": {"type": ["object", "null"]}, "NodeNames": _NAMES}
_EXTENDER_ARGS = _object(_NODES | {"Pod": {"type": "object"}}, "Pod")
_EXTENDER_RESULT = _object(
    _NODES
    | dict.fromkeys(("FailedNodes", "FailedAndUnresolvableNodes"), _REASONS)
    | _all("string", "Error")
)
_PRIORITIES: Schema = {
    "type": "array",
    "items": _object({"Host": {"type": "string"}, "Score": _COUNT}, "Host", "Score"),
}
_NOT_BOTH = {"not": {"required": ["busy", "free"]}}


def _request(service: Service, properties: Schema, needed: str) -> Schema:
    """Return a request with the fields that say which nodes, and when to stop."""
    limit = {"type": "number", "exclusiveMinimum": 0, "maximum": service.time_limit}
    take = "Make the chosen nodes busy; not with busy or free."
    of_nodes = dict.fromkeys(("exclude", "free", "busy"), _HOSTLIST) | {
        "time_limit": limit,
        "take": {"type": "boolean", "description": take},
    }
    return _NOT_BOTH | _object(properties | of_nodes, needed)


def _content(schema: Schema, media: str = "application/json") -> Schema:
    return {"content": {media: {"schema": schema}}}


def _operation(
    name: str, says: str, answer: Schema, refused: tuple[int, ...], body: Schema | None
) -> Schema:
    problem = _content({"$ref": "#/components/schemas/Problem"}, PROBLEM)
    operation: Schema = {
        "operationId": name,
        "summary": says,
        "responses": {
            "200": {"description": "Done."} | answer,
            **{
                str(status): {"description": _REFUSED[status]} | problem
                for status in (*refused, *_ALWAYS, *(_OF_BODIES if body else ()))
            },
        },
    }
    if body:
        operation["requestBody"] = {"required": True} | _content(body)
    return operation


def document(service: Service) -> dict[str, Any]:
    """Return the document, as OpenAPI 3.1."""
    size = {"type": "integer", "minimum": 1, "maximum": MOST_K}
    levels = {"type": "object", "additionalProperties": size, "maxProperties": 64}
    wish = {
        "k": size | {"description": "Nodes wanted."},
        "objective": {"enum": [one.value for one in NO_LINKS]},
        "segment": size,
        "levels": levels,
        "require": _HOSTLIST,
    }
    select, place = (
        _request(service, wish, "k"),
        _request(service, {"job": _JOB}, "job"),
    )
    found, placed, changed = map(_content, (_ANSWER, _PLACED, _CHANGED))
    state = _content(_object(_WHOLE_STATE, *_WHOLE_STATE))
    health = _content(_object({"status": {"const": "ok"}}, "status", more=True))
    text, this = (
        _content({"type": "string"}, "text/plain"),
        _content({"type": "object"}),
    )
    parts = "Place a job of several parts on whole nodes."
    some = "Set nodes busy or free."
    sieve, sieved = f"Filter {_FOR}", _content(_EXTENDER_RESULT)
    scores = f"Score {_FOR}", _content(_PRIORITIES)
    whole = "Say of every node whether it is free."
    rows: tuple[tuple[str, str, str, Schema, tuple[int, ...], Schema | None], ...] = (
        ("post /select", "select", "Choose nodes.", found, _OF_CHOICES, select),
        ("post /jobs", "place", parts, placed, _OF_CHOICES, place),
        ("get /state", "state", "Return which nodes are free.", state, (503,), None),
        ("post /state", "change", some, changed, (409, 422), _DELTA),
        ("put /state", "replace", whole, changed, (422,), _WHOLE),
        ("post /extender/filter", "filter", sieve, sieved, _OF_PODS, _EXTENDER_ARGS),
        ("post /extender/prioritize", "prioritize", *scores, _OF_PODS, _EXTENDER_ARGS),
        ("get /healthz", "health", "Return that it runs.", health, (), None),
        ("get /metrics", "metrics", "Return metrics for Prometheus.", text, (), None),
        ("get /openapi.json", "describe", "Return this document.", this, (), None),
    )
    paths: dict[str, Schema] = {}
    for where, name, says, answer, refused, body in rows:
        method, path = where.split()
        one = _operation(name, says, answer, refused, body)
        paths.setdefault(path, {})[method] = one
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "closeknit",
            "version": version("closeknit"),
            "description": "Chooses nodes of a cluster that lie close together.",
        },
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
