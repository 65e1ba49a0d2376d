import com.azure.cosmos.ConsistencyLevel;
import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosItemIdentity;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.CosmosPermissionProperties;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.CosmosStoredProcedureProperties;
import com.azure.cosmos.models.CosmosStoredProcedureRequestOptions;
import com.azure.cosmos.models.CosmosTriggerProperties;
import com.azure.cosmos.models.CosmosUserDefinedFunctionProperties;
import com.azure.cosmos.models.CosmosUserProperties;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyBuilder;
import com.azure.cosmos.models.PartitionKeyDefinition;
import com.azure.cosmos.models.PartitionKeyDefinitionVersion;
import com.azure.cosmos.models.PartitionKind;
import com.azure.cosmos.models.PermissionMode;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.azure.cosmos.models.ThroughputProperties;
import com.azure.cosmos.models.TriggerOperation;
import com.azure.cosmos.models.TriggerType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What an application does with the official Java SDK, once through, against one server: in
 * gateway mode, or in direct mode, which is the SDK's default, with -Ddirect=true.
 *
 * <p>Endpoint and key come from COSMOS_ENDPOINT and COSMOS_KEY; nothing else here knows which
 * server it is. Each operation is one line on standard output: its name, a tab, and "ok" or what
 * went wrong. Steps go on after a failure, so that one run says all there is to say.
 */
public final class Programme {
    private interface Step {
        void run() throws Exception;
    }

    private static final List<String> COUNTRIES =
        List.of("at", "be", "ch", "de", "es", "fr", "gr", "hu");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String name = "java-" + UUID.randomUUID().toString().substring(0, 8);
    private final CosmosClient client = builder().key(System.getenv("COSMOS_KEY")).buildClient();
    private CosmosDatabase database;
    private CosmosContainer items;

    public static void main(String[] arguments) {
        Programme programme = new Programme();
        programme.make();
        programme.write();
        programme.patch();
        programme.query();
        programme.batch();
        programme.feed();
        programme.throughput();
        programme.scripts();
        programme.permissions();
        step("delete database", programme::cleanup);
        programme.client.close();
        System.exit(0); // Threads of the SDK would keep the process for a while.
    }

    private static CosmosClientBuilder builder() {
        CosmosClientBuilder builder = new CosmosClientBuilder()
            .endpoint(System.getenv("COSMOS_ENDPOINT"))
            .consistencyLevel(ConsistencyLevel.SESSION)
            .contentResponseOnWriteEnabled(true);
        return Boolean.getBoolean("direct") ? builder : builder.gatewayMode();
    }

    private void make() {
        step("create database", () -> {
            client.createDatabase(name);
            database = client.getDatabase(name);
            same(database.read().getProperties().getId(), name);
        });
        step("create container with several ranges", () -> {
            database.createContainer(
                new CosmosContainerProperties("items", "/country"),
                ThroughputProperties.createManualThroughput(21000));
            items = database.getContainer("items");
            same(items.getFeedRanges().size() > 1, true);
        });
        step("hierarchical partition key", () -> {
            PartitionKeyDefinition definition = new PartitionKeyDefinition();
            definition.setPaths(List.of("/tenant", "/user"));
            definition.setKind(PartitionKind.MULTI_HASH);
            definition.setVersion(PartitionKeyDefinitionVersion.V2);
            database.createContainer(new CosmosContainerProperties("tree", definition));
            CosmosContainer tree = database.getContainer("tree");
            for (String user : List.of("a", "b")) {
                tree.createItem(JSON.createObjectNode()
                    .put("id", user).put("tenant", "t").put("user", user));
            }
            PartitionKey whole = new PartitionKeyBuilder().add("t").add("b").build();
            same(tree.readItem("b", whole, JsonNode.class).getItem().get("user").asText(), "b");
            PartitionKey prefix = new PartitionKeyBuilder().add("t").build();
            List<String> found = tree
                .queryItems("SELECT VALUE c.id FROM c", in(prefix), String.class)
                .stream().sorted().toList();
            same(found, List.of("a", "b"));
        });
    }

