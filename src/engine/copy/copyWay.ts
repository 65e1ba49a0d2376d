/**
 * Which way a job copies: forth from the source to the target, and after the switch back, from the
 * container that clients write to now to the one they wrote to before.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { Container } from "../partition/container.ts";
import type { CopyRecord } from "./copyRecord.ts";
import { hasSwitched } from "./copyRecord.ts";
import { contentTerms, levelsOf } from "./copyTerms.ts";
import { backMapping, forthMapping } from "./itemMapping.ts";
import type { Mapping } from "./mapping.ts";

interface WaySetting {
  readonly limits: Limits;
  readonly clock: { wallNow(): number };
}

/** From where to where, and how. */
export interface CopyWay {
  readonly source: Container;
  readonly target: Container;
  readonly mapping: Mapping;
}

export function wayOf(
  setting: WaySetting,
  record: CopyRecord,
  source: Container,
  target: Container,
): Result<CopyWay, string> {
  if (hasSwitched(record)) return wayBack(setting, record, source, target);
  const terms = contentTerms(record.request, source);
  if (!terms.ok) return terms;
  const { ordinalShift, ordinalCount } = record;
  const numbered = { ...terms.value, ordinalShift, ordinalCount };
  return ok({ source, target, mapping: forthMapping(setting, target, numbered) });
}

function wayBack(
  setting: WaySetting,
  record: CopyRecord,
  old: Container,
  now: Container,
): Result<CopyWay, string> {
  const reason = noWayBack(record);
  if (reason !== undefined) return no(reason);
  const levels = levelsOf(record.request);
  if (!levels.ok) return levels;
  return ok({ source: now, target: old, mapping: backMapping(setting, old, levels.value ?? []) });
}

/** Why what is written to the new container cannot go to the old one. */
export function noWayBack({
  request,
  ordinalShift,
  hasMadeTarget,
}: CopyRecord): string | undefined {
  if (request.where !== undefined || request.samplePercent !== undefined) {
    return "Only some of the items were copied.";
  }
  if (request.select !== undefined) return "The copies do not have everything of the items.";
  if (ordinalShift > 0 || !hasMadeTarget) return "The target had items of its own.";
  return undefined;
}
