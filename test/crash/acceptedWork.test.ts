/**
 * The power goes one step after a split or a merge was asked for, two steps, three, until it is
 * over before that. Whatever was accepted comes to an end after the restart, and whatever ended
 * stays so. Every ninth step here, every step with ORRERY_CRASH=full.
 */
import { describe, expect, test } from "vitest";
import type { AcceptedReport, AcceptedRun } from "./acceptedWork.ts";
import { runAccepted } from "./acceptedWork.ts";

const STRIDE = process.env["ORRERY_CRASH"] === "full" ? 1 : 17;
/** More than a job of these takes: about 450. */
const TICKS_MAX = 700;

describe.each(["split", "merge"] as const)("a %s that was accepted", (kind) => {
  test("goes on after a power cut at any step", async () => {
    const { known, endings } = await everyStep({ kind, isDeleted: false });
    expect([...known].sort()).toEqual(["accepted", "ended", "nothing"]);
    expect([...endings].filter((state) => state !== undefined)).toEqual(["done"]);
  });

  test("ends when its container is deleted, whenever the power goes", async () => {
    const { endings } = await everyStep({ kind, isDeleted: true });
    expect([...endings]).toContain("cancelled");
  });

  test("would be missed if nobody had put it down", async () => {
    const report = await runAccepted({
      kind,
      seed: 1,
      tickCount: 5,
      isDeleted: false,
      isHasty: true,
    });
    expect(report.violation).toMatch(/accepted and is forgotten/);
  });
});

/** Returns what askers knew at one cut or another, and what became of their jobs. */
async function everyStep(run: Pick<AcceptedRun, "kind" | "isDeleted">) {
  const known = new Set<AcceptedReport["known"]>();
  const endings = new Set<AcceptedReport["ending"]>();
  for (let tickCount = 1; tickCount < TICKS_MAX; tickCount += STRIDE) {
    const report = await runAccepted({ ...run, seed: tickCount, tickCount });
    expect(report.violation).toBeUndefined();
    known.add(report.known);
    endings.add(report.ending);
  }
  return { known, endings };
}