    private void write() {
        step("create items", () -> {
            for (int number = 0; number < 80; number += 1) {
                ObjectNode made = item("i" + number, COUNTRIES.get(number % 8)).put("n", number);
                made.putArray("tags").add("new");
                same(items.createItem(made).getStatusCode(), 201);
            }
        });
        step("read item", () -> same(read("i9", "be").get("n").asInt(), 9));
        step("upsert item", () -> {
            items.upsertItem(item("u", "at").put("n", 1));
            same(items.upsertItem(item("u", "at").put("n", 2)).getItem().get("n").asInt(), 2);
        });
        step("replace item", () -> {
            ObjectNode body = item("u", "at").put("n", 3);
            CosmosItemRequestOptions options = new CosmosItemRequestOptions();
            same(items.replaceItem(body, "u", key("at"), options).getStatusCode(), 200);
        });
        step("conditional replace, 412", () -> {
            String etag = read("u", "at").get("_etag").asText();
            CosmosItemRequestOptions options = new CosmosItemRequestOptions().setIfMatchETag(etag);
            ObjectNode body = item("u", "at").put("n", 4);
            items.replaceItem(body, "u", key("at"), options);
            refused(412, () -> items.replaceItem(body, "u", key("at"), options));
        });
        step("delete item, 404", () -> {
            items.deleteItem("u", key("at"), new CosmosItemRequestOptions());
            refused(404, () -> read("u", "at"));
        });
        step("create twice, 409", () ->
            refused(409, () -> items.createItem(item("i0", "at"))));
    }

    private void patch() {
        step("patch", () -> {
            CosmosPatchOperations operations = CosmosPatchOperations.create()
                .set("/colour", "red").add("/tags/-", "old").remove("/n")
                .add("/visits", 1).increment("/visits", 4);
            JsonNode found = items
                .patchItem("i0", key("at"), operations, JsonNode.class).getItem();
            same(found.get("colour").asText(), "red");
            same(found.get("tags").size(), 2);
            same(found.get("visits").asInt(), 5);
            same(found.has("n"), false);
        });
        step("patch with condition, 412", () -> {
            CosmosPatchOperations more = CosmosPatchOperations.create().increment("/visits", 1);
            CosmosPatchItemRequestOptions options = new CosmosPatchItemRequestOptions();
            options.setFilterPredicate("FROM c WHERE c.visits = 5");
            JsonNode found = items
                .patchItem("i0", key("at"), more, options, JsonNode.class).getItem();
            same(found.get("visits").asInt(), 6);
            refused(412,
                () -> items.patchItem("i0", key("at"), more, options, JsonNode.class));
        });
    }

    private void query() {
        step("query in one partition", () -> {
            String text = "SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n";
            List<Integer> found =
                items.queryItems(text, in(key("be")), Integer.class).stream().toList();
            same(found, List.of(25, 33, 41, 49, 57, 65, 73));
        });
        step("query across partitions", () ->
            same(numbers("SELECT VALUE c.n FROM c WHERE c.n < 10").stream().sorted().toList(),
                IntStream.range(1, 10).boxed().toList()));
        step("query ORDER BY across partitions", () ->
            same(numbers("SELECT VALUE c.n FROM c ORDER BY c.n DESC"),
                IntStream.range(0, 79).map(index -> 79 - index).boxed().toList()));
        step("query aggregates", () -> {
            same(numbers("SELECT VALUE COUNT(1) FROM c"), List.of(80));
            same(numbers("SELECT VALUE SUM(c.n) FROM c"), List.of(3160));
            same(numbers("SELECT VALUE MAX(c.n) FROM c"), List.of(79));
            same(numbers("SELECT VALUE AVG(c.n) FROM c WHERE c.n <= 9"), List.of(5));
        });
        step("query DISTINCT", () -> {
            String text = "SELECT DISTINCT VALUE c.country FROM c";
            List<String> found = items
                .queryItems(text, new CosmosQueryRequestOptions(), String.class)
                .stream().sorted().toList();
            same(found, COUNTRIES);
        });
        step("query GROUP BY", () -> {
            String text = "SELECT c.country, COUNT(1) AS c FROM c GROUP BY c.country";
            List<JsonNode> found = items
                .queryItems(text, new CosmosQueryRequestOptions(), JsonNode.class)
                .stream().toList();
            same(found.size(), 8);
            same(found.stream().allMatch(row -> row.get("c").asInt() == 10), true);
        });
        step("query OFFSET LIMIT across partitions", () ->
            same(numbers("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 10 LIMIT 3"),
                List.of(11, 12, 13)));
        step("query with parameters", () -> {
            SqlQuerySpec text = new SqlQuerySpec(
                "SELECT VALUE c.id FROM c WHERE c.n = @n AND ARRAY_CONTAINS(c.tags, @tag)",
                new SqlParameter("@n", 17), new SqlParameter("@tag", "new"));
            List<String> found = items
                .queryItems(text, new CosmosQueryRequestOptions(), String.class)
                .stream().toList();
            same(found, List.of("i17"));
        });
        step("query page by page with continuation", this::paging);
        step("read many", () -> {
            List<CosmosItemIdentity> wanted = new ArrayList<>();
            for (int n = 0; n < 80; n += 3) {
                wanted.add(new CosmosItemIdentity(key(COUNTRIES.get(n % 8)), "i" + n));
            }
            wanted.add(new CosmosItemIdentity(key("at"), "nobody"));
            FeedResponse<JsonNode> found = items.readMany(wanted, JsonNode.class);
            same(found.getResults().size(), 27);
        });
        step("read all items of a partition key", () ->
            same(items.readAllItems(key("be"), JsonNode.class).stream().count(), 10L));
    }

