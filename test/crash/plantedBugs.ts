/**
 * Bugs put in on purpose: a checker that has never failed proves nothing. Each is a mistake that
 * somebody has made in a real database.
 */
import type { Lsn } from "../../src/base/units.ts";
import type { Disk } from "../../src/store/disk.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { AdoptedVersion, ItemWrite, WriteGroup } from "../../src/store/partitionStore.ts";
import { isVersion } from "../../src/store/partitionStore.ts";
import type { Wiring } from "./machine.ts";
import { overriding, ticks } from "./machine.ts";

interface PlantedBug {
  readonly name: string;
  readonly wiring: Wiring;
  /** An account adopts into parts that nobody knows yet, and never the end of what is not there. */
  readonly isHiddenFromAccounts?: boolean;
}

/** How long a lying disk keeps in memory what it has acknowledged. */
const LAG_TICKS = 20;

/** Answers before the bytes are durable; they follow, one append after the other. */
function earlyDisk(disk: Disk): Disk {
  return overriding(disk, {
    async create(name, bytes) {
      const file = await disk.create(name, bytes);
      let last = Promise.resolve();
      return overriding(file, {
        append: async (more) => {
          last = last.then(() => ticks(LAG_TICKS)).then(() => file.append(more));
        },
        close: async () => {
          await last;
          return file.close();
        },
      });
    },
  });
}

function withoutOneTerm(groups: readonly WriteGroup[]): readonly WriteGroup[] {
  const drop = (write: ItemWrite): ItemWrite =>
    write.kind === "put" ? { ...write, termsAdded: write.termsAdded.slice(1) } : write;
  return groups.map((group) => group.map(drop));
}

function endingWhatIsHere(
  store: EmbeddedStore,
  part: number,
  version: AdoptedVersion,
): AdoptedVersion {
  const { write } = version;
  const here = store.get(part, write.key);
  if (write.kind !== "delete" || here === undefined) return version;
  return {
    ...version,
    write: { ...write, before: { lsn: here.lsn, bodyBytes: here.body.length } },
  };
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  { name: "a disk that acknowledges before it is durable", wiring: { disk: earlyDisk } },
  {
    name: "a new segment that is used before its name is durable",
    wiring: {
      disk: (disk) =>
        overriding(disk, {
          async create(name, bytes) {
            const made = ticks(LAG_TICKS).then(() => disk.create(name, bytes));
            return {
              append: async (more) => {
                void made.then((file) => file.append(more));
              },
              close: async () => (await made).close(),
            };
          },
        }),
    },
  },
  {
    name: "tables that say a segment is absorbed when it is not",
    wiring: { bottom: (bottom) => overriding(bottom, { absorb: async () => undefined }) },
  },
  {
    name: "a store that forgets a term",
    wiring: {
      store: (store) => {
        const commit = store.commit.bind(store);
        store.commit = (part, epoch, groups, terms) =>
          commit(part, epoch, withoutOneTerm(groups), terms);
      },
    },
  },
  {
    name: "tables that know nothing of tallies",
    wiring: { bottom: (bottom) => overriding(bottom, { tally: () => undefined }) },
  },
  {
    name: "tables that lose what is kept",
    isHiddenFromAccounts: true,
    wiring: {
      bottom: (bottom) =>
        overriding(bottom, {
          entries: (part, table, ...rest) =>
            table === "versions" ? [].values() : bottom.entries(part, table, ...rest),
        }),
    },
  },
  {
    name: "a store that adopts versions one at a time",
    isHiddenFromAccounts: true,
    wiring: {
      store: (store) => {
        const adopt = store.adopt.bind(store);
        store.adopt = async (part, epoch, versions, throughLsn) => {
          for (const one of versions) await adopt(part, epoch, [one], throughLsn);
          return adopt(part, epoch, [], throughLsn);
        };
      },
    },
  },
  {
    name: "a store that takes the end of an item from elsewhere for one of its own",
    isHiddenFromAccounts: true,
    wiring: {
      store: (store) => {
        const adopt = store.adopt.bind(store);
        store.adopt = (part, epoch, versions, throughLsn) =>
          adopt(
            part,
            epoch,
            versions.filter(isVersion).map((one) => endingWhatIsHere(store, part, one)),
            throughLsn,
          );
      },
    },
  },
  {
    name: "a store that writes a group one item at a time",
    wiring: {
      store: (store) => {
        const commit = store.commit.bind(store);
        store.commit = async (part, epoch, groups, terms) => {
          const lsns: Lsn[] = [];
          for (const group of groups) {
            for (const write of group) await commit(part, epoch, [[write]], terms);
            lsns.push(store.head(part)!.lsn);
          }
          return { head: store.head(part)!, lsns };
        };
      },
    },
  },
];
