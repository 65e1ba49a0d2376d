/** Where data is kept if not in a directory: addresses of databases, and how they are shown. */

interface StoreOptions {
  readonly store?: string | readonly string[] | undefined;
  readonly standby?: boolean | undefined;
  readonly memory?: boolean | undefined;
  readonly nodeHost?: string | undefined;
  readonly nodePort?: number | undefined;
  readonly init?: unknown;
}

/** What is wrong with these options, if something is. */
export function storeComplaint(options: StoreOptions): string | undefined {
  const { store, standby, memory, nodeHost, nodePort } = options;
  if (store === undefined) {
    if (standby === true) return "standby waits for a database; name one with store.";
    if ((nodeHost ?? nodePort) === undefined) return undefined;
    return "nodeHost and nodePort are for nodes that share a database; name one with store.";
  }
  if (standby === true && options.init !== undefined) {
    return "standby and init exclude each other: a seed is made by the node that works.";
  }
  if (memory === true) {
    return "memory and store exclude each other: data is kept or thrown away.";
  }
  const urls = storeUrls(store);
  if (urls.length === 0 || !urls.every(isDatabase)) {
    return "store is no address of a database; one is postgres://user:password@host:5432/orrery.";
  }
  const names = urls.map(endpointName);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `store names the database ${twice} twice.`;
}

/** One address for each database; they may stand behind one another, with commas between them. */
export function storeUrls(store: string | readonly string[]): readonly string[] {
  return [store]
    .flat()
    .flatMap((text) => text.split(/,(?=\s*postgres(?:ql)?:)/))
    .map((text) => text.trim());
}

/** The addresses without the passwords. */
export function storePlace(store: string | readonly string[]): string {
  return storeUrls(store).map(placeOf).join(", ");
}

/** What people call a database: where it is, and its name there. */
export function endpointName(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || "5432"}${pathname}`;
}

function isDatabase(url: string): boolean {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  return protocol === "postgres:" || protocol === "postgresql:";
}

function placeOf(url: string): string {
  const shown = new URL(url);
  shown.password = "";
  shown.search = "";
  return shown.href;
}
