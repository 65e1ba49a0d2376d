/** What was asked for, complete: every default is filled in. */
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
import { DAY_SECONDS, MINUTE_SECONDS } from "../../base/units.ts";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { LifecycleSettings, NewPair } from "../../model/lifecycle.ts";

export interface LifecycleRequest {
  readonly hot: NamedContainer;
  readonly warm: NamedContainer;
  readonly settings: LifecycleSettings;
  readonly create?: NewPair | undefined;
  readonly enableTtl: boolean;
  readonly isForced: boolean;
}

/** As the guides have them. */
export const LIFECYCLE_DEFAULTS: Omit<LifecycleSettings, "ageProperty" | "ageSeconds"> = {
  intervalSeconds: 15 * MINUTE_SECONDS,
  batch: 100,
  sharePercent: 50,
  markProperty: "migrated",
  markTtlSeconds: DAY_SECONDS,
};

/** Why a property cannot be the mark of items that were moved. */
export function isRefusedMark(name: string, taken: readonly string[]): string | undefined {
  if (!/^[A-Za-z_][\w-]{0,99}$/.test(name)) {
    return `'${name}' is no name of a property that could be a mark; take one like 'migrated'.`;
  }
  if (name === "id" || name === "ttl" || SYSTEM_PROPERTIES.has(name)) {
    return `The property '${name}' is the database's own, and can be no mark.`;
  }
  const path = taken.find((one) => one.slice(1).split("/")[0] === name);
  return path && `The property '${name}' has a meaning already (${path}), and can be no mark.`;
}
