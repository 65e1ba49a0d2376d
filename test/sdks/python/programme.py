"""What an application does with the official Python SDK, once through, against one server.

Endpoint and key come from COSMOS_ENDPOINT and COSMOS_KEY; nothing else here knows which server it
is. Each operation is one line on standard output: its name, a tab, and "ok" or what went wrong.
Steps go on after a failure, so that one run says all there is to say.
"""

import os
import uuid

from azure.core import MatchConditions
from azure.cosmos import CosmosClient, PartitionKey, ThroughputProperties, exceptions

ENDPOINT = os.environ["COSMOS_ENDPOINT"]
KEY = os.environ["COSMOS_KEY"]
COUNTRIES = ["at", "be", "ch", "de", "es", "fr", "gr", "hu"]


def step(name, run):
    """Runs one operation and says how it went."""
    try:
        run()
        print(f"{name}\tok", flush=True)
    except Exception as problem:  # pylint: disable=broad-except
        why = f"{type(problem).__name__}: {problem}".replace("\n", " ").replace("\t", " ")
        print(f"{name}\t{why[:400]}", flush=True)


def same(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


def refused(error, status, run):
    """The operation must fail with the SDK's own type for that status."""
    try:
        run()
    except error as problem:
        same(problem.status_code, status)
        return
    raise AssertionError(f"was not refused with {status}")


class Programme:
    """The steps, in order; later ones use what earlier ones made."""

    def __init__(self):
        self.client = CosmosClient(ENDPOINT, KEY)
        self.name = f"python-{uuid.uuid4().hex[:8]}"
        self.database = None
        self.items = None
        self.tree = None

    def run(self):
        self.make()
        self.write()
        self.patch()
        self.query()
        self.batch()
        self.feed()
        self.throughput()
        self.scripts()
        self.permissions()
        step("delete database", self.cleanup)

    def make(self):
        def database():
            self.database = self.client.create_database(self.name)
            same(self.database.read()["id"], self.name)

        def container():
            self.items = self.database.create_container(
                "items", PartitionKey(path="/country"), offer_throughput=21000
            )
            same(len(list(self.items.read_feed_ranges())) > 1, True)

        def hierarchical():
            self.tree = self.database.create_container(
                "tree", PartitionKey(path=["/tenant", "/user"], kind="MultiHash")
            )
            for user in ["a", "b"]:
                self.tree.create_item({"id": user, "tenant": "t", "user": user})
            same(self.tree.read_item("b", ["t", "b"])["user"], "b")
            found = self.tree.query_items("SELECT VALUE c.id FROM c", partition_key=["t"])
            same(sorted(found), ["a", "b"])

        step("create database", database)
        step("create container with several ranges", container)
        step("hierarchical partition key", hierarchical)

    def write(self):
        items = self.items

        def create():
            for number in range(80):
                country = COUNTRIES[number % 8]
                body = {"id": f"i{number}", "country": country, "n": number, "tags": ["new"]}
                same(items.create_item(body)["n"], number)

        def read():
            same(items.read_item("i9", "be")["n"], 9)

        def upsert():
            items.upsert_item({"id": "u", "country": "at", "n": 1})
            same(items.upsert_item({"id": "u", "country": "at", "n": 2})["n"], 2)

        def replace():
            same(items.replace_item("u", {"id": "u", "country": "at", "n": 3})["n"], 3)

        def conditional():
            before = items.read_item("u", "at")
            condition = {
                "etag": before["_etag"],
                "match_condition": MatchConditions.IfNotModified,
            }
            body = {"id": "u", "country": "at", "n": 4}
            items.replace_item("u", body, **condition)
            refused(
                exceptions.CosmosAccessConditionFailedError,
                412,
                lambda: items.replace_item("u", body, **condition),
            )

        def delete():
            items.delete_item("u", "at")
            missing = exceptions.CosmosResourceNotFoundError
            refused(missing, 404, lambda: items.read_item("u", "at"))

        def conflict():
            taken = exceptions.CosmosResourceExistsError
            refused(taken, 409, lambda: items.create_item({"id": "i0", "country": "at"}))

        step("create items", create)
        step("read item", read)
        step("upsert item", upsert)
        step("replace item", replace)
        step("conditional replace, 412", conditional)
        step("delete item, 404", delete)
        step("create twice, 409", conflict)

    def patch(self):
        operations = [
            {"op": "set", "path": "/colour", "value": "red"},
            {"op": "add", "path": "/tags/-", "value": "old"},
            {"op": "remove", "path": "/n"},
            {"op": "add", "path": "/visits", "value": 1},
            {"op": "incr", "path": "/visits", "value": 4},
        ]

        def patched():
            found = self.items.patch_item("i0", "at", operations)
            same((found["colour"], found["tags"], found["visits"]), ("red", ["new", "old"], 5))
            same("n" in found, False)

        def conditional():
            more = [{"op": "incr", "path": "/visits", "value": 1}]
            where = "FROM c WHERE c.visits = 5"
            found = self.items.patch_item("i0", "at", more, filter_predicate=where)
            same(found["visits"], 6)
            refused(
                exceptions.CosmosAccessConditionFailedError,
                412,
                lambda: self.items.patch_item("i0", "at", more, filter_predicate=where),
            )

        step("patch", patched)
        step("patch with condition, 412", conditional)

    def query(self):
        items = self.items

        def everywhere(text, **options):
            return list(items.query_items(text, enable_cross_partition_query=True, **options))

        def single():
            text = "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n"
            found = list(items.query_items(text, partition_key="be"))
            same(found, [25, 33, 41, 49, 57, 65, 73])

        def across():
            same(sorted(everywhere("SELECT VALUE c.n FROM c WHERE c.n < 10")), list(range(1, 10)))

        def ordered():
            found = everywhere("SELECT VALUE c.n FROM c ORDER BY c.n DESC", max_item_count=7)
            same(found, list(range(79, 0, -1)))

        def aggregates():
            same(everywhere("SELECT VALUE COUNT(1) FROM c"), [80])
            same(everywhere("SELECT VALUE SUM(c.n) FROM c"), [3160])
            same(everywhere("SELECT VALUE MAX(c.n) FROM c"), [79])
            same(everywhere("SELECT VALUE AVG(c.n) FROM c WHERE c.n <= 9"), [5])

        def distinct():
            found = everywhere("SELECT DISTINCT VALUE c.country FROM c")
            same(sorted(found), COUNTRIES)

        def groups():
            text = "SELECT c.country, COUNT(1) AS c FROM c GROUP BY c.country"
            found = list(items.query_items(text, partition_key="be"))
            same(found, [{"country": "be", "c": 10}])

        def parameters():
            text = "SELECT VALUE c.id FROM c WHERE c.n = @n AND ARRAY_CONTAINS(c.tags, @tag)"
            named = [{"name": "@n", "value": 17}, {"name": "@tag", "value": "new"}]
            same(everywhere(text, parameters=named), ["i17"])

        def paging():
            text = "SELECT VALUE c.n FROM c"
            found, continuation = [], None
            while True:
                pager = items.query_items(text, partition_key="be", max_item_count=3)
                pages = pager.by_page(continuation)
                page = list(next(pages))
                same(len(page) <= 3, True)
                found.extend(page)
                continuation = pages.continuation_token
                if not continuation:
                    break
            same(sorted(found), list(range(1, 80, 8)))

        def many():
            wanted = [(f"i{n}", COUNTRIES[n % 8]) for n in range(0, 80, 3)]
            found = items.read_items(wanted + [("nobody", "at")])
            same(sorted(item["id"] for item in found), sorted(name for name, _ in wanted))

        step("query in one partition", single)
        step("query across partitions", across)
        step("query ORDER BY across partitions", ordered)
        step("query aggregates", aggregates)
        step("query DISTINCT", distinct)
        step("query GROUP BY in one partition", groups)
        step("query with parameters", parameters)
        step("query page by page with continuation", paging)
        step("read many", many)

    def batch(self):
        items = self.items

        def commit():
            found = items.execute_item_batch(
                [
                    ("create", ({"id": "b1", "country": "ch", "n": 100},)),
                    ("upsert", ({"id": "b2", "country": "ch", "n": 101},)),
                    ("read", ("b1",)),
                    ("patch", ("b2", [{"op": "incr", "path": "/n", "value": 1}])),
                    ("delete", ("b1",)),
                ],
                partition_key="ch",
            )
            same([result["statusCode"] for result in found], [201, 201, 200, 200, 204])
            same(items.read_item("b2", "ch")["n"], 102)

        def roll_back():
            try:
                items.execute_item_batch(
                    [
                        ("create", ({"id": "b3", "country": "ch"},)),
                        ("create", ({"id": "b2", "country": "ch"},)),
                    ],
                    partition_key="ch",
                )
                raise AssertionError("was not refused")
            except exceptions.CosmosBatchOperationError as problem:
                same(problem.error_index, 1)
                codes = [result["statusCode"] for result in problem.operation_responses]
                same(codes, [424, 409])
            missing = exceptions.CosmosResourceNotFoundError
            refused(missing, 404, lambda: items.read_item("b3", "ch"))

        step("transactional batch", commit)
        step("transactional batch, rolled back", roll_back)

    def feed(self):
        items = self.items
        state = {}

        def beginning():
            changes = items.query_items_change_feed(start_time="Beginning")
            names = {item["id"] for item in changes}
            same({f"i{number}" for number in range(80)} <= names, True)
            state["continuation"] = items.client_connection.last_response_headers["etag"]

        def resumed():
            items.upsert_item({"id": "later", "country": "gr"})
            changes = items.query_items_change_feed(continuation=state["continuation"])
            same([item["id"] for item in changes], ["later"])

        def ranges():
            names = []
            for feed_range in items.read_feed_ranges():
                part = items.query_items_change_feed(
                    feed_range=feed_range, start_time="Beginning"
                )
                names.extend(item["id"] for item in part)
            same(len(names), len(set(names)))
            same(len(names), 82)

        def one_key():
            part = items.query_items_change_feed(partition_key="be", start_time="Beginning")
            same(len(list(part)), 10)

        step("change feed from the beginning", beginning)
        step("change feed with continuation", resumed)
        step("change feed per feed range", ranges)
        step("change feed of one partition key", one_key)

    def throughput(self):
        def replaced():
            same(self.items.get_throughput().offer_throughput, 21000)
            same(self.items.replace_throughput(22000).offer_throughput, 22000)

        def autoscale():
            rate = ThroughputProperties(auto_scale_max_throughput=4000)
            made = self.database.create_container(
                "auto", PartitionKey(path="/id"), offer_throughput=rate
            )
            same(made.get_throughput().auto_scale_max_throughput, 4000)

        def by_key():
            self.items.delete_all_items_by_partition_key("hu")
            left = self.items.query_items("SELECT VALUE COUNT(1) FROM c", partition_key="hu")
            same(list(left), [0])

        step("read and replace throughput", replaced)
        step("autoscale throughput", autoscale)
        step("delete by partition key", by_key)

    def scripts(self):
        items, scripts = self.items, self.items.scripts

        def procedure():
            body = """function (name) {
                var context = getContext(), container = context.getCollection();
                var body = { id: name, country: "at", made: "here" };
                container.createDocument(container.getSelfLink(), body, function (error, made) {
                    if (error) throw error;
                    context.getResponse().setBody({ id: made.id });
                });
            }"""
            scripts.create_stored_procedure({"id": "make", "body": body})
            found = scripts.execute_stored_procedure(
                "make", partition_key="at", params=["made"]
            )
            same(found, {"id": "made"})
            same(items.read_item("made", "at")["made"], "here")

        def trigger():
            body = """function () {
                var request = getContext().getRequest(), item = request.getBody();
                item.stamped = true;
                request.setBody(item);
            }"""
            scripts.create_trigger(
                {"id": "stamp", "body": body, "triggerType": "Pre", "triggerOperation": "Create"}
            )
            item = {"id": "stamped", "country": "at"}
            found = items.create_item(item, pre_trigger_include="stamp")
            same(found["stamped"], True)

        def function():
            scripts.create_user_defined_function(
                {"id": "double", "body": "function (n) { return 2 * n; }"}
            )
            found = items.query_items(
                "SELECT VALUE udf.double(c.n) FROM c WHERE c.n < 5",
                enable_cross_partition_query=True,
            )
            same(sorted(found), [2, 4, 6, 8])

        step("stored procedure", procedure)
        step("pre-trigger", trigger)
        step("user-defined function in a query", function)

    def permissions(self):
        def reader():
            user = self.database.create_user({"id": "reader"})
            right = user.create_permission(
                {"id": "read", "permissionMode": "Read", "resource": self.items.container_link}
            )
            token = right.properties["_token"]
            limited = CosmosClient(ENDPOINT, {self.items.container_link: token})
            items = limited.get_database_client(self.name).get_container_client("items")
            same(items.read_item("i1", "be")["n"], 1)
            refused(
                exceptions.CosmosHttpResponseError,
                403,
                lambda: items.create_item({"id": "no", "country": "be"}),
            )

        step("user and permission, resource token", reader)

    def cleanup(self):
        self.client.delete_database(self.name)
        missing = exceptions.CosmosResourceNotFoundError
        refused(missing, 404, self.database.read)


if __name__ == "__main__":
    Programme().run()
