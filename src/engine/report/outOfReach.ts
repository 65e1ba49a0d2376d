/** Which physical partitions cannot be reached, because the database that has them cannot. */
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";

export interface OutOfReach {
  /** The database, by the name that people call it. */
  readonly endpoint: string;
  /** `database/container` and the range id behind a blank. */
  readonly partitions: readonly string[];
}

export function outOfReach(
  { placement }: Pick<PartitionStore, "placement">,
  catalog: Pick<Catalog, "containers">,
): readonly OutOfReach[] {
  const away = placement?.endpoints.filter(({ isReachable }) => !isReachable) ?? [];
  return away.map(({ name }) => ({
    endpoint: name,
    partitions: catalog
      .containers()
      .flatMap(({ databaseId, definition, partitions }) =>
        [...partitions.values()]
          .filter(({ entry }) => placement?.endpointOf(entry.part) === name)
          .map(({ entry }) => `${databaseId}/${definition.id} ${entry.id}`),
      ),
  }));
}
