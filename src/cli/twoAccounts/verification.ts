/**
 * Both containers held against each other, by content. Items are ordered differently on the two
 * sides, so sums are compared that do not depend on order: one for each stretch of the target's
 * keys. Only where sums differ is it looked which ids do.
 *
 * What is written meanwhile on either side differs, too.
 */
import { createHash } from "node:crypto";
import type { Container } from "@azure/cosmos";
import { canonicalText } from "../../json/canonical.ts";
import type { JsonObject } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import { clientKey } from "../../keys/strategy.ts";
import type { Difference, VerificationReport } from "../../model/copyJob.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import { epkText, type Placement } from "../import/placement.ts";
import type { CopyAccount } from "./account.ts";
import type { AccountMapping } from "./mapping.ts";
import type { AccountTally } from "./tally.ts";

interface VerificationSetting {
  readonly from: CopyAccount;
  readonly to: CopyAccount;
  readonly source: Container;
  readonly target: Container;
  readonly placement: Placement;
  readonly mapping: AccountMapping;
  /** What the source is asked for. */
  readonly sql: string;
  readonly tally: AccountTally;
  /** The target has nothing but the copy: what is too much there is a difference. */
  readonly isOwn: boolean;
  readonly isInterrupted: () => boolean;
}

interface Seen {
  readonly id: string;
  readonly key: PartitionKey;
  readonly stretch: string;
  readonly hash: bigint;
}

/** Digits of an EPK that name a stretch: a thousand of them. */
const STRETCH_DIGITS = 3;
const MODULUS: bigint = 1n << 128n;
const SHOWN_MAX = 100;
const PAGE_COUNT = 1000;

/** Undefined when it was interrupted. */
export async function verified(
  setting: VerificationSetting,
): Promise<VerificationReport | undefined> {
  const [source, target] = [new Sums(), new Sums()];
  for await (const seen of sourceItems(setting)) source.add(seen);
  for await (const seen of targetItems(setting)) target.add(seen);
  if (setting.isInterrupted()) return undefined;
  const differing = source.differencesTo(target);
  const common = { comparedCount: source.count, sum: source.whole() };
  if (differing.size === 0) return { state: "fresh", ...common };
  const sides = await Promise.all([
    collected(sourceItems(setting), differing),
    collected(targetItems(setting), differing),
  ]);
  return setting.isInterrupted()
    ? undefined
    : { ...common, ...comparedSides(...sides, setting.isOwn) };
}

class Sums {
  count = 0;
  readonly #stretches = new Map<string, { count: number; sum: bigint }>();

  add({ stretch, hash }: Seen): void {
    this.count++;
    const known = this.#stretches.get(stretch) ?? { count: 0, sum: 0n };
    known.count++;
    known.sum = (known.sum + hash) % MODULUS;
    this.#stretches.set(stretch, known);
  }

  differencesTo(other: Sums): ReadonlySet<string> {
    const all = new Set([...this.#stretches.keys(), ...other.#stretches.keys()]);
    return new Set(
      [...all].filter((stretch) => {
        const [a, b] = [this.#stretches.get(stretch), other.#stretches.get(stretch)];
        return a?.sum !== b?.sum || a?.count !== b?.count;
      }),
    );
  }

  whole(): string {
    let sum = 0n;
    for (const stretch of this.#stretches.values()) sum = (sum + stretch.sum) % MODULUS;
    return sum.toString(16).padStart(32, "0");
  }
}

async function collected(
  items: AsyncIterable<Seen>,
  stretches: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Seen>> {
  const found = new Map<string, Seen>();
  for await (const seen of items) {
    if (stretches.has(seen.stretch)) found.set(slotOf(seen), seen);
  }
  return found;
}

function slotOf({ key, id }: Seen): string {
  return JSON.stringify([clientKey(key), id]);
}

function comparedSides(
  source: ReadonlyMap<string, Seen>,
  target: ReadonlyMap<string, Seen>,
  isOwn: boolean,
): VerificationReport {
  const found: Record<Difference["kind"], Seen[]> = { missing: [], extra: [], differs: [] };
  for (const [slot, seen] of source) {
    const copy = target.get(slot);
    if (copy === undefined) found.missing.push(seen);
    else if (copy.hash !== seen.hash) found.differs.push(seen);
  }
  for (const [slot, seen] of target) {
    if (isOwn && !source.has(slot)) found.extra.push(seen);
  }
  const { missing, extra, differs } = found;
  const differences = (["missing", "extra", "differs"] as const).flatMap((kind) =>
    found[kind].slice(0, SHOWN_MAX).map(
      ({ id, key }): Difference => ({
        kind,
        id,
        newKey: key.map((component) => (component === undefined ? {} : component)),
      }),
    ),
  );
  return {
    // Both may have been brought together between the two looks.
    state: differences.length === 0 ? "fresh" : "differs",
    missingCount: missing.length,
    extraCount: extra.length,
    differingCount: differs.length,
    differences,
  };
}

async function* sourceItems(setting: VerificationSetting): AsyncIterable<Seen> {
  const { from, source, sql, mapping, tally } = setting;
  for await (const { rows, ru } of pagesOf(from, source, sql)) {
    tally.readRu += ru;
    if (setting.isInterrupted()) return;
    for (const item of rows) {
      const mapped = mapping.copyOf(item);
      if (mapped.kind === "copy") yield seenOf(setting, mapped.draft.key, mapped.draft.body);
    }
  }
}

async function* targetItems(setting: VerificationSetting): AsyncIterable<Seen> {
  const { to, target, mapping, tally } = setting;
  for await (const { rows, ru } of pagesOf(to, target, "SELECT * FROM c")) {
    tally.writeRu += ru;
    if (setting.isInterrupted()) return;
    for (const item of rows) yield seenOf(setting, mapping.targetKeyOf(item), item);
  }
}

function seenOf(
  { placement, mapping }: VerificationSetting,
  key: PartitionKey,
  body: JsonObject,
): Seen {
  const id = String(property(body, "id"));
  const text = canonicalText(mapping.comparable(body));
  const digest = createHash("sha256").update(`${JSON.stringify(clientKey(key))}\n${text}`);
  return {
    id,
    key,
    stretch: epkText(placement, key).slice(0, STRETCH_DIGITS),
    hash: BigInt(`0x${digest.digest("hex").slice(0, 32)}`),
  };
}

/** Rows of a query, page by page. */
export async function* pagesOf(
  account: CopyAccount,
  container: Container,
  sql: string,
): AsyncIterable<{ readonly rows: readonly JsonObject[]; readonly ru: number }> {
  const iterator = container.items.query<JsonObject>(sql, { maxItemCount: PAGE_COUNT });
  while (iterator.hasMoreResults()) {
    let page: Awaited<ReturnType<typeof iterator.fetchNext>>;
    try {
      page = await iterator.fetchNext();
    } catch (error) {
      throw account.failureOf(error);
    }
    yield { rows: page.resources ?? [], ru: page.requestCharge };
  }
}
