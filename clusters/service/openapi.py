"""The OpenAPI document of the service."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from ...scheduler.http.problems import MEDIA as PROBLEM
from ..placement import MOST_K
from ..placement.request import OF_TREES
from .service import Service

Schema = dict[str, Any]

_HOSTLIST: Schema = {
    "type": "string",
    "description": "Nodes in Slurm's notation, such as n[01-12],login1.",
}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SEQUENCE: Schema = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
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


def _object(properties: Schema, *required: str, more: bool = False) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": more,
    }


_STATE = _object(
    {
        "source": {"type": "string", "description": "Where the state is from."},
        "not_free": {"type": "object", "additionalProperties": _COUNT},
        "must_boot": _COUNT,
        "planned": _COUNT,
        "notes": {"type": "array", "items": {"type": "string"}},
    },
    "source",
)
_ANSWER = _object(
    {
        "topology": {"type": "string"},
        "nodes": _COUNT,
        "free": _COUNT,
        "k": _COUNT,
        "objective": {"type": "string"},
        "status": {"enum": ["optimal", "feasible", "infeasible", "unknown"]},
        "hostlist": _HOSTLIST,
        "chosen": {"type": "array", "items": {"type": "string"}},
        "cost": _PARTS,
        "bound": _PARTS,
        "proof": {"type": "string"},
        "limit": {"type": "string"},
        "seconds": {"type": "number"},
        "state_age": {
            "type": "number",
            "description": "Seconds since the last step; missing if there was none.",
        },
        "state": _STATE,
        "take": {"type": "integer", "description": "Of the nodes that are taken."},
    },
    *("topology", "nodes", "free", "k", "objective", "status", "seconds"),
)
_STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
_PLACED = _object(
    {
        "topology": {"type": "string"},
        "job": {"type": "string"},
        "pods": _COUNT,
        "roles": {"type": "object", "additionalProperties": _COUNT},
        "fits": {"type": "boolean"},
        "status": {"enum": ["optimal", "feasible", "infeasible", "unknown"]},
        "placement": {"type": "object", "additionalProperties": _STRINGS},
        "hostlist": _HOSTLIST,
        "cost": _PARTS,
        "bound": _PARTS,
        "proof": {"type": "string"},
        "limit": {"type": "string"},
        "clash": {"type": "object", "description": "Constraints that clash."},
        "seconds": {"type": "number"},
        "state_age": {"type": "number"},
        "state": _STATE,
        "take": {"type": "integer", "description": "Of the nodes that are taken."},
    },
    *("topology", "job", "pods", "roles", "status", "seconds"),
)
_JOB = _object(
    {
        "format": {"const": "closeknit/job"},
        "version": {"const": 1, "type": "integer"},
        "name": {"type": "string"},
        "device": {"type": "string"},
        "roles": {"type": "array", "items": {"type": "object"}, "minItems": 1},
        "constraints": {"type": "array", "items": {"type": "object"}},
        "objective": {"type": "array"},
    },
    *("format", "version", "roles"),
)
_TAKEN = _object(
    {"take": _COUNT, "nodes": _HOSTLIST, "seconds": {"type": "number"}},
    *("take", "nodes", "seconds"),
)
_PROBLEM = _object(
    {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string"},
        "sequence": _SEQUENCE,
        "answer": {"anyOf": [_ANSWER, _PLACED]},
    },
    *("type", "title", "status", "detail"),
)
_CHANGED = _object(
    {"sequence": _SEQUENCE, "free_nodes": _COUNT, "state": _STATE},
    *("sequence", "free_nodes"),
)
_LISTS = {"busy": _HOSTLIST, "free": _HOSTLIST, "sequence": _SEQUENCE}
_DELTA = _object(_LISTS) | {"anyOf": [{"required": ["busy"]}, {"required": ["free"]}]}
_WITH_REPORTS = _LISTS | {
    "reports": {
        "type": "array",
        "items": {"type": "object"},
        "description": "What sinfo, squeue or kubectl print as JSON.",
    },
    "assume_up": {"type": "boolean"},
    "reservation": {"type": "string"},
    "no_boot": {"type": "boolean"},
    "tolerate": {"type": "array", "items": {"type": "string"}},
}
_WHOLE = {
    "oneOf": [
        _object(_LISTS, "busy") | {"not": {"required": ["free"]}},
        _object(_LISTS, "free") | {"not": {"required": ["busy"]}},
        _object(_WITH_REPORTS, "reports"),
    ]
}


_NAMES: Schema = {"type": ["array", "null"], "items": {"type": "string"}}
_REASONS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
_EXTENDER_ARGS = _object(
    {
        "Pod": {"type": "object"},
        "Nodes": {"type": ["object", "null"]},
        "NodeNames": _NAMES,
    },
    "Pod",
)
_EXTENDER_RESULT = _object(
    {
        "Nodes": {"type": ["object", "null"]},
        "NodeNames": _NAMES,
        "FailedNodes": _REASONS,
        "FailedAndUnresolvableNodes": _REASONS,
        "Error": {"type": "string"},
    }
)
_PRIORITIES: Schema = {
    "type": "array",
    "items": _object({"Host": {"type": "string"}, "Score": _COUNT}, "Host", "Score"),
}


_NOT_BOTH = {"not": {"required": ["busy", "free"]}}


def _of_nodes(service: Service) -> Schema:
    """Return the fields that say which nodes may be chosen, and when to stop."""
    limit = {"type": "number", "exclusiveMinimum": 0, "maximum": service.time_limit}
    return {
        "exclude": _HOSTLIST,
        "free": _HOSTLIST,
        "busy": _HOSTLIST,
        "time_limit": limit,
        "take": {
            "type": "boolean",
            "description": "Make the chosen nodes busy; not with busy or free.",
        },
    }


def _request(service: Service) -> Schema:
    size = {"type": "integer", "minimum": 1, "maximum": MOST_K}
    return _NOT_BOTH | _object(
        {
            "k": size | {"description": "Nodes wanted."},
            "objective": {"enum": [one.value for one in OF_TREES]},
            "segment": size,
            "levels": {
                "type": "object",
                "additionalProperties": size,
                "maxProperties": 64,
            },
            "require": _HOSTLIST,
            **_of_nodes(service),
        },
        "k",
    )


def _content(schema: Schema, media: str = "application/json") -> Schema:
    return {"content": {media: {"schema": schema}}}


def _operation(
    name: str, says: str, answer: Schema, *refused: int, body: Schema | None = None
) -> Schema:
    operation: Schema = {
        "operationId": name,
        "summary": says,
        "responses": {
            "200": {"description": "Done."} | answer,
            **{
                str(status): {"description": _REFUSED[status]}
                | _content({"$ref": "#/components/schemas/Problem"}, PROBLEM)
                for status in (
                    *refused,
                    400,
                    401,
                    403,
                    *((408, 413, 415) if body else ()),
                )
            },
        },
    }
    if body:
        operation["requestBody"] = {"required": True} | _content(body)
    return operation


def document(service: Service) -> dict[str, Any]:
    """Return the document, as OpenAPI 3.1."""
    state = _object(
        {
            "sequence": _SEQUENCE,
            "nodes": _COUNT,
            "free_nodes": _COUNT,
            "free": _HOSTLIST,
            "busy": _HOSTLIST,
            "state": _STATE,
            "taken": {"type": "array", "items": _TAKEN},
        },
        *("sequence", "nodes", "free_nodes", "free", "busy", "state", "taken"),
    )
    health = _object({"status": {"const": "ok"}}, "status", more=True)
    text = _content({"type": "string"}, "text/plain")
    changed = _content(_CHANGED)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "closeknit",
            "version": version("closeknit"),
            "description": "Chooses nodes of a cluster that lie close together.",
        },
        "security": [{"token": []}, {}],
        "paths": {
            "/select": {
                "post": _operation(
                    "select",
                    "Choose nodes for a job.",
                    _content(_ANSWER),
                    *(409, 422, 503),
                    body=_request(service),
                )
            },
            "/jobs": {
                "post": _operation(
                    "place",
                    "Place a job of several parts on whole nodes.",
                    _content(_PLACED),
                    *(409, 422, 503),
                    body=_NOT_BOTH
                    | _object({"job": _JOB, **_of_nodes(service)}, "job"),
                )
            },
            "/state": {
                "get": _operation(
                    "state", "Return which nodes are free.", _content(state), 503
                ),
                "post": _operation(
                    "change", "Set nodes busy or free.", changed, 409, 422, body=_DELTA
                ),
                "put": _operation(
                    "replace",
                    "Say of every node whether it is free.",
                    changed,
                    422,
                    body=_WHOLE,
                ),
            },
            **{
                f"/extender/{name}": {
                    "post": _operation(
                        name,
                        f"{says} nodes for kube-scheduler (extender/v1).",
                        _content(found),
                        *(422, 503),
                        body=_EXTENDER_ARGS,
                    )
                }
                for name, says, found in (
                    ("filter", "Filter", _EXTENDER_RESULT),
                    ("prioritize", "Score", _PRIORITIES),
                )
            },
            "/healthz": {
                "get": _operation("health", "Return that it runs.", _content(health))
            },
            "/metrics": {
                "get": _operation("metrics", "Return metrics for Prometheus.", text)
            },
            "/openapi.json": {
                "get": _operation(
                    "describe", "Return this document.", _content({"type": "object"})
                )
            },
        },
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
