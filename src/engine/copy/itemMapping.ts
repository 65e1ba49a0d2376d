/**
 * The mappings of a copy job: forth, from an item to its copy under the new key, and back, from an
 * item of the new container to what it is in the old one.
 */
import type { JsonObject } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { bareEtagOf, objectOf, ownTextOf, tsOf } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";
import { routeKey } from "../partition/itemRouting.ts";
import type { KeyLevel } from "./madeKey.ts";
import { withKey, withoutKey } from "./madeKey.ts";
import type { Mapped, Mapping, Unfit } from "./mapping.ts";
import { draftOfText } from "./mapping.ts";
import type { ItemFilter, Projection } from "./projection.ts";
import { isSampled } from "./projection.ts";

export interface MappingTerms {
  /** Absent if the key stays as it is. */
  readonly levels?: readonly KeyLevel[] | undefined;
  readonly filter?: ItemFilter | undefined;
  readonly projection?: Projection | undefined;
  readonly samplePercent?: number | undefined;
  /** True when items without the new key are copied under no key. */
  readonly mayLackKey: boolean;
  /** True when copies begin to live anew. */
  readonly restartsTtl: boolean;
  /** By how many ordinals the numbers of copies are above those of their originals. */
  readonly ordinalShift: number;
  /** How many ordinals of the originals there is room for. */
  readonly ordinalCount: number;
}

interface MappingSetting {
  readonly limits: Limits;
  readonly clock: { wallNow(): number };
}

export function forthMapping(
  setting: MappingSetting,
  target: Container,
  terms: MappingTerms,
): Mapping {
  const { limits, clock } = setting;
  const shift = terms.ordinalShift * NUMBERS_PER_PARTITION;
  const end = shift + terms.ordinalCount * NUMBERS_PER_PARTITION;
  const numberOf = (sourceNumber: number): number => sourceNumber + shift;
  const copyOf = (item: StoredItem): Mapped => {
    const { body, number } = item;
    if (numberOf(number) >= end) return unfit("refused", OUT_OF_NUMBERS);
    const whole = terms.filter && objectOf(body);
    const isCopied = whole && terms.filter!(whole);
    if (isCopied?.ok === false) return unfit("refused", isCopied.error);
    if (isCopied?.value === false) return { kind: "leftOut" };
    const projected = terms.projection?.(objectOf(body));
    if (projected?.ok === false) return unfit("refused", projected.error);
    const text = projected?.value ?? ownTextOf(body);
    const object = JSON.parse(text.toString("utf8")) as JsonObject;
    const { id } = object;
    if (typeof id !== "string") return unfit("refused", "The selection leaves out the id.");
    const { samplePercent } = terms;
    if (samplePercent !== undefined && !isSampled(id, samplePercent)) return { kind: "leftOut" };
    const keyed =
      terms.levels === undefined
        ? ({ kind: "keyed", object, text } as const)
        : withKey(terms.levels, { object, text, number }, terms.mayLackKey);
    if (keyed.kind === "missing") return unfit("missingKey", keyed.reason);
    if (keyed.kind === "occupied") return unfit("refused", keyed.reason);
    const ts = terms.restartsTtl ? Math.floor(clock.wallNow() / 1000) : tsOf(body);
    const original = { number: numberOf(number), etag: bareEtagOf(body), ts };
    return placed(limits, target, { id, ...keyed, original });
  };
  const sourceNumberOf = (number: number): number | undefined =>
    shift <= number && number < end ? number - shift : undefined;
  return { copyOf, numberOf, sourceNumberOf };
}

/** From the new container to the old one, in which items do not have the properties of the key. */
export function backMapping(
  { limits }: Pick<MappingSetting, "limits">,
  old: Container,
  levels: readonly KeyLevel[],
): Mapping {
  const copyOf = (item: StoredItem): Mapped => {
    const { body, number } = item;
    const stripped = withoutKey(levels, objectOf(body), ownTextOf(body));
    const object = JSON.parse(stripped.toString("utf8")) as JsonObject;
    const original = { number, etag: bareEtagOf(body), ts: tsOf(body) };
    const id = object["id"] as string;
    return placed(limits, old, { id, object, text: stripped, original });
  };
  return { copyOf, numberOf: (number) => number, sourceNumberOf: (number) => number };
}

const OUT_OF_NUMBERS =
  "The source was split so often during the job that the numbers set aside for its items do not " +
  "suffice. Start a new job.";

/** A copy at the place that its key gives it. */
export function placed(
  limits: Limits,
  target: Container,
  copy: {
    readonly id: string;
    readonly object: JsonObject;
    readonly text: Buffer;
    readonly original: { readonly number: number; readonly etag: string; readonly ts: number };
  },
): Mapped {
  const { id, object, text, original } = copy;
  if (text.length > limits.itemBytesMax) {
    return unfit("tooLarge", `With its key the item has more than ${limits.itemBytesMax} bytes.`);
  }
  const key = target.readKey(object);
  if (!key.ok) return unfit("refused", key.error);
  const routed = routeKey(target, key.value, limits);
  if (!routed.ok) {
    const { error } = routed;
    return unfit("refused", "message" in error ? error.message : error.kind);
  }
  const draft = draftOfText(id, object, text);
  return { kind: "copy", key: key.value, epk: routed.value.epk, draft, original };
}

function unfit(code: Unfit["code"], reason: string): Unfit {
  return { kind: "unfit", code, reason };
}