    private void paging() {
        List<Integer> found = new ArrayList<>();
        String continuation = null;
        do {
            FeedResponse<Integer> page = items
                .queryItems("SELECT VALUE c.n FROM c ORDER BY c.n",
                    new CosmosQueryRequestOptions(), Integer.class)
                .iterableByPage(continuation, 9).iterator().next();
            found.addAll(page.getResults());
            continuation = page.getContinuationToken();
        } while (continuation != null);
        same(found, IntStream.range(1, 80).boxed().toList());
    }

    private void batch() {
        step("transactional batch", () -> {
            CosmosBatch batch = CosmosBatch.createCosmosBatch(key("ch"));
            batch.createItemOperation(item("b1", "ch").put("n", 100));
            batch.upsertItemOperation(item("b2", "ch").put("n", 101));
            batch.readItemOperation("b1");
            batch.patchItemOperation("b2", CosmosPatchOperations.create().increment("/n", 1));
            batch.deleteItemOperation("b1");
            same(codes(items.executeCosmosBatch(batch)), List.of(201, 201, 200, 200, 204));
            same(read("b2", "ch").get("n").asInt(), 102);
        });
        step("transactional batch, rolled back", () -> {
            CosmosBatch batch = CosmosBatch.createCosmosBatch(key("ch"));
            batch.createItemOperation(item("b3", "ch"));
            batch.createItemOperation(item("b2", "ch"));
            CosmosBatchResponse found = items.executeCosmosBatch(batch);
            same(found.isSuccessStatusCode(), false);
            same(codes(found), List.of(424, 409));
            refused(404, () -> read("b3", "ch"));
        });
    }

    private void feed() {
        String[] continuation = new String[1];
        step("change feed from the beginning", () -> {
            CosmosChangeFeedRequestOptions from = CosmosChangeFeedRequestOptions
                .createForProcessingFromBeginning(FeedRange.forFullRange());
            Set<String> names = new HashSet<>();
            continuation[0] = drain(from, names);
            same(IntStream.range(0, 80).allMatch(n -> names.contains("i" + n)), true);
        });
        step("change feed with continuation", () -> {
            items.upsertItem(item("later", "gr"));
            Set<String> names = new HashSet<>();
            drain(CosmosChangeFeedRequestOptions
                .createForProcessingFromContinuation(continuation[0]), names);
            same(names, Set.of("later"));
        });
        step("change feed per feed range", () -> {
            List<String> names = new ArrayList<>();
            for (FeedRange range : items.getFeedRanges()) {
                drain(CosmosChangeFeedRequestOptions
                    .createForProcessingFromBeginning(range), names);
            }
            same(names.size(), 82);
            same(new HashSet<>(names).size(), 82);
        });
        step("change feed of one partition key", () -> {
            List<String> names = new ArrayList<>();
            drain(CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(
                FeedRange.forLogicalPartition(key("be"))), names);
            same(names.size(), 10);
        });
    }

    /** Reads until there is nothing more; where to go on from. */
    private String drain(
            CosmosChangeFeedRequestOptions options, java.util.Collection<String> names) {
        String continuation = null;
        for (FeedResponse<JsonNode> page
                : items.queryChangeFeed(options, JsonNode.class).iterableByPage()) {
            page.getResults().forEach(change -> names.add(change.get("id").asText()));
            continuation = page.getContinuationToken();
        }
        return continuation;
    }

    private void throughput() {
        step("read and replace throughput", () -> {
            same(items.readThroughput().getProperties().getManualThroughput(), 21000);
            ThroughputProperties rate = ThroughputProperties.createManualThroughput(22000);
            same(items.replaceThroughput(rate).getProperties().getManualThroughput(), 22000);
        });
        step("autoscale throughput", () -> {
            ThroughputProperties rate = ThroughputProperties.createAutoscaledThroughput(4000);
            database.createContainer(new CosmosContainerProperties("auto", "/id"), rate);
            CosmosContainer auto = database.getContainer("auto");
            same(auto.readThroughput().getProperties().getAutoscaleMaxThroughput(), 4000);
        });
        step("delete by partition key", () -> {
            items.deleteAllItemsByPartitionKey(key("hu"), new CosmosItemRequestOptions());
            same(items.readAllItems(key("hu"), JsonNode.class).stream().count(), 0L);
        });
    }

