/** The rules for items of a physical partition, and for records of parts without containers. */
import { isUtf8 } from "node:buffer";
import type { JsonObject } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { itemRid } from "../../model/rid.ts";
import { epkOf } from "../../partition/epk.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { contains } from "../../partition/epkRange.ts";
import type { PartitionEntry } from "../../partition/partitionMap.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey, idOfKey, itemKeyOf } from "../item/itemKey.ts";
import { heldTermsOf, isIndexedAnew, itemTermChange, itemTermsOf } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { PartRules } from "./partCheck.ts";
import type { TermRule } from "./termCheck.ts";

type Complain = (text: string) => void;

export function partitionRules(container: Container, entry: PartitionEntry): PartRules {
  const keyProblem = (key: string): string | undefined =>
    contains(entry.range, epkOfKey(key)) ? undefined : "its key is not in the range";
  return {
    nameOf: (key) => `item ${JSON.stringify(idOfKey(key))}`,
    keyProblem,
    look: (item, complain) => {
      const object = parsed(item.body);
      if (object === undefined) {
        complain("the body is no JSON object");
        return undefined;
      }
      const epk = checkPlace(container, item, object, complain);
      const outside = keyProblem(item.key);
      if (outside !== undefined) complain(outside);
      checkStamp(container, item, object, complain);
      return epk && new Set(itemTermsOf(container, epk, object).terms);
    },
    ruleOf: ({ key, body }) => termRule(container, epkOfKey(key), objectOf(body)),
  };
}

/** The rules of a part that holds records of the server itself. */
export function recordRules(look: (item: StoredItem, complain: Complain) => void): PartRules {
  const none = new Set<string>();
  return {
    nameOf: (key) => JSON.stringify(key),
    keyProblem: () => undefined,
    look: (item, complain) => {
      look(item, complain);
      return none;
    },
    ruleOf: () => ({ due: none, possible: none }),
  };
}

/**
 * Returns the terms of an item. Under former policies an item may have terms of any of them, and
 * may lack terms that not all of them have.
 */
function termRule(container: Container, epk: Epk, item: JsonObject): TermRule {
  const now = itemTermsOf(container, epk, item).terms;
  if (!isIndexedAnew(container)) return { due: new Set(now), possible: new Set(now) };
  const uncertain = new Set(itemTermChange(container, epk, item, { item }).added);
  return {
    due: new Set(now.filter((term) => !uncertain.has(term))),
    possible: new Set(heldTermsOf(container, epk, item)),
  };
}

/** Returns the EPK under which the item should be, or complains about its place. */
function checkPlace(
  container: Container,
  { key }: StoredItem,
  object: JsonObject,
  complain: Complain,
): Epk | undefined {
  const id = property(object, "id");
  const partitionKey = container.readKey(object);
  if (typeof id !== "string" || !partitionKey.ok) {
    complain(partitionKey.ok ? "it has no id" : partitionKey.error);
    return undefined;
  }
  const epk = epkOf(container.definition.partitionKey, partitionKey.value);
  if (itemKeyOf(epk, id) === key) return epk;
  const due = `${JSON.stringify(id)} at EPK ${epk}`;
  complain(`it is kept as ${JSON.stringify(idOfKey(key))} at EPK ${epkOfKey(key)}, but is ${due}`);
  return undefined;
}

function checkStamp(
  container: Container,
  { number, tag }: StoredItem,
  object: JsonObject,
  complain: Complain,
): void {
  const rid = itemRid(container.childRids, number);
  if (property(object, "_rid") !== rid) complain(`its _rid should be ${rid}`);
  const ttl = property(object, "ttl") ?? 0;
  if (ttl !== tag) complain(`its ttl is ${JSON.stringify(ttl)}, but it is kept with ${tag}`);
}

function parsed(body: Buffer): JsonObject | undefined {
  if (!isUtf8(body)) return undefined;
  try {
    const value = objectOf(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
