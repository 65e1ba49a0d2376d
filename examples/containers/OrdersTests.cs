using Microsoft.Azure.Cosmos;
using Testcontainers.CosmosDb;
using Xunit;

/// <summary>
/// Testcontainers for .NET, packages Testcontainers.CosmosDb and Microsoft.Azure.Cosmos. The
/// module's own HTTP handler leads requests to the mapped port, so the client has to use gateway mode.
/// </summary>
public sealed class OrdersTests : IAsyncLifetime
{
    private readonly CosmosDbContainer _cosmos = new CosmosDbBuilder("orrery:0.1.0").Build();

    public async ValueTask InitializeAsync() => await _cosmos.StartAsync();

    public ValueTask DisposeAsync() => _cosmos.DisposeAsync();

    [Fact]
    public async Task AnOrderIsFoundAgain()
    {
        using var client = new CosmosClient(_cosmos.GetConnectionString(), new CosmosClientOptions
        {
            ConnectionMode = ConnectionMode.Gateway,
            HttpClientFactory = () => _cosmos.HttpClient,
        });
        Database database = await client.CreateDatabaseIfNotExistsAsync("shop");
        Container orders = await database.CreateContainerIfNotExistsAsync("orders", "/customerId");
        var order = new Order("1", "ada", 12.5);
        await orders.CreateItemAsync(order, new PartitionKey(order.customerId));
        Order read = await orders.ReadItemAsync<Order>("1", new PartitionKey("ada"));
        Assert.Equal(12.5, read.total);
    }

    private sealed record Order(string id, string customerId, double total);
}