    private void scripts() {
        step("stored procedure", () -> {
            items.getScripts().createStoredProcedure(new CosmosStoredProcedureProperties("make", """
                function (name) {
                  var context = getContext(), container = context.getCollection();
                  var body = { id: name, country: "at", made: "here" };
                  container.createDocument(container.getSelfLink(), body, function (error, made) {
                    if (error) throw error;
                    context.getResponse().setBody({ id: made.id });
                  });
                }"""));
            CosmosStoredProcedureRequestOptions options = new CosmosStoredProcedureRequestOptions()
                .setPartitionKey(key("at"));
            String found = items.getScripts().getStoredProcedure("make")
                .execute(List.of("made"), options).getResponseAsString();
            same(JSON.readTree(found).get("id").asText(), "made");
            same(read("made", "at").get("made").asText(), "here");
        });
        step("pre-trigger", () -> {
            CosmosTriggerProperties stamp = new CosmosTriggerProperties("stamp", """
                function () {
                  var request = getContext().getRequest(), item = request.getBody();
                  item.stamped = true;
                  request.setBody(item);
                }""");
            stamp.setTriggerType(TriggerType.PRE).setTriggerOperation(TriggerOperation.CREATE);
            items.getScripts().createTrigger(stamp);
            CosmosItemRequestOptions options = new CosmosItemRequestOptions()
                .setPreTriggerInclude(List.of("stamp"));
            items.createItem(item("stamped", "at"), key("at"), options);
            same(read("stamped", "at").get("stamped").asBoolean(), true);
        });
        step("user-defined function in a query", () -> {
            items.getScripts().createUserDefinedFunction(new CosmosUserDefinedFunctionProperties(
                "double", "function (n) { return 2 * n; }"));
            same(numbers("SELECT VALUE udf.double(c.n) FROM c WHERE c.n < 5")
                .stream().sorted().toList(), List.of(2, 4, 6, 8));
        });
    }

    private void permissions() {
        step("user and permission, resource token", () -> {
            CosmosPermissionProperties right = grantReading();
            try (CosmosClient limited = builder().permissions(List.of(right)).buildClient()) {
                CosmosContainer open = limited.getDatabase(name).getContainer("items");
                JsonNode found = open.readItem("i1", key("be"), JsonNode.class).getItem();
                same(found.get("n").asInt(), 1);
                refused(403, () -> open.createItem(item("no", "be")));
            }
        });
    }

    /** Permissions are made by the asynchronous client only. */
    private CosmosPermissionProperties grantReading() {
        database.createUser(new CosmosUserProperties().setId("reader"));
        CosmosPermissionProperties wanted = new CosmosPermissionProperties()
            .setId("read").setPermissionMode(PermissionMode.READ).setContainerName("items");
        try (CosmosAsyncClient async =
                builder().key(System.getenv("COSMOS_KEY")).buildAsyncClient()) {
            return async.getDatabase(name).getUser("reader")
                .createPermission(wanted, null).block().getProperties();
        }
    }

    private void cleanup() throws Exception {
        database.delete();
        refused(404, () -> database.read());
    }

    private JsonNode read(String id, String country) {
        return items.readItem(id, key(country), JsonNode.class).getItem();
    }

    /** All rows of a query across partitions; numbers that come as fractions are cut. */
    private List<Integer> numbers(String text) {
        return items.queryItems(text, new CosmosQueryRequestOptions(), JsonNode.class)
            .stream().map(JsonNode::asInt).collect(Collectors.toList());
    }

    private static List<Integer> codes(CosmosBatchResponse response) {
        return response.getResults().stream().map(result -> result.getStatusCode()).toList();
    }

    private static ObjectNode item(String id, String country) {
        return JSON.createObjectNode().put("id", id).put("country", country);
    }

    private static PartitionKey key(String country) {
        return new PartitionKey(country);
    }

    private static CosmosQueryRequestOptions in(PartitionKey key) {
        return new CosmosQueryRequestOptions().setPartitionKey(key);
    }

    private static void step(String name, Step step) {
        try {
            step.run();
            System.out.println(name + "\tok");
        } catch (Throwable problem) {
            String why = problem.getClass().getSimpleName() + ": " + problem.getMessage();
            String line = why.replaceAll("\\s+", " ");
            System.out.println(name + "\t" + line.substring(0, Math.min(400, line.length())));
        }
    }

    private static void same(Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    /** In gateway mode the SDK has one type for all refusals; the status says which it is. */
    private static void refused(int status, Step step) throws Exception {
        try {
            step.run();
        } catch (CosmosException problem) {
            same(problem.getStatusCode(), status);
            return;
        }
        throw new AssertionError("was not refused with " + status);
    }
}
