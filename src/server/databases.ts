/**
 * The databases that hold the data of a server. Each has some of the parts, and one the catalogue.
 */
import type { FleetMember } from "../store/fleet/fleetStore.ts";
import { formFleet } from "../store/fleet/formFleet.ts";
import type { Notify } from "../store/notice.ts";
import type { PartitionStore } from "../store/partitionStore.ts";
import { hasCatalog } from "../store/postgres/catalogHome.ts";
import { Session } from "../store/postgres/session.ts";
import { realRandom } from "./surroundings/realWorld.ts";
import { endpointName, storeUrls } from "./surroundings/storeOption.ts";

export type Urls = readonly [string, ...string[]];

const CONNECT_MS = 5000;

/**
 * The databases in the order in which they are opened: first the one with the catalogue, whatever
 * its place, so that servers that are told of them in another order meet there; then by name, so
 * that of two servers one gets all of them. Where there is no catalogue yet the first one gets it.
 */
export async function inOrder(store: string | readonly string[]): Promise<Urls> {
  const urls = storeUrls(store);
  const looks = await Promise.allSettled(
    urls.map((url) => hasCatalog(() => Session.open({ url, connectMs: CONNECT_MS }))),
  );
  const found = looks.findIndex((look) => look.status === "fulfilled" && look.value);
  const failed = looks.find((look) => look.status === "rejected");
  if (found < 0 && failed !== undefined) throw failed.reason;
  const home = urls[Math.max(found, 0)]!;
  const others = urls.filter((url) => url !== home);
  return [home, ...others.toSorted((a, b) => (endpointName(a) < endpointName(b) ? -1 : 1))];
}

/**
 * One store of the first database, which is open, and of the others, which are opened. When that
 * fails all of them are closed.
 */
export async function joinDatabases(
  first: PartitionStore,
  [home, ...others]: Urls,
  open: (url: string) => Promise<PartitionStore>,
): Promise<PartitionStore> {
  const members: [FleetMember, ...FleetMember[]] = [{ name: endpointName(home), store: first }];
  try {
    for (const url of others) members.push({ name: endpointName(url), store: await open(url) });
    return await formFleet(members, realRandom);
  } catch (error) {
    await Promise.allSettled(members.map(({ store }) => store.close()));
    throw error;
  }
}

/** Where there are several databases, a notice says which of them it is about. */
export function noticesOf(url: string, urls: readonly string[], notify: Notify): Notify {
  if (urls.length === 1) return notify;
  const place = endpointName(url);
  return (notice) => {
    const isTrouble = notice.kind === "began" || notice.kind === "ended";
    notify(isTrouble ? { ...notice, trouble: { ...notice.trouble, place } } : notice);
  };
}
