/** Where data is kept if not in a directory: the address of a database, and how it is shown. */

interface StoreOptions {
  readonly store?: string | undefined;
  readonly standby?: boolean | undefined;
  readonly memory?: boolean | undefined;
}

/** What is wrong with these options, if something is. */
export function storeComplaint({ store, standby, memory }: StoreOptions): string | undefined {
  if (store === undefined) {
    return standby === true ? "standby waits for a database; name one with store." : undefined;
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
