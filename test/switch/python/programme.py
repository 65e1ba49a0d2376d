"""An application with the official Python SDK that goes on through a switch of names.

It goes by the key /pk all the time. Each line on standard output is a word, a tab and more: "round"
when one is over, "failed" with a call and what came of it, "kept" with an item that was acknowledged.
"""

import os

from azure.cosmos import CosmosClient, exceptions

ROUNDS = int(os.environ["SWITCH_ROUNDS"])
client = CosmosClient(os.environ["COSMOS_ENDPOINT"], os.environ["COSMOS_KEY"])
items = client.get_database_client("d").get_container_client("c")
kept = {}


def say(*words):
    print("\t".join(str(word) for word in words), flush=True)


def attempt(name, run):
    try:
        return run()
    except Exception as problem:  # pylint: disable=broad-except
        status = getattr(problem, "status_code", "")
        why = f"{type(problem).__name__} {status} {problem}".replace("\n", " ").replace("\t", " ")
        say("failed", name, why[:400])
        return None


def check(name, found, expected):
    if found is not None and found != expected:
        say("failed", name, f"found {found}, expected {expected}")


def write(name, item, run):
    if attempt(name, run) is not None:
        kept[item["id"]] = item["n"]


def numbers(rows):
    return [row["n"] for row in rows]


def absent(item_id, key):
    try:
        items.read_item(item_id, key)
    except exceptions.CosmosResourceNotFoundError:
        return True
    return False


def one_round(number):
    key = f"p{number % 5}"
    item = {"id": f"a{number}", "pk": key, "tenant": f"t{number % 7}", "n": 0}
    item_id = item["id"]
    write("create", item, lambda: items.create_item(item))
    check("read", attempt("read", lambda: items.read_item(item_id, key)["n"]), 0)
    item["n"] = 1
    write("replace", item, lambda: items.replace_item(item_id, item))
    item["n"] = 2
    write("upsert", item, lambda: items.upsert_item(item))
    item["n"] = 3
    change = [{"op": "incr", "path": "/n", "value": 1}]
    write("patch", item, lambda: items.patch_item(item_id, key, change))
    text = "SELECT * FROM c WHERE c.id = @id"
    named = [{"name": "@id", "value": item_id}]
    by_key = attempt(
        "query by key",
        lambda: numbers(items.query_items(text, parameters=named, partition_key=key)),
    )
    check("query by key", by_key, [3])
    across = attempt(
        "query across partitions",
        lambda: numbers(
            items.query_items(text, parameters=named, enable_cross_partition_query=True)
        ),
    )
    check("query across partitions", across, [3])
    passing = {**item, "id": f"b{number}"}
    write("create", passing, lambda: items.create_item(passing))
    if attempt("delete", lambda: items.delete_item(passing["id"], key) or True) is not None:
        kept.pop(passing["id"], None)
        check("read what is deleted", attempt("gone", lambda: absent(passing["id"], key)), True)
    pair = [{**item, "id": f"{side}{number}", "n": 7} for side in ("x", "y")]
    batch = [("create", (one,)) for one in pair]
    if attempt("batch", lambda: items.execute_item_batch(batch, key)) is not None:
        kept.update({one["id"]: one["n"] for one in pair})
    if number % 5 == 0:
        ordered = "SELECT VALUE c.id FROM c ORDER BY c.id"
        ids = attempt(
            "ORDER BY across partitions",
            lambda: list(items.query_items(ordered, enable_cross_partition_query=True)),
        )
        check("ORDER BY across partitions", ids, sorted(kept))


seen = set()
token = None


def read_changes():
    global token
    start = {"continuation": token} if token else {"start_time": "Beginning"}
    for row in items.query_items_change_feed(**start):
        seen.add(row["id"])
    token = items.client_connection.last_response_headers["etag"]


items.read()
for number in range(ROUNDS):
    one_round(number)
    if number % 5 == 0:
        attempt("change feed", read_changes)
    say("round", number)
attempt("change feed", read_changes)
check("change feed", sorted(set(kept) - seen)[:5], [])
for item_id, n in kept.items():
    say("kept", item_id, n)
say("over", len(kept))
