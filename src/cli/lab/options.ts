/** Options that several commands of the lab have: what they mean, and what they must look like. */
import type { KeyLevels } from "../../keys/expression.ts";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import type { Limits } from "../../model/limits.ts";
import { BadOption, limitsOf } from "../../server/surroundings/options.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";

/** For `parseArgs`: which limits the simulation runs with. */
export const LIMIT_OPTIONS: {
  readonly "scale-limits": { readonly type: "string" };
  readonly limit: { readonly type: "string"; readonly multiple: true };
} = {
  "scale-limits": { type: "string" },
  limit: { type: "string", multiple: true },
};

export const LIMIT_HELP: string = `\
  --scale-limits <1/n>     shrink the storage of partitions, such as 20 GB, to 1/n of it
  --limit <name>=<value>   set one limit, such as logicalPartitionBytes=20MB; may be repeated
`;

/** For `parseArgs`: how the answer is given. */
export const OUTPUT_OPTIONS: {
  readonly json: { readonly type: "boolean" };
  readonly html: { readonly type: "string" };
  readonly top: { readonly type: "string" };
} = { json: { type: "boolean" }, html: { type: "string" }, top: { type: "string" } };

export const OUTPUT_HELP: string = `\
  --top <n>                how many candidates the text lists (default 10), beside your own and
                           the current one; JSON and HTML always have all
  --json                   one JSON value instead of text; docs/lab/README.md describes it
  --html <file>            also write a page with drawings, complete in itself
`;

export function labLimitsOf(flags: {
  readonly "scale-limits"?: string | undefined;
  readonly limit?: readonly string[] | undefined;
}): Limits {
  const named = (flags.limit ?? []).map((text): [string, string] => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    throw new BadOption(`--limit is '${text}'; it must be <name>=<value>.`);
  });
  return limitsOf({ scaleLimits: flags["scale-limits"], limits: Object.fromEntries(named) });
}

interface WholeRange {
  readonly min: number;
  readonly max: number;
}

/** Of --top. */
export const TOPS: WholeRange = { min: 1, max: 1000 };

export function wholeOf(
  option: string,
  text: string | undefined,
  { min, max }: WholeRange,
): number | undefined {
  if (text === undefined) return undefined;
  const amount = Number(text);
  if (/^\d+$/.test(text) && amount >= min && amount <= max) return amount;
  throw new BadOption(`${option} is '${text}'; it must be a whole number from ${min} to ${max}.`);
}

export function keyLevelsOf(option: string, text: string): KeyLevels {
  const levels = parseKeyLevels(text);
  if (levels.ok) return levels.value;
  const { message, at } = levels.error;
  throw new BadOption(`${option} is no key: ${message}\n  ${text}\n  ${" ".repeat(at)}^`);
}

/** Midnight (UTC) of a day such as 2026-01-31; without one, of the first of this month. */
export function startOf(text: string | undefined): number {
  if (text === undefined) {
    const now = new Date(realClock.wallNow());
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  }
  const millis = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(millis)) return millis;
  throw new BadOption(`--start is '${text}'; it must be a day, such as 2026-01-31.`);
}
