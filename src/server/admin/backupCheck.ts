/**
 * A data directory that no server has open, looked at without changing it: the journal, the tables,
 * and then all that the engine knows about items and terms.
 *
 * Damage is a finding, never an exception. But the embedded engine trusts its file: from a damaged
 * one it may end the process, so whoever cares calls this in a process of its own.
 */
import { join } from "node:path";
import type { Finding } from "../../engine/verify/findings.ts";
import { Findings } from "../../engine/verify/findings.ts";
import type { Contents } from "../../engine/verify/verifyStore.ts";
import { verifyStore } from "../../engine/verify/verifyStore.ts";
import { findJournalIn, storeView } from "../../store/backup/backupView.ts";
import { JOURNAL_FOLDER, TABLES_FOLDER } from "../../store/dataLayout.ts";
import type { FoundSegment, UsableSegment } from "../../store/journal/foundJournal.ts";
import { isUsable, journalDamageText } from "../../store/journal/foundJournal.ts";
import { segmentName } from "../../store/journal/segment.ts";
import { checkPages } from "../../store/lmdb/pageCheck.ts";
import type { ReadOnlyTables } from "../../store/lmdb/readOnlyTables.ts";
import { openReadOnlyTables } from "../../store/lmdb/readOnlyTables.ts";
import type { WalkReport } from "../../store/lmdb/tableWalk.ts";
import { walkTables } from "../../store/lmdb/tableWalk.ts";

interface CheckSetting {
  /** Whether only the journal, the catalogue and the heads are looked at. */
  readonly isQuick: boolean;
  /** Is told of each finding as it is made, of at most a thousand. */
  onFinding(finding: Finding): void;
  /** Is told what is being looked at. */
  onProgress(text: string): void;
}

export interface CheckReport {
  /** What the data holds; absent when that could not be found out. */
  readonly contents: Contents | undefined;
  readonly journal: { readonly segmentCount: number; readonly frameCount: number };
  /** What the walk through the tables found; absent after a quick check, and without tables. */
  readonly tables: WalkReport | undefined;
  readonly findings: readonly Finding[];
  /** The number of all damages, also of those that are too many to be among the findings. */
  readonly damageCount: number;
}

/** The directory must be locked, or be one that nobody else knows of. */
export async function checkData(directory: string, setting: CheckSetting): Promise<CheckReport> {
  const findings = new Findings(setting.onFinding);
  const arePagesWhole = setting.isQuick || checkedPages(directory, findings, setting);
  const opened = arePagesWhole ? openTables(directory, findings) : undefined;
  try {
    const tables = opened && !setting.isQuick ? walked(opened, findings, setting) : undefined;
    setting.onProgress(JOURNAL_FOLDER);
    const segments = await journalOf(directory, opened, findings, arePagesWhole);
    const contents = arePagesWhole
      ? await contentsOf(opened, segments, findings, setting)
      : undefined;
    const frameCount = segments.reduce((sum, { frames }) => sum + frames.length, 0);
    return {
      contents,
      journal: { segmentCount: segments.length, frameCount },
      tables,
      findings: findings.kept,
      damageCount: findings.damageCount,
    };
  } finally {
    await opened?.close();
  }
}

/** Of tables with damaged pages nothing else is looked at: the engine would trust them. */
function checkedPages(
  directory: string,
  findings: Findings,
  { onProgress }: CheckSetting,
): boolean {
  const onBytes = (done: number, total: number): void =>
    onProgress(`${TABLES_FOLDER}: ${done} of ${total} bytes`);
  return checkPages(join(directory, TABLES_FOLDER), findings, onBytes);
}

function openTables(directory: string, findings: Findings): ReadOnlyTables | undefined {
  const folder = join(directory, TABLES_FOLDER);
  try {
    const tables = openReadOnlyTables(folder);
    if (tables === undefined) findings.notice(TABLES_FOLDER, "there are none");
    if (tables?.bottom.lacksTallies === true) {
      findings.notice(TABLES_FOLDER, "an older version wrote them; opening them counts them anew");
    }
    return tables;
  } catch (error) {
    findings.damage(TABLES_FOLDER, `they cannot be opened: ${messageOf(error)}`);
    return undefined;
  }
}

function walked(
  { environment, bottom }: ReadOnlyTables,
  findings: Findings,
  { onProgress }: CheckSetting,
): WalkReport | undefined {
  onProgress(TABLES_FOLDER);
  try {
    return walkTables(
      environment,
      bottom.isSealed,
      (place, text) => findings.damage(place, text),
      (count) => onProgress(`${TABLES_FOLDER}: ${count} entries`),
    );
  } catch (error) {
    findings.damage(TABLES_FOLDER, `they cannot be read any further: ${messageOf(error)}`);
    return undefined;
  }
}

/** The journal as far as it can be used; nothing of a damaged journal. */
async function journalOf(
  directory: string,
  opened: ReadOnlyTables | undefined,
  findings: Findings,
  isReadable: boolean,
): Promise<readonly UsableSegment[]> {
  if (!isReadable) {
    findings.notice(JOURNAL_FOLDER, "it was not looked at: only the tables tell where it goes on");
    return [];
  }
  try {
    const found = await findJournalIn(directory, opened?.bottom);
    if (found.kind === "damaged") {
      findings.damage(JOURNAL_FOLDER, journalDamageText(found.damage));
      return [];
    }
    noticeEnds(found.segments, findings);
    return found.segments.filter(isUsable);
  } catch (error) {
    findings.damage(JOURNAL_FOLDER, messageOf(error));
    return [];
  }
}

/** Bytes behind the last whole frame: a write that a power cut or a full disk cut short. */
function noticeEnds(segments: readonly FoundSegment[], findings: Findings): void {
  for (const found of segments) {
    if (found.kind === "absorbed") continue;
    const place = `${JOURNAL_FOLDER}/${segmentName(found.segment)}`;
    const end = found.kind === "unmade" ? undefined : found.frames.at(-1)?.end;
    if (end === undefined) findings.notice(place, "it holds no whole frame: nothing was promised");
    else if (end < found.fileBytes) {
      findings.notice(
        `${place} at ${end}`,
        `${found.fileBytes - end} bytes are no whole frame: a write that was cut short, as by a ` +
          "power cut, before anybody was promised anything",
      );
    }
  }
}

async function contentsOf(
  opened: ReadOnlyTables | undefined,
  segments: readonly UsableSegment[],
  findings: Findings,
  { isQuick, onProgress }: CheckSetting,
): Promise<Contents | undefined> {
  try {
    const store = storeView(opened?.bottom, segments);
    const hasTallies = opened?.bottom.lacksTallies !== true;
    return await verifyStore({ store, findings, isQuick, hasTallies, onProgress });
  } catch (error) {
    findings.damage("store", `it cannot be read any further: ${messageOf(error)}`);
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
