/**
 * Lists that are kept beside the browser tab, one for each container: there after a reload, and
 * gone when somebody signs out. What cannot be read is not there.
 */

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

interface KeptList<T> {
  /** `database/container`. */
  readonly of: string;
  readonly list: readonly T[];
}

const CONTAINER_COUNT_MAX = 20;

export function readList<T>(storage: Storage, key: string, of: string): readonly T[] {
  return readLists<T>(storage, key).find((kept) => kept.of === of)?.list ?? [];
}

/** Of the containers that were looked at last. */
export function keepList<T>(storage: Storage, key: string, { of, list }: KeptList<T>): void {
  const others = readLists<T>(storage, key).filter((kept) => kept.of !== of);
  const own = list.length === 0 ? [] : [{ of, list }];
  storage.setItem(key, JSON.stringify([...own, ...others].slice(0, CONTAINER_COUNT_MAX)));
}

function readLists<T>(storage: Storage, key: string): readonly KeptList<T>[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? (kept as KeptList<T>[]) : [];
  } catch {
    return [];
  }
}
