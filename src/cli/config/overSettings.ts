/** What the command line and the environment say of a server, over what the settings file says. */

import { DEFAULT_PORT } from "../../server/surroundings/options.ts";
import type { OrreryOptions } from "../../server/surroundings/orreryOptions.ts";

/**
 * Options that only make sense together. Whoever says one of them again says all of them: `--data`
 * is not to meet the `memory` of a file.
 */
const GROUPS: readonly (readonly (keyof OrreryOptions)[])[] = [
  ["data", "memory"],
  ["cert", "certKey", "certSecret"],
  ["serverless", "manualRatePerPartition", "burstCapacity"],
];

export function overSettings(said: OrreryOptions, file: OrreryOptions): OrreryOptions {
  const given = new Map(Object.entries(said).filter(([, value]) => value !== undefined));
  const left = new Map(Object.entries(file).filter(([, value]) => value !== undefined));
  for (const group of GROUPS) {
    if (!group.some((name) => given.has(name))) continue;
    for (const name of group) left.delete(name);
  }
  return { port: DEFAULT_PORT, ...Object.fromEntries(left), ...Object.fromEntries(given) };
}
