/**
 * The pages of the imitated service's documentation that rules are based on and alerts point to.
 */

export interface DocsPage {
  readonly title: string;
  readonly url: string;
}

type Topic =
  | "partitioning"
  | "hierarchicalKeys"
  | "syntheticKeys"
  | "normalizedRu"
  | "throttling"
  | "quotas"
  | "logicalStorage"
  | "queries"
  | "scaling"
  | "manualOrAutoscale"
  | "merge";

export const DOCS_PAGES: Readonly<Record<Topic, DocsPage>> = {
  partitioning: page("Partitioning and horizontal scaling", "partitioning"),
  hierarchicalKeys: page("Hierarchical partition keys", "hierarchical-partition-keys"),
  syntheticKeys: page("Create a synthetic partition key", "synthetic-partition-keys"),
  normalizedRu: page("Monitor normalized request units", "monitor-normalized-request-units"),
  throttling: page(
    "Troubleshoot request rate too large exceptions",
    "troubleshoot-request-rate-too-large",
  ),
  quotas: page("Service quotas and default limits", "concepts-limits"),
  logicalStorage: page(
    "Alerts on the storage of a logical partition key",
    "how-to-alert-on-logical-partition-key-storage-size",
  ),
  queries: page("Query a container", "how-to-query-container"),
  scaling: page(
    "Best practices for scaling provisioned throughput",
    "scaling-provisioned-throughput-best-practices",
  ),
  manualOrAutoscale: page("How to choose between manual and autoscale", "how-to-choose-offer"),
  merge: page("Merge partitions", "merge"),
};

function page(title: string, name: string): DocsPage {
  return { title, url: `https://learn.microsoft.com/azure/cosmos-db/${name}` };
}
