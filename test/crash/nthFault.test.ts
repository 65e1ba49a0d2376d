/**
 * The n-th disk operation fails, for n = 1, 2, 3 and so on until a run ends without having got
 * that far: every call site has failed once. A bad disk stops the writing and nothing else; a full
 * one is waited out. What was acknowledged stays readable, and is found after a restart.
 */
import { expect, test } from "vitest";
import type { Operation } from "./faultPlan.ts";
import type { FaultRunOptions } from "./faultRun.ts";
import { runWithFault } from "./faultRun.ts";

type Fault = Omit<FaultRunOptions, "seed" | "first">;

const WRITING: readonly Operation[] = ["create", "append"];
const ALL: readonly Operation[] = [
  "names",
  "read",
  "create",
  "append",
  "close",
  "remove",
  "absorb",
];
const SEEDS_PER_OPERATION = process.env["ORRERY_CRASH"] === "full" ? 40 : 1;

const FAULTS: readonly { readonly what: string; readonly fault: Fault }[] = [
  { what: "an error", fault: { code: "EIO", operations: ALL, count: 1 } },
  { what: "errors from then on", fault: { code: "EIO", operations: ALL, count: 1000 } },
  {
    what: "an error, and the power soon after",
    fault: { code: "EIO", operations: ALL, count: 1, isCutSoon: true },
  },
  {
    what: "an error of a write that reached the disk all the same",
    fault: { code: "EIO", operations: ["append"], count: 1, isLanded: true },
  },
  { what: "a full disk, once", fault: { code: "ENOSPC", operations: WRITING, count: 1 } },
  { what: "a full disk, for a while", fault: { code: "ENOSPC", operations: WRITING, count: 6 } },
  {
    what: "a full disk, and the power soon after",
    fault: { code: "ENOSPC", operations: WRITING, count: 1, isCutSoon: true },
  },
  {
    what: "a full disk that kept what it refused",
    fault: { code: "ENOSPC", operations: ["append"], count: 1, isLanded: true },
  },
  {
    what: "a full disk that kept what it refused, and the power soon after",
    fault: { code: "ENOSPC", operations: ["append"], count: 1, isLanded: true, isCutSoon: true },
  },
  {
    what: "a full disk that says so when a file is closed",
    fault: { code: "ENOSPC", operations: ["close"], count: 1 },
  },
  {
    what: "a disk too full to absorb a segment, for a while",
    fault: { code: "ENOSPC", operations: ["absorb"], count: 2 },
  },
];

test.each(FAULTS)("$what", async ({ fault }) => {
  const failed = new Set<Operation>();
  for (let first = 1, isReached = true; isReached; first++) {
    isReached = false;
    for (let seed = 0; seed < SEEDS_PER_OPERATION; seed++) {
      const plan = await withSeed({ ...fault, first, seed: first * 1000 + seed });
      if (plan.failedOperation === undefined) continue;
      isReached = true;
      failed.add(plan.failedOperation);
    }
  }
  expect([...failed].sort()).toEqual([...fault.operations].sort());
});

async function withSeed(options: FaultRunOptions): ReturnType<typeof runWithFault> {
  try {
    return await runWithFault(options);
  } catch (error) {
    throw new Error(`operation ${options.first}, seed ${options.seed}: ${String(error)}`, {
      cause: error,
    });
  }
}
