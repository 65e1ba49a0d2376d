import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.models.PartitionKey;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.CosmosDBEmulatorContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.utility.DockerImageName;

/**
 * Testcontainers for Java, module azure. The module fetches whom to trust from the container and
 * puts it into the trust store of this process, so the client needs no setting, in direct mode too.
 */
@Testcontainers
class OrdersTest {
  private static final DockerImageName IMAGE =
      DockerImageName.parse("orrery:0.1.0")
          .asCompatibleSubstituteFor("mcr.microsoft.com/cosmosdb/linux/azure-cosmos-emulator");

  @Container
  private static final CosmosDBEmulatorContainer COSMOS = new CosmosDBEmulatorContainer(IMAGE);

  @Test
  void anOrderIsFoundAgain() {
    try (CosmosClient client =
        new CosmosClientBuilder()
            .endpoint(COSMOS.getEmulatorEndpoint())
            .key(COSMOS.getEmulatorLocalKey())
            .buildClient()) {
      client.createDatabaseIfNotExists("shop");
      var database = client.getDatabase("shop");
      database.createContainerIfNotExists("orders", "/customerId");
      var orders = database.getContainer("orders");
      orders.createItem(Map.of("id", "1", "customerId", "ada", "total", 12.5));
      var order = orders.readItem("1", new PartitionKey("ada"), Map.class).getItem();
      assertEquals(12.5, order.get("total"));
    }
  }
}
