/** Rules about the storage of the server: faults of the disk, and what was found damaged. */
import { HOUR_MS } from "../../base/units.ts";
import { countText } from "../../base/wording.ts";
import { absent, fine, guidance, SEVERITIES, type ServerRule, serverRule } from "./alertRule.ts";
import type { StorageIncident, StorageReport, StorageTrouble } from "./storageReport.ts";

const NOTHING_KEPT = "Nothing is kept on a disk.";
const NO_PLACES = { partitionIds: [], partitionKeys: [] } as const;

const storageFault = serverRule({
  id: "storageFault",
  title: "The disk is in the way of writes",
  fires:
    "The disk is full, read-only or broken, or the data directory is gone: writes are refused. " +
    "Warning if a write has merely been under way for more than `stalledSeconds`.",
  severities: ["warning", "critical"],
  window: "now",
  forSeconds: 0,
  clearSeconds: 0,
  thresholds: {
    stalledSeconds: guidance(5, "seconds", "without an answer of the disk to a write"),
  },
  docs: [],
  find({ storage }, values) {
    if (storage === undefined) return absent(NOTHING_KEPT);
    const secondsOf = ({ since }: { since: number }): number =>
      Math.max(0, storage.at - since) / 1000;
    const isMeant = (trouble: StorageTrouble): boolean =>
      trouble.kind !== "stalled" || secondsOf(trouble) >= values.stalledSeconds;
    const worst = storage.troubles
      .filter(isMeant)
      .toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))[0];
    if (worst === undefined) return fine("The disk takes what is written.");
    const { severity, says, todo } = worst;
    const figures = { sinceSeconds: secondsOf(worst) };
    return { kind: "trouble", severity, says, todo, evidence: { figures, ...NO_PLACES } };
  },
});

const droppedTail = serverRule({
  id: "droppedTail",
  title: "The end of the journal was dropped",
  fires:
    "When the server started, the end of a journal file was not whole: what a kill, a power cut " +
    "or a full disk leaves of a write that nobody was told of. Shown for `shownHours`.",
  severities: ["info"],
  window: "now",
  forSeconds: 0,
  clearSeconds: 0,
  thresholds: { shownHours: guidance(24, "hours", "after the start of the server") },
  docs: [],
  find({ storage }, values) {
    if (storage === undefined) return absent(NOTHING_KEPT);
    const recent = recentOf(storage.droppedTails, storage, values.shownHours);
    const last = recent.at(-1);
    if (last === undefined) return fine("The journal was whole.");
    return {
      kind: "trouble",
      severity: "info",
      says: `${last.says}${andMore(recent.length)}`,
      todo: [
        "Nothing, after a power cut, a kill or a full disk. After an orderly end, check the disk.",
      ],
      evidence: { figures: { fileCount: recent.length }, ...NO_PLACES },
    };
  },
});

const storedDamage = serverRule({
  id: "storedDamage",
  title: "Stored data is damaged",
  fires:
    "A stored value does not fit its checksum. Requests for it are refused, all others are " +
    "served. Shown for `shownHours` after it was found.",
  severities: ["critical"],
  window: "now",
  forSeconds: 0,
  clearSeconds: 0,
  thresholds: { shownHours: guidance(24, "hours", "after damage was found") },
  docs: [],
  find({ storage }, values) {
    if (storage === undefined) return absent(NOTHING_KEPT);
    const recent = recentOf(storage.damages, storage, values.shownHours);
    const last = recent.at(-1);
    if (last === undefined) return fine("No damage was found in what was read.");
    return {
      kind: "trouble",
      severity: "critical",
      says: `${last.says}${andMore(storage.damageCount)}`,
      todo: [
        "Run `orrery check` on the data directory, or on a backup, to see all that is damaged.",
        "Restore a backup, or write the damaged items anew from an export.",
      ],
      evidence: { figures: { damageCount: storage.damageCount }, ...NO_PLACES },
    };
  },
});

export const FAULT_RULES: readonly ServerRule[] = [storageFault, droppedTail, storedDamage];

function recentOf(
  incidents: readonly StorageIncident[],
  { at }: StorageReport,
  hours: number,
): readonly StorageIncident[] {
  return incidents.filter((incident) => at - incident.at < hours * HOUR_MS);
}

function andMore(count: number): string {
  return count <= 1 ? "" : ` In all there are ${countText(count)} of these.`;
}
