"""Rows of the config `sessions` by hand, with no more in them than is measured."""


def make_node(node_id, actor_type, *spans):
    return {
        "id": node_id,
        "actor": "claude" if actor_type == "ai" else "user",
        "actor_type": actor_type,
        "occurrences": [{"start": start, "end": end} for start, end in spans],
    }


def make_event(node_id, start, end):
    return {"node_id": node_id, "start": start, "end": end}


def make_segment(key, step, start, end):
    return {"key": key, "step": step, "start": start, "end": end}


def make_edges(*pairs):
    return [{"source": a, "target": b, "type": "sequential"} for a, b in pairs]


def make_row(nodes=(), *, edges=(), segments=(), responses=(), ratings=(), **columns):
    return {
        "session_id": "P01_S1",
        "participant_id": "P01",
        "session": 1,
        "sector": "Legal",
        "steps": [
            {"number": number, "collaboration": {"rating": rating}}
            for number, rating in enumerate(ratings, start=1)
        ],
        "segments": list(segments),
        "graph": {"nodes": list(nodes), "edges": list(edges)},
        "responses": list(responses),
        **columns,
    }
