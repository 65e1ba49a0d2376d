/** The archives that a server knows of, as a table, and one of them with its files. */
import { counted, countText, shortBytesText } from "../../base/wording.ts";
import type { ArchiveAnswer, ArchiveEntry, ArchivesAnswer } from "../../model/archiveJob.ts";
import type { ContainerName, Environment } from "../connect/serverOptions.ts";
import { inTime } from "../jobs/archiveText.ts";
import type { Section } from "../terminal/liveTable.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { type AccountValues, adminClientOf } from "./followJob.ts";

interface LookValues extends AccountValues {
  readonly json?: boolean | undefined;
}

export async function listArchives(
  container: ContainerName | undefined,
  values: LookValues,
  environment: Environment,
): Promise<void> {
  const query = new URLSearchParams({ ...container }).toString();
  const route = query === "" ? "archives" : `archives?${query}`;
  const answer = await ask<ArchivesAnswer>(route, values, environment);
  if (values.json === true) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else new LiveTable(process.stdout, environment).print(listSections(answer));
}

export async function showArchive(
  folder: string,
  values: LookValues,
  environment: Environment,
): Promise<void> {
  const route = `archives/${encodeURIComponent(folder)}`;
  const answer = await ask<ArchiveAnswer>(route, values, environment);
  if (values.json === true) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else new LiveTable(process.stdout, environment).print(showSections(answer));
}

async function ask<T>(route: string, values: LookValues, environment: Environment): Promise<T> {
  const client = adminClientOf(values, environment);
  try {
    return await client.get<T>(route);
  } finally {
    client.close();
  }
}

function listSections({ archives, directory }: ArchivesAnswer): readonly Section[] {
  const place: Section = { kind: "lines", lines: [`In ${directory} on the server's machine.`] };
  if (archives.length === 0) return [{ kind: "lines", lines: ["There are no archives."] }, place];
  const rows = archives.map((entry) => ({
    cells: {
      folder: entry.folder,
      of: `${entry.database}/${entry.container}`,
      state: entry.state,
      keys: countText(entry.partitionCount),
      items: countText(entry.itemCount),
      bytes: shortBytesText(entry.storedBytes),
      from: dayText(entry.dateMin),
      to: dayText(entry.dateMax),
      made: dayText(entry.madeAt),
    },
    tone: isBad(entry) ? ("alarm" as const) : undefined,
  }));
  return [{ kind: "table", rows, right: ["keys", "items", "bytes"] }, place];
}

function isBad({ state }: ArchiveEntry): boolean {
  return state === "missing" || state === "damaged";
}

function showSections({ archive, files }: ArchiveAnswer): readonly Section[] {
  const { folder, database, container, state, itemCount, partitionCount, storedBytes } = archive;
  const byDate = inTime(files, ({ dateMin }) => {
    return dateMin === undefined ? undefined : Date.parse(dateMin);
  });
  const rows = byDate.map((file) => ({
    cells: {
      file: file.name,
      key: JSON.stringify(file.key),
      items: countText(file.itemCount),
      bytes: shortBytesText(file.storedBytes),
      from: file.dateMin?.slice(0, 10) ?? "",
      to: file.dateMax?.slice(0, 10) ?? "",
    },
  }));
  const contents =
    `${counted(itemCount, "item")} of ${counted(partitionCount, "key")} in ` +
    `${shortBytesText(storedBytes)}; made ${new Date(archive.madeAt).toISOString()}`;
  return [
    { kind: "lines", lines: [`${folder}  ${database}/${container}, ${state}`], tone: "strong" },
    { kind: "lines", lines: [contents, ""] },
    { kind: "table", rows, right: ["items", "bytes"] },
  ];
}

function dayText(at: number | undefined): string {
  return at === undefined ? "" : new Date(at).toISOString().slice(0, 10);
}
