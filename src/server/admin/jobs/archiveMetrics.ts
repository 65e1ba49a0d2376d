/** Archives for Prometheus: what there is of each container, and whether a job stands still. */
import type { ArchiveEntry, ArchiveJobEntry } from "../../../model/archiveJob.ts";
import type { Family, MetricSample } from "../prometheus.ts";

export function archiveFamilies(
  archives: readonly ArchiveEntry[],
  jobs: readonly ArchiveJobEntry[],
): readonly Family[] {
  const byContainer = new Map<string, ArchiveEntry[]>();
  for (const entry of archives) {
    const name = JSON.stringify([entry.database, entry.container]);
    byContainer.set(name, [...(byContainer.get(name) ?? []), entry]);
  }
  const each = (figureOf: (entries: readonly ArchiveEntry[]) => number): readonly MetricSample[] =>
    [...byContainer.values()].map((entries) => {
      const { database, container } = entries[0]!;
      return { labels: { database, container }, value: figureOf(entries) };
    });
  const total = (figureOf: (entry: ArchiveEntry) => number): readonly MetricSample[] =>
    each((entries) => entries.reduce((sum, entry) => sum + figureOf(entry), 0));
  const gauge = (name: string, help: string, samples: readonly MetricSample[]): Family => ({
    name: `orrery_archive_${name}`,
    type: "gauge",
    help,
    samples,
  });
  const running = jobs.filter(({ endedAt }) => endedAt === undefined);
  return [
    gauge(
      "items",
      "Items in the archives of a container.",
      total(({ itemCount }) => itemCount),
    ),
    gauge(
      "stored_bytes",
      "Bytes of the files of these archives.",
      total(({ storedBytes }) => storedBytes),
    ),
    gauge(
      "last_timestamp_seconds",
      "When the latest of them was made, in seconds since 1970.",
      each((entries) => Math.max(...entries.map(({ madeAt }) => madeAt)) / 1000),
    ),
    gauge(
      "job_stopped",
      "1 if a job about archives stopped by itself.",
      running.map(({ id, kind, database, container, state }) => ({
        labels: { job: id, kind, database, container },
        value: state === "blocked" ? 1 : 0,
      })),
    ),
  ];
}
