import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An application with the official Java SDK that goes on through a switch of names.
 *
 * <p>It goes by the key /pk all the time. Each line on standard output is a word, a tab and more:
 * "round" when one is over, "failed" with a call and what came of it, "kept" with an item that was
 * acknowledged.
 */
public final class Programme {
    private interface Call<T> {
        T run() throws Exception;
    }

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, Integer> KEPT = new TreeMap<>();
    private static final Set<String> SEEN = new TreeSet<>();
    private static CosmosContainer items;
    private static String continuation;

    public static void main(String[] arguments) {
        CosmosClient client = new CosmosClientBuilder()
            .endpoint(System.getenv("COSMOS_ENDPOINT"))
            .key(System.getenv("COSMOS_KEY"))
            .gatewayMode()
            .contentResponseOnWriteEnabled(true)
            .buildClient();
        items = client.getDatabase("d").getContainer("c");
        items.read();
        int rounds = Integer.parseInt(System.getenv("SWITCH_ROUNDS"));
        for (int round = 0; round < rounds; round++) {
            oneRound(round);
            if (round % 5 == 0) attempt("change feed", Programme::readChanges);
            say("round", round);
        }
        attempt("change feed", Programme::readChanges);
        KEPT.keySet().stream().filter(id -> !SEEN.contains(id)).limit(5)
            .forEach(id -> say("failed", "change feed", id + " did not come"));
        KEPT.forEach((id, n) -> say("kept", id, n));
        System.exit(0); // Threads of the SDK would keep the process for a while.
    }

    private static void oneRound(int round) {
        ObjectNode item = JSON.createObjectNode()
            .put("id", "a" + round).put("pk", "p" + round % 5).put("tenant", "t" + round % 7);
        item.put("n", 0);
        String id = item.get("id").asText();
        PartitionKey key = new PartitionKey(item.get("pk").asText());
        CosmosItemRequestOptions none = new CosmosItemRequestOptions();
        wrote("create", item, () -> items.createItem(item, key, none));
        same("read", 0, () -> items.readItem(id, key, JsonNode.class).getItem().get("n").asInt());
        item.put("n", 1);
        wrote("replace", item, () -> items.replaceItem(item, id, key, none));
        item.put("n", 2);
        wrote("upsert", item, () -> items.upsertItem(item, key, none));
        item.put("n", 3);
        CosmosPatchOperations change = CosmosPatchOperations.create().increment("/n", 1);
        wrote("patch", item, () -> items.patchItem(id, key, change, JsonNode.class));
        SqlQuerySpec query = new SqlQuerySpec(
            "SELECT * FROM c WHERE c.id = @id", List.of(new SqlParameter("@id", id)));
        CosmosQueryRequestOptions inKey = new CosmosQueryRequestOptions().setPartitionKey(key);
        same("query by key", List.of(3), () -> numbers(query, inKey));
        same("query across partitions", List.of(3),
            () -> numbers(query, new CosmosQueryRequestOptions()));
        ObjectNode passing = item.deepCopy().put("id", "b" + round);
        wrote("create", passing, () -> items.createItem(passing, key, none));
        if (attempt("delete", () -> items.deleteItem("b" + round, key, none)) != null) {
            KEPT.remove("b" + round);
            same("read what is deleted", 404, () -> statusOf("b" + round, key));
        }
        CosmosBatch batch = CosmosBatch.createCosmosBatch(key);
        for (String side : List.of("x", "y")) {
            batch.createItemOperation(item.deepCopy().put("id", side + round).put("n", 7));
        }
        CosmosBatchResponse done = attempt("batch", () -> items.executeCosmosBatch(batch));
        if (done == null) return;
        if (!done.isSuccessStatusCode()) {
            say("failed", "batch", done.getStatusCode() + " " + done.getErrorMessage());
            return;
        }
        for (String side : List.of("x", "y")) KEPT.put(side + round, 7);
    }

    /** Goes on where it was, with the continuation that the SDK gave the last time. */
    private static Object readChanges() {
        CosmosChangeFeedRequestOptions options = continuation == null
            ? CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(FeedRange.forFullRange())
            : CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(continuation);
        for (FeedResponse<JsonNode> page
                : items.queryChangeFeed(options, JsonNode.class).iterableByPage()) {
            page.getResults().forEach(row -> SEEN.add(row.get("id").asText()));
            continuation = page.getContinuationToken();
        }
        return continuation;
    }

    private static List<Integer> numbers(SqlQuerySpec query, CosmosQueryRequestOptions options) {
        return items.queryItems(query, options, JsonNode.class).stream()
            .map(row -> row.get("n").asInt()).toList();
    }

    private static int statusOf(String id, PartitionKey key) {
        try {
            return items.readItem(id, key, JsonNode.class).getStatusCode();
        } catch (CosmosException problem) {
            return problem.getStatusCode();
        }
    }

    private static void wrote(String name, JsonNode item, Call<Object> call) {
        if (attempt(name, call) == null) return;
        KEPT.put(item.get("id").asText(), item.get("n").asInt());
    }

    private static <T> void same(String name, T expected, Call<T> call) {
        T found = attempt(name, call);
        if (found == null || found.equals(expected)) return;
        say("failed", name, "found " + found + ", expected " + expected);
    }

    private static <T> T attempt(String name, Call<T> call) {
        try {
            return call.run();
        } catch (CosmosException problem) {
            say("failed", name, problem.getStatusCode() + "/" + problem.getSubStatusCode() + " "
                + problem.getShortMessage());
        } catch (Exception problem) {
            say("failed", name, problem);
        }
        return null;
    }

    private static void say(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            String text = String.valueOf(word).replace('\n', ' ').replace('\t', ' ');
            line.append(line.length() == 0 ? "" : "\t")
                .append(text, 0, Math.min(text.length(), 400));
        }
        System.out.println(line);
    }
}
