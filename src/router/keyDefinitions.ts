/**
 * Whether two containers can be hot and warm of each other: they are two, and have the same
 * partition key, so that an item and its copy are known by the same key and id.
 */
import { BadRoute } from "./badRoute.ts";
import { pathOf } from "./routeRequest.ts";
import type { RoutedContainer } from "./routeTypes.ts";

/** What a container of the official client has besides, and others may not. */
interface NamedContainer {
  readonly url?: unknown;
  readonly database?: { readonly client?: unknown };
  read?(): Promise<{ readonly resource?: { readonly partitionKey?: KeyDefinition } }>;
}

interface KeyDefinition {
  readonly paths?: readonly string[];
}

export function checkDifferent(hot: RoutedContainer, warm: RoutedContainer): void {
  for (const [name, container] of Object.entries({ hot, warm })) {
    if (typeof container?.items?.query === "function") continue;
    throw new BadRoute(`${name}: a container is needed, such as database.container("feeds").`);
  }
  const [one, other] = [hot as NamedContainer, warm as NamedContainer];
  const isSameName =
    typeof one.url === "string" &&
    one.url === other.url &&
    one.database?.client === other.database?.client;
  if (hot !== warm && !isSameName) return;
  throw new BadRoute("hot and warm are the same container. Name two, or use routeOver for one.");
}

/** `paths`: those that the router was told. */
export async function checkDefinitions(
  containers: { readonly hot: RoutedContainer; readonly warm: RoutedContainer },
  paths: readonly string[],
): Promise<void> {
  for (const [name, container] of Object.entries(containers)) {
    const { read } = container as NamedContainer;
    if (read === undefined) {
      throw new BadRoute(`${name}: it cannot read its definition, so nothing can be checked.`);
    }
    const { resource } = await read.call(container);
    const own = (resource?.partitionKey?.paths ?? []).map((path) => pathOf("paths", path));
    if (own.join(" ") === paths.join(" ")) continue;
    throw new BadRoute(
      `${name}: its partition key is ${own.join(", ")}, and the router was told ` +
        `${paths.join(", ")}. Hot and warm need the same partition key.`,
    );
  }
}
