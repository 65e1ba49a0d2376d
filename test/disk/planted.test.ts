/**
 * Bugs that a store could have about a full disk, put in on purpose: the runs that look for lost
 * writes, and for writes that stay refused, find each of them.
 */
import { expect, test } from "vitest";
import type { FaultRunOptions } from "../crash/faultRun.ts";
import { runWithFault } from "../crash/faultRun.ts";
import type { Wiring } from "../crash/machine.ts";
import { overriding } from "../crash/machine.ts";

interface Planted {
  readonly bug: string;
  readonly operations: FaultRunOptions["operations"];
  readonly wiring: Wiring;
}

const isNoRoom = (error: unknown): boolean => String(error).includes("ENOSPC");

const PLANTED: readonly Planted[] = [
  {
    bug: "acknowledges what there was no room for",
    operations: ["append"],
    wiring: {
      disk: (disk) =>
        overriding(disk, {
          create: async (name, bytes) => {
            const file = await disk.create(name, bytes);
            const append = async (more: Uint8Array): Promise<void> => {
              await file.append(more).catch((error: unknown) => {
                if (!isNoRoom(error)) throw error;
              });
            };
            return overriding(file, { append });
          },
        }),
    },
  },
  {
    bug: "takes a segment for absorbed that the tables had no room for",
    operations: ["absorb"],
    wiring: {
      bottom: (bottom) =>
        overriding(bottom, {
          absorb: async (...what) => {
            await bottom.absorb(...what).catch((error: unknown) => {
              if (!isNoRoom(error)) throw error;
            });
          },
        }),
    },
  },
  {
    bug: "never notices that there is room again",
    operations: ["append"],
    wiring: {
      disk: (disk) =>
        overriding(disk, {
          trial: async () => {
            await disk.trial();
            throw new Error("ENOSPC");
          },
        }),
    },
  },
];

test.each(PLANTED)("a store that $bug is found out", async ({ operations, wiring }) => {
  const found: string[] = [];
  for (let first = 1; first <= 12 && found.length === 0; first++) {
    const fault = { code: "ENOSPC", operations, first, count: 2, seed: first } as const;
    // Without the bug the same run finds nothing.
    await runWithFault(fault);
    await runWithFault({ ...fault, planted: wiring }).catch((error: unknown) => {
      found.push(String(error));
    });
  }
  expect(found.join()).toMatch(/violation|asAcknowledged|to be undefined|damaged/);
});
