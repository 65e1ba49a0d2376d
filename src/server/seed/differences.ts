/** What is there, beside what a seed says: one sentence for each difference. */

import { withoutSystemProperties } from "../../base/systemProperties.ts";
import type { Account } from "../../engine/account.ts";
import { draftOfValue, parseItem } from "../../engine/item/itemBody.ts";
import type { Container } from "../../engine/partition/container.ts";
import { canonicalText } from "../../json/canonical.ts";
import { parseJson } from "../../json/parse.ts";
import type { JsonObject } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import { OWNER_CALLER } from "../../model/caller.ts";
import type { ProvisionedThroughput, Throughput } from "../../model/throughput.ts";
import { rateMaxOf } from "../../model/throughput.ts";

/** Longer values are cut: both are in one sentence. */
const SHOWN_CHARACTERS_MAX = 200;

/** Undefined where the member is the same in both. */
export function contentDifference(
  name: string,
  present: JsonObject,
  wanted: JsonObject,
): string | undefined {
  const [is, says] = [property(present, name), property(wanted, name)];
  const isSame =
    is === undefined || says === undefined
      ? is === says
      : canonicalText(is) === canonicalText(says);
  if (isSame) return undefined;
  const shown = (value: typeof is): string =>
    value === undefined ? "absent" : cut(JSON.stringify(value));
  return `Its ${name} is ${shown(is)}, and the seed says ${shown(says)}`;
}

export function throughputDifference(
  present: ProvisionedThroughput | undefined,
  wanted: Throughput | undefined,
): string | undefined {
  if (wanted === undefined) return undefined;
  const is = present?.pending ?? present;
  const isSame = is?.kind === wanted.kind && rateMaxOf(is) === rateMaxOf(wanted);
  if (isSame) return undefined;
  return `Its throughput is ${throughputText(is)}, and the seed says ${throughputText(wanted)}`;
}

function throughputText(throughput: Throughput | undefined): string {
  if (throughput === undefined) return "that of its database";
  const { kind } = throughput;
  return `${kind === "manual" ? "" : "autoscale to "}${rateMaxOf(throughput)} RU/s`;
}

/** Whether the item that has the id and the key of this one is what this one says. */
export async function isSameItem(
  account: Account,
  container: Container,
  body: Buffer | JsonObject,
): Promise<boolean> {
  const { limits, consistency } = account;
  const draft = Buffer.isBuffer(body) ? parseItem(body, limits) : draftOfValue(body, limits);
  if (!draft.ok) return false;
  const key = container.readKey(draft.value.object);
  const routed = key.ok ? account.route(container, key.value) : undefined;
  if (routed?.ok !== true) return false;
  const { partition, epk } = routed.value;
  const terms = { caller: OWNER_CALLER, consistency };
  const read = await partition.read(epk, draft.value.id, terms);
  if (read.kind !== "found" || read.body === undefined) return false;
  const present = parseJson(read.body.toString("utf8")) as JsonObject;
  const wanted = parseJson(draft.value.text.toString("utf8")) as JsonObject;
  return textOf(present) === textOf(wanted);
}

function textOf(item: JsonObject): string {
  return canonicalText(withoutSystemProperties(item));
}

function cut(text: string): string {
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;
}
