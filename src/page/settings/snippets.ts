/** How to connect in each language, with the endpoint and the key filled in. */

interface Snippet {
  readonly language: string;
  readonly package: string;
  readonly code: string;
}

/** Stands for the key where it is not shown. */
export const MASK = "••••••••";

export function connectionString(endpoint: string, key: string): string {
  return `AccountEndpoint=${endpoint}/;AccountKey=${key};`;
}

/** `endpoint` has no slash at its end. */
export function snippetsFor(endpoint: string, key: string): readonly Snippet[] {
  return [
    {
      language: "JavaScript",
      package: "@azure/cosmos",
      code:
        'import { CosmosClient } from "@azure/cosmos";\n' +
        `const client = new CosmosClient({ endpoint: "${endpoint}", key: "${key}" });`,
    },
    {
      language: ".NET",
      package: "Microsoft.Azure.Cosmos",
      code:
        "CosmosClientOptions options = new() { ConnectionMode = ConnectionMode.Gateway };\n" +
        `CosmosClient client = new("${endpoint}", "${key}", options);`,
    },
    {
      language: "Java",
      package: "azure-cosmos",
      code:
        "CosmosClient client = new CosmosClientBuilder()\n" +
        `    .endpoint("${endpoint}")\n    .key("${key}")\n` +
        "    .gatewayMode()\n    .buildClient();" +
        (endpoint.startsWith("http:")
          ? "\n// java -DCOSMOS.HTTP_CONNECTION_WITHOUT_TLS_ALLOWED=true …"
          : ""),
    },
    {
      language: "Python",
      package: "azure-cosmos",
      code: `from azure.cosmos import CosmosClient\nclient = CosmosClient("${endpoint}", "${key}")`,
    },
    {
      language: "Go",
      package: "azcosmos",
      code:
        `credential, err := azcosmos.NewKeyCredential("${key}")\n` +
        `client, err := azcosmos.NewClientWithKey("${endpoint}", credential, nil)`,
    },
  ];
}
