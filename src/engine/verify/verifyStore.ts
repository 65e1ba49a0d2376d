/**
 * Checks a whole store against itself: the catalogue, then every part of every container, then the
 * parts that no container names. The check only reads, and goes on after damage: each finding has a
 * place of its own.
 *
 * A quick check looks at the catalogue and the heads, but not at items.
 */
import { Defect } from "../../base/assert.ts";
import type { ReadOnlyStore } from "../../store/backup/backupView.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { CatalogRecord, Counters } from "../catalog/catalogRecords.ts";
import { CATALOG_PART, catalogKey, decodeCatalogRecord } from "../catalog/catalogRecords.ts";
import { STATISTICS_PART } from "../catalog/parts.ts";
import type { ResourceRecord } from "../catalog/resourceRecords.ts";
import type { ContainerRecord } from "../partition/container.ts";
import { Container } from "../partition/container.ts";
import type { Findings } from "./findings.ts";
import { partitionRules, recordRules } from "./itemRules.ts";
import type { PartRules } from "./partCheck.ts";
import { checkPart } from "./partCheck.ts";
import { checkResources } from "./resourceCheck.ts";

interface VerifySetting {
  readonly store: ReadOnlyStore;
  readonly findings: Findings;
  readonly isQuick: boolean;
  /** False for tables that were written by a version without tallies. */
  readonly hasTallies: boolean;
  /** Called with what is being looked at, and how far the check has come. */
  onProgress(text: string): void;
}

interface ContainerContents {
  readonly database: string;
  readonly container: string;
  readonly partitionCount: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Absent after a quick check. */
  readonly termCount?: number | undefined;
}

/** What a store contains. */
export interface Contents {
  readonly databases: readonly string[];
  readonly containers: readonly ContainerContents[];
}

interface Catalogue {
  readonly databases: ReadonlyMap<number, string>;
  readonly containers: readonly ContainerRecord[];
}

const CATALOG_PLACE = "catalogue";
const PAGE = { countMax: 512, bytesMax: 4 * 1024 * 1024 };

export async function verifyStore(setting: VerifySetting): Promise<Contents> {
  const { store, findings, isQuick } = setting;
  const catalogue = await readCatalogue(setting);
  const named = new Map<number, string>([[CATALOG_PART, CATALOG_PLACE]]);
  const containers: ContainerContents[] = [];
  for (const record of catalogue.containers) {
    const contents = await verifyContainer(setting, catalogue, record, named);
    if (contents !== undefined) containers.push(contents);
  }
  named.set(STATISTICS_PART, "statistics");
  const parts = await store.parts();
  // A directory that was made and never used has no parts at all.
  if (!isQuick && parts.length > 0) {
    await verifyPart(setting, CATALOG_PART, CATALOG_PLACE, recordRules(lookAtRecord));
    const isKept = parts.includes(STATISTICS_PART);
    const anything = recordRules(() => undefined);
    if (isKept) await verifyPart(setting, STATISTICS_PART, "statistics", anything);
  }
  for (const part of parts) {
    if (named.has(part)) continue;
    const text = "no container names it; the server drops it when it starts, as after a crash";
    findings.notice(`part ${part}`, text);
  }
  return { databases: [...catalogue.databases.values()], containers };
}

async function readCatalogue({ store, findings, onProgress }: VerifySetting): Promise<Catalogue> {
  onProgress(CATALOG_PLACE);
  const databases = new Map<number, string>();
  const containers: ContainerRecord[] = [];
  const resources: ResourceRecord[] = [];
  let counters: Counters | undefined;
  for (let after = 0, isLast = false; !isLast; ) {
    const page = await store.scanItems(CATALOG_PART, after, PAGE);
    for (const item of page.items) {
      const record = decoded(item);
      if (record instanceof Error) {
        findings.damage(`${CATALOG_PLACE}, ${JSON.stringify(item.key)}`, record.message);
      } else if (record.kind === "database") {
        databases.set(record.database.databaseNumber, record.database.id);
      } else if (record.kind === "container") containers.push(record.container);
      else if (record.kind === "resource") resources.push(record.resource);
      else if (record.kind === "counters") counters = record.counters;
    }
    after = page.items.at(-1)?.number ?? after;
    isLast = page.isLast;
  }
  checkCounters(findings, counters, {
    database: [...databases.keys()],
    container: containers.map(({ containerNumber }) => containerNumber),
    part: containers.flatMap(({ map }) => map.entries.map(({ part }) => part)),
    resource: resources.map(({ number }) => number),
  });
  checkNames(findings, databases, containers);
  checkResources(findings, resources, { databaseNumbers: databases.keys(), containers });
  return { databases, containers };
}

