/**
 * The whole engine in a simulated world, from a seed: clients, queries and feeds over splits and
 * merges, throttling, full logical partitions, changes of rates and policies, power cuts. One
 * seed here; ORRERY_STORM_COUNT runs more, from ORRERY_STORM_SEED on. A failing seed fails again.
 */
import { expect, test, vi } from "vitest";
import { lsn } from "../../src/base/units.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { AdoptedVersion } from "../../src/store/partitionStore.ts";
import { isVersion } from "../../src/store/partitionStore.ts";
import { Budget } from "../../src/throughput/budget.ts";
import type { Wiring } from "../crash/machine.ts";
import type { StormReport } from "./storm.ts";
import { runStorm } from "./storm.ts";

const SEED = Number(process.env["ORRERY_STORM_SEED"] ?? 1);
const COUNT = Number(process.env["ORRERY_STORM_COUNT"] ?? 1);
const TIME_MAX = 24 * 3_600_000;

/** What is rare in a single storm; the rest happens in each. */
const RARE = ["full", "deleted", "splitsBySize", "overtaken"];
const RARE_COUNT = 20;

let first: StormReport | undefined;

test(
  `${COUNT} storms from seed ${SEED} on break no promise`,
  async () => {
    const total: Record<string, number> = {};
    for (let seed = SEED; seed < SEED + COUNT; seed++) {
      const report = await runStorm(seed);
      first ??= report;
      expect(report.violation).toBeUndefined();
      for (const [name, count] of Object.entries(report.counts)) {
        total[name] = (total[name] ?? 0) + count;
      }
    }
    process.stdout.write(`storm: ${COUNT} seeds, ${JSON.stringify(total)}\n`);
    // A storm in which nothing happens proves nothing.
    for (const [name, count] of Object.entries(total)) {
      if (COUNT >= RARE_COUNT || !RARE.includes(name)) expect(count, name).toBeGreaterThan(0);
    }
  },
  TIME_MAX,
);

test(
  "the same seed gives the same history",
  async () => {
    const again = await runStorm(SEED);
    expect(again).toEqual(first ?? (await runStorm(SEED)));
    expect(again.eventCount).toBeGreaterThan(1000);
  },
  TIME_MAX,
);

type Adopt = EmbeddedStore["adopt"];

/** Changes what new physical partitions are given. */
function adopting(change: (adopt: Adopt) => Adopt): Wiring {
  return {
    store: (store) => {
      store.adopt = change(store.adopt.bind(store));
    },
  };
}

function changing(change: (version: AdoptedVersion) => readonly AdoptedVersion[]): Wiring {
  return adopting((adopt) => (part, epoch, versions, throughLsn) => {
    return adopt(part, epoch, versions.filter(isVersion).flatMap(change), throughLsn);
  });
}

let count = 0;
const isOneOf = (many: number): boolean => ++count % many === 0;

test.each<{ readonly bug: string; readonly wiring: Wiring }>([
  {
    bug: "a split that loses an item",
    wiring: changing((version) => (isOneOf(50) ? [] : [version])),
  },
  {
    bug: "a split that loses a term",
    wiring: changing((version) => {
      if (version.write.kind === "delete") return [version];
      const termsAdded = version.write.termsAdded.slice(1);
      return [{ ...version, write: { ...version.write, termsAdded } }];
    }),
  },
  {
    bug: "a split that gives a version another LSN",
    wiring: adopting((adopt) => (part, epoch, versions, throughLsn) => {
      const moved = versions
        .filter(isVersion)
        .map((version) => ({ ...version, lsn: lsn(version.lsn + 1) }));
      return adopt(part, epoch, moved, lsn(throughLsn + 1));
    }),
  },
  {
    bug: "a split after which LSNs begin anew",
    wiring: adopting((adopt) => (part, epoch, versions, throughLsn) => {
      return versions.length === 0
        ? adopt(part, epoch, [], lsn(1))
        : adopt(part, epoch, versions, throughLsn);
    }),
  },
])(
  "the same checks catch $bug",
  async ({ wiring }) => {
    expect(await violationWith(wiring)).toBeDefined();
  },
  TIME_MAX,
);

test(
  "the same checks catch a budget that lets too much be spent",
  async () => {
    const settle = Budget.prototype.settle;
    const spy = vi.spyOn(Budget.prototype, "settle").mockImplementation(function (
      this: Budget,
      charge,
      caller,
      now,
    ) {
      settle.call(this, (charge * 0.5) as typeof charge, caller, now);
    });
    try {
      expect(await violationWith({})).toMatch(/spent beyond/);
    } finally {
      spy.mockRestore();
    }
  },
  TIME_MAX,
);

async function violationWith(wiring: Wiring): Promise<string | undefined> {
  for (let seed = 1; seed <= 12; seed++) {
    const { violation } = await runStorm(seed, wiring);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
