/** Where data is kept if not in a directory: the address of a database, and how it is shown. */

interface StoreOptions {
  readonly store?: string | undefined;
  readonly standby?: boolean | undefined;
  readonly memory?: boolean | undefined;
  readonly nodeHost?: string | undefined;
  readonly nodePort?: number | undefined;
}

/** What is wrong with these options, if something is. */
export function storeComplaint(options: StoreOptions): string | undefined {
  const { store, standby, memory, nodeHost, nodePort } = options;
  if (store === undefined) {
    if (standby === true) return "standby waits for a database; name one with store.";
    if ((nodeHost ?? nodePort) === undefined) return undefined;
    return "nodeHost and nodePort are for nodes that share a database; name one with store.";
  }
  if (memory === true) {
    return "memory and store exclude each other: data is kept or thrown away.";
  }
  const protocol = URL.canParse(store) ? new URL(store).protocol : undefined;
  if (protocol === "postgres:" || protocol === "postgresql:") return undefined;
  return "store is no address of a database; it is like postgres://user:password@host:5432/orrery.";
}

/** The address without the password. */
export function storePlace(url: string): string {
  const shown = new URL(url);
  shown.password = "";
  shown.search = "";
  return shown.href;
}