function decoded(item: StoredItem): CatalogRecord | Error {
  try {
    return decodeCatalogRecord(item.body);
  } catch (error) {
    const isKnown = error instanceof StoreFault || error instanceof SyntaxError;
    // A record that parses but is not a catalogue record makes the decoder throw one of these.
    if (isKnown || error instanceof TypeError || error instanceof Defect) return error;
    throw error;
  }
}

function lookAtRecord(item: StoredItem, complain: (text: string) => void): void {
  const record = decoded(item);
  // A record that cannot be read was reported when the catalogue was read.
  if (record instanceof Error) return;
  const due = catalogKey(record);
  if (due !== item.key) complain(`it is kept as ${JSON.stringify(item.key)}, but is ${due}`);
}

/** Checks that each counter is above all numbers in use, because a number is never given twice. */
function checkCounters(
  findings: Findings,
  counters: Counters | undefined,
  used: Readonly<Record<keyof Counters, readonly number[]>>,
): void {
  if (counters === undefined) {
    if (used.database.length > 0) findings.damage(CATALOG_PLACE, "there are no counters");
    return;
  }
  for (const kind of ["database", "container", "part", "resource"] as const) {
    const last = used[kind].reduce((max, number) => Math.max(max, number), 0);
    if (counters[kind] > last) continue;
    const text = `the next ${kind} would be ${counters[kind]}, and there is ${last}`;
    findings.damage(`${CATALOG_PLACE}, counters`, text);
  }
}

function checkNames(
  findings: Findings,
  databases: ReadonlyMap<number, string>,
  containers: readonly ContainerRecord[],
): void {
  const names = [
    ...databases.values(),
    ...containers.map(({ databaseNumber, definition }) => `${databaseNumber}/${definition.id}`),
  ];
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  for (const name of twice) findings.damage(CATALOG_PLACE, `two have the name ${name}`);
}

/** `named` maps the parts that have been met to the containers that named them. */
async function verifyContainer(
  setting: VerifySetting,
  { databases }: Catalogue,
  record: ContainerRecord,
  named: Map<number, string>,
): Promise<ContainerContents | undefined> {
  const { store, findings, isQuick } = setting;
  const database = databases.get(record.databaseNumber);
  const name = `${database ?? `database ${record.databaseNumber}`}/${record.definition.id}`;
  if (database === undefined) findings.damage(name, "its database is not there");
  const container = opened(database ?? "", record);
  if (container instanceof Error) {
    findings.damage(name, `its definition cannot be used: ${container.message}`);
    return undefined;
  }
  let [itemCount, itemBytes, termCount] = [0, 0, 0];
  for (const entry of record.map.entries) {
    const place = `${name}, partition ${entry.id}`;
    const owner = named.get(entry.part);
    if (owner !== undefined) findings.damage(place, `${owner} has the same part ${entry.part}`);
    named.set(entry.part, place);
    const head = await store.head(entry.part);
    if (head === undefined) {
      findings.damage(place, `its part ${entry.part} is not there`);
      continue;
    }
    itemCount += head.itemCount;
    itemBytes += head.itemBytes;
    if (isQuick) continue;
    termCount += await verifyPart(setting, entry.part, place, partitionRules(container, entry));
  }
  const partitionCount = record.map.entries.length;
  const contents = { database: database ?? "", container: record.definition.id, partitionCount };
  return { ...contents, itemCount, itemBytes, ...(!isQuick && { termCount }) };
}

function opened(database: string, record: ContainerRecord): Container | Error {
  try {
    return new Container(database, record);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * Checks a part; resolves with its number of terms. An error that stops reading the part is a
 * finding.
 */
async function verifyPart(
  { store, findings, hasTallies, onProgress }: VerifySetting,
  part: number,
  place: string,
  rules: PartRules,
): Promise<number> {
  const head = await store.head(part);
  if (head === undefined) {
    findings.damage(place, `its part ${part} is not there`);
    return 0;
  }
  try {
    const { termCount } = await checkPart({
      store,
      part,
      head,
      place,
      rules,
      findings,
      hasTallies,
      onProgress: (what, count) => onProgress(`${place}: ${count === 0 ? "" : `${count} `}${what}`),
    });
    return termCount;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    findings.damage(place, `it cannot be read any further: ${reason}`);
    return 0;
  }
}
