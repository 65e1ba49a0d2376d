/**
 * Items to delete: asked for once, with their etags, so that an item that was changed since is left
 * alone. Not here: how they are shown, and when somebody stops.
 */
import { millis } from "../../../base/units.ts";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import { browserTimer } from "../../session/browserWorld.ts";
import type { Server, ServerReply } from "../../session/server.ts";
import { containerPath, keyHeader } from "../data/dataPlane.ts";

/** More are deleted in rounds: a browser's memory and patience have an end. */
export const SELECTED_MAX = 10_000;
const PAGE_ITEMS = 1000;
const AT_ONCE = 8;
const TRIES_MAX = 30;
const PAUSE = millis(300);

export interface Target {
  readonly id: string;
  readonly etag: string;
  readonly keys: readonly unknown[];
}

export interface Selected {
  readonly targets: readonly Target[];
  /** True when there are more than were read. */
  readonly isCut: boolean;
  readonly ru: number;
}

/** Reads ids, etags and keys, and nothing else of the items. */
export function selectionQuery(where: string, keyPaths: readonly string[]): string {
  const keys = keyPaths.map((path, at) => {
    const steps = path.slice(1).split("/");
    return `c${steps.map((name) => `[${JSON.stringify(name)}]`).join("")} AS k${at}`;
  });
  const columns = ["c.id", "c._etag AS etag", ...keys].join(", ");
  return `SELECT ${columns} FROM c WHERE ${where}`;
}

export function targetOf(found: Readonly<Record<string, unknown>>, keyCount: number): Target {
  return {
    id: String(found["id"]),
    etag: String(found["etag"]),
    // A key that is missing is an empty object on the wire.
    keys: Array.from({ length: keyCount }, (_, at) =>
      Object.hasOwn(found, `k${at}`) ? found[`k${at}`] : {},
    ),
  };
}

export async function select(
  server: Server,
  row: OverviewRow,
  where: string,
): Promise<ServerReply<Selected>> {
  const { partitionKeyPaths } = row;
  const targets: Target[] = [];
  let hundredths = 0;
  let continuation: string | undefined;
  do {
    const answer = await server.data({
      method: "POST",
      path: `${containerPath(row)}/docs`,
      headers: {
        "content-type": "application/query+json",
        [HEADER.isQuery]: "true",
        [HEADER.crossPartition]: "true",
        [HEADER.mergeQuery]: "true",
        [HEADER.maxItemCount]: String(PAGE_ITEMS),
        ...(continuation !== undefined && { [HEADER.continuation]: continuation }),
      },
      body: { query: selectionQuery(where, partitionKeyPaths), parameters: [] },
    });
    if (!answer.ok) return answer;
    const { Documents: found } = JSON.parse(answer.value.text) as {
      readonly Documents: readonly Readonly<Record<string, unknown>>[];
    };
    targets.push(...found.map((each) => targetOf(each, partitionKeyPaths.length)));
    hundredths += Math.round(answer.value.charge * 100);
    continuation = answer.value.headers.get(HEADER.continuation) ?? undefined;
  } while (continuation !== undefined && targets.length < SELECTED_MAX);
  const isCut = continuation !== undefined || targets.length > SELECTED_MAX;
  const value = { targets: targets.slice(0, SELECTED_MAX), isCut, ru: hundredths / 100 };
  return { ok: true, value };
}

export interface BulkDeletion {
  readonly total: number;
  readonly deletedCount: number;
  /** Ids of items that were changed since they were selected, and so are still there. */
  readonly changed: readonly string[];
  readonly goneCount: number;
  readonly failed: readonly string[];
  readonly ru: number;
  readonly isOver: boolean;
}

export function newDeletion(total: number): BulkDeletion {
  return { total, deletedCount: 0, changed: [], goneCount: 0, failed: [], ru: 0, isOver: false };
}

type Ending =
  | { readonly kind: "deleted" | "changed" | "gone"; readonly ru: number }
  | { readonly kind: "failed"; readonly reason: string; readonly ru: number };

/** The deletion after one more item. Charges are added in hundredths, so that the sum is exact. */
export function withEnding(now: BulkDeletion, id: string, ending: Ending): BulkDeletion {
  const next = { ...now, ru: (Math.round(now.ru * 100) + Math.round(ending.ru * 100)) / 100 };
  switch (ending.kind) {
    case "deleted":
      return { ...next, deletedCount: now.deletedCount + 1 };
    case "gone":
      return { ...next, goneCount: now.goneCount + 1 };
    case "changed":
      return { ...next, changed: [...now.changed, id] };
    case "failed":
      return { ...next, failed: [...now.failed, `${id}: ${ending.reason}`] };
  }
}

interface DeletionTerms {
  readonly isStopped: () => boolean;
  readonly onProgress: (deletion: BulkDeletion) => void;
}

export async function deleteAll(
  server: Server,
  row: OverviewRow,
  targets: readonly Target[],
  { isStopped, onProgress }: DeletionTerms,
): Promise<BulkDeletion> {
  let now = newDeletion(targets.length);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < targets.length && !isStopped()) {
      const target = targets[next++]!;
      const ending = await deleteOne(server, row, target, isStopped);
      now = withEnding(now, target.id, ending);
      onProgress(now);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { ...now, isOver: true };
}

/** Throttled requests are tried again after a pause. */
async function deleteOne(
  server: Server,
  row: OverviewRow,
  { id, etag, keys }: Target,
  isStopped: () => boolean,
): Promise<Ending> {
  for (let tried = 0; ; tried++) {
    const answer = await server.data({
      method: "DELETE",
      path: `${containerPath(row)}/docs/${encodeURIComponent(id)}`,
      headers: { ...keyHeader(keys), "if-match": etag },
    });
    if (answer.ok) return { kind: "deleted", ru: answer.value.charge };
    const { status, kind, message, charge: ru = 0 } = answer.error;
    if (status === 412) return { kind: "changed", ru };
    if (status === 404) return { kind: "gone", ru };
    if (kind !== "throttled" || tried >= TRIES_MAX || isStopped()) {
      return { kind: "failed", reason: message, ru };
    }
    await new Promise<void>((resolve) => {
      browserTimer.after(PAUSE, resolve);
    });
  }
}
