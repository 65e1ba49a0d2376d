// Aspire, with Orrery as a process: no container runtime. Resources that wait for it are started
// when its health endpoint says that data is served.
const string key =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

var builder = DistributedApplication.CreateBuilder(args);

var orrery = builder
    .AddExecutable("orrery", "npx", ".", "orrery", "start", "--data", ".orrery")
    .WithHttpEndpoint(port: 8081, targetPort: 8081, isProxied: false)
    .WithHttpHealthCheck("/ready");

var cosmos = builder.AddConnectionString(
    "cosmos",
    ReferenceExpression.Create($"AccountEndpoint=http://127.0.0.1:8081/;AccountKey={key};"));

builder.AddProject<Projects.Shop>("shop")
    .WithReference(cosmos)
    .WaitFor(orrery);

builder.Build().Run();
