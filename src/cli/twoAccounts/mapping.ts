/**
 * From an item of the source to its copy: the new key is made and written where it has to be, what
 * the service stamps on items is left behind, and what is left of a life is turned into a `ttl`.
 */
import { withoutSystemProperties } from "../../base/systemProperties.ts";
import { put } from "../../itemFile/properties.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { componentOf } from "../../keys/component.ts";
import type { KeyExpression } from "../../keys/expression.ts";
import { printKeyExpression } from "../../keys/expressionText.ts";
import { valueAt } from "../../keys/paths.ts";
import { hashBucket } from "../../keys/stableHash.ts";
import type { CopyQuestion, SetAsideItem } from "../../model/copyJob.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Placement } from "../import/placement.ts";

/** An item as it is to be in the target. */
export interface CopyDraft {
  readonly id: string;
  readonly key: PartitionKey;
  /** Together with the id it tells whose copy this is. */
  readonly sourceKey: PartitionKey;
  readonly body: JsonObject;
  /** Of the source item, as it came. */
  readonly item: JsonObject;
}

type Mapped =
  | { readonly kind: "copy"; readonly draft: CopyDraft }
  | { readonly kind: "leftOut" }
  | { readonly kind: "setAside"; readonly code: SetAsideItem["code"]; readonly reason: string };

/** A level that is no property of the source: where it is written, and what. */
export interface MadeUpLevel {
  readonly expression: KeyExpression;
  readonly steps: readonly string[];
  /** The user named the property; otherwise one that is there already is not overwritten. */
  readonly isNamed: boolean;
}

interface MappingRules {
  readonly source: Placement;
  readonly target: Placement;
  readonly madeUp: readonly MadeUpLevel[];
  readonly question: CopyQuestion;
  /** Of the source in seconds: absent when nothing expires there, -1 when only items say when. */
  readonly defaultTtl: number | undefined;
  /** Whether items of the target can expire. */
  readonly isTargetMortal: boolean;
  /** The time of the source. */
  readonly wallNow: () => number;
}

const BUCKETS = 1_000_000;
const NO_DRAW = { random: () => 0, turn: () => 0 };

export class AccountMapping {
  readonly #rules: MappingRules;
  readonly #sampleMax: number;

  constructor(rules: MappingRules) {
    this.#rules = rules;
    const { samplePercent = 100 } = rules.question;
    this.#sampleMax = (samplePercent / 100) * BUCKETS;
  }

  /** What of a copy differs from run to run: how long it has left to live. */
  comparable(body: JsonObject): JsonObject {
    const { ttl: _ttl, ...rest } = withoutSystemProperties(body);
    return this.#keepsTtl ? rest : withoutSystemProperties(body);
  }

  sourceKeyOf(item: JsonObject): PartitionKey {
    const key = this.#rules.source.keyOf(item);
    return key.ok ? key.value : [];
  }

  targetKeyOf(copy: JsonObject): PartitionKey {
    const key = this.#rules.target.keyOf(copy);
    return key.ok ? key.value : [];
  }

  copyOf(item: JsonObject): Mapped {
    const id = property(item, "id");
    if (typeof id !== "string") {
      return setAside("refused", "it has no id; --select has to name c.id");
    }
    if (hashBucket(id, BUCKETS) >= this.#sampleMax) return { kind: "leftOut" };
    const { _lsn, ...own } = withoutSystemProperties(item) as Record<string, JsonValue>;
    const problem = this.#writeLevels(own, item);
    if (problem !== undefined) return problem;
    const ttl = this.#ttlOf(item);
    if (ttl === "over") return { kind: "leftOut" };
    if (ttl !== undefined) own["ttl"] = ttl;
    const key = this.#rules.target.keyOf(own);
    if (!key.ok) return setAside("refused", key.error);
    if (key.value.includes(undefined) && this.#rules.question.onMissingKey !== "none") {
      const { paths } = this.#rules.target.definition;
      const missing = paths.filter((_, level) => key.value[level] === undefined);
      return setAside("missingKey", `it has no value at ${missing.join(" and ")}`);
    }
    const sourceKey = this.sourceKeyOf(item);
    return { kind: "copy", draft: { id, key: key.value, sourceKey, body: own, item } };
  }

  #writeLevels(own: Record<string, JsonValue>, item: JsonObject): Mapped | undefined {
    for (const { expression, steps, isNamed } of this.#rules.madeUp) {
      const component = componentOf(expression, item, NO_DRAW);
      const place = `/${steps.join("/")}`;
      const present = valueAt(own, steps);
      if (present !== undefined && present !== component && !isNamed) {
        const why = `it has a property ${place} already; --key-property names another one`;
        return setAside("refused", why);
      }
      if (component === undefined) {
        if (this.#rules.question.onMissingKey === "none") continue;
        const made = printKeyExpression(expression);
        return setAside("missingKey", `${made} has no value for it`);
      }
      // A property is put into objects on the way to it, which belong to the item as it came.
      const [first, ...rest] = steps;
      const holder = own[first!];
      if (rest.length > 0 && isObject(holder ?? null)) own[first!] = structuredClone(holder!);
      if (!put(own, steps, component)) {
        return setAside("refused", `${place} cannot be written: something on the way is no object`);
      }
    }
    return undefined;
  }

  get #keepsTtl(): boolean {
    const { question, defaultTtl, isTargetMortal } = this.#rules;
    return question.ttl !== "restart" && defaultTtl !== undefined && isTargetMortal;
  }

  /** Seconds that are left, if the item is to have them; undefined: as it is. */
  #ttlOf(item: JsonObject): number | "over" | undefined {
    if (!this.#keepsTtl) return undefined;
    const own = property(item, "ttl");
    const life = typeof own === "number" ? own : this.#rules.defaultTtl!;
    const writtenAt = property(item, "_ts");
    if (life <= 0 || typeof writtenAt !== "number") return undefined;
    const left = writtenAt + life - this.#rules.wallNow() / 1000;
    return left <= 0 ? "over" : Math.max(1, Math.round(left));
  }

  /** Whether a life can be kept with what a query gives. */
  needsStamp(item: JsonObject): boolean {
    return this.#keepsTtl && property(item, "_ts") === undefined;
  }
}

function setAside(code: SetAsideItem["code"], reason: string): Mapped {
  return { kind: "setAside", code, reason };
}
