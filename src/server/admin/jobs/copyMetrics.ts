/** Copy jobs for Prometheus, those under way. */
import type { CopyJobEntry } from "../../../model/copyJob.ts";
import type { Family } from "../prometheus.ts";

export function copyFamilies(copies: readonly CopyJobEntry[]): readonly Family[] {
  const running = copies.filter(({ endedAt }) => endedAt === undefined);
  const gauge = (
    name: string,
    help: string,
    figureOf: (copy: CopyJobEntry) => number | undefined,
  ): Family => ({
    name: `orrery_copy_${name}`,
    type: "gauge",
    help,
    samples: running.map((copy) => ({ labels: labelsOf(copy), value: figureOf(copy) })),
  });
  return [
    gauge(
      "items",
      "Items that were there when a copy job began.",
      (copy) => copy.progress.itemCount,
    ),
    gauge("copied_items", "Those of them that are copied.", (copy) => copy.progress.copiedCount),
    gauge("changes", "Changes since then that were applied.", (copy) => copy.progress.changeCount),
    gauge(
      "lag_changes",
      "Changes that a copy job has not applied yet, at most.",
      (copy) => copy.progress.lag.changeCount,
    ),
    gauge(
      "lag_seconds",
      "Seconds that it would take to apply them.",
      (copy) => copy.progress.lag.drainSeconds,
    ),
    gauge("set_aside_items", "Items that could not be copied.", (copy) => copy.setAside.count),
    gauge("stopped", "1 if a copy job stopped by itself.", (copy) =>
      copy.state === "blocked" ? 1 : 0,
    ),
  ];
}

function labelsOf({ id, kind, source, target }: CopyJobEntry): Readonly<Record<string, string>> {
  const name = ({ database, container }: CopyJobEntry["source"]): string =>
    `${database}/${container}`;
  return { job: id, kind, source: name(source), target: name(target) };
}
