/** The `candidates` of a workload file: keys that its author wants to have judged. */

import { nearestName } from "../../base/nearestName.ts";
import type { KeyLevels } from "../../keys/expression.ts";
import {
  LEVELS_MAX,
  parseKeyExpression,
  parseKeyLevels,
  printKeyExpression,
  printKeyLevels,
} from "../../keys/expressionText.ts";
import { pathsOf, pathText } from "../../keys/paths.ts";
import { placeOf, type SourceNode } from "../../yaml/sourceTree.ts";
import { valueIn } from "./pathField.ts";
import {
  amountOf,
  booleanOf,
  COUNT,
  elementsOf,
  Fields,
  membersOf,
  oneOrMore,
  type Reading,
  SHARE,
  textOf,
} from "./reading.ts";
import type {
  ItemShape,
  NamedCandidate,
  Operation,
  PropertyShape,
  StatedFacts,
} from "./workload.ts";

/** What candidates are checked against. */
interface CandidateSetting {
  readonly source: string;
  readonly item: ItemShape;
  readonly properties: ReadonlyMap<string, PropertyShape>;
  readonly operations: readonly Operation[];
}

export function candidatesOf(
  node: SourceNode | undefined,
  setting: CandidateSetting,
  reading: Reading,
): readonly NamedCandidate[] {
  const ids = new Set<string>();
  return (elementsOf(node, reading) ?? []).flatMap((element) => {
    const candidate = candidateOf(element, setting, reading);
    if (candidate === undefined) return [];
    const { id } = candidate;
    if (ids.has(id)) reading.problem(element, `There is another candidate with the id '${id}'.`);
    ids.add(id);
    return [candidate];
  });
}

function candidateOf(
  node: SourceNode,
  setting: CandidateSetting,
  reading: Reading,
): NamedCandidate | undefined {
  const place = `${setting.source}:${placeOf(node)}`;
  if (node.content.kind !== "object") {
    const levels = levelsOf(node, reading);
    if (levels === undefined) return undefined;
    remarkUnknownPaths(levels, node, { setting, reading });
    return { id: printKeyLevels(levels), levels: printed(levels), facts: undefined, place };
  }
  const fields = new Fields(node, reading);
  const id = textOf(fields.take("id", "name"), reading);
  const key = fields.take("key", "paths", "synthetic");
  const facts = factsOf(fields.take("facts"), setting, reading);
  fields.take("kind"); // The levels say whether the key is hierarchical.
  fields.close();
  if (key === undefined) {
    return reading.problem(node, "It has no key; write one as key: /tenantId");
  }
  const levels = levelsOf(key, reading);
  if (levels === undefined) return undefined;
  remarkUnknownPaths(levels, key, { setting, reading });
  return { id: id ?? printKeyLevels(levels), levels: printed(levels), facts, place };
}

function printed(levels: KeyLevels): readonly string[] {
  return levels.map(printKeyExpression);
}

/** Parses the levels of a key: one text with all levels, or a list with a text for each. */
function levelsOf(node: SourceNode, reading: Reading): KeyLevels | undefined {
  if (node.content.kind !== "list") {
    const text = textOf(node, reading);
    if (text === undefined) return undefined;
    const parsed = parseKeyLevels(text);
    if (parsed.ok) return parsed.value;
    return reading.problem(node, expressionProblem(text, parsed.error));
  }
  const { elements } = node.content;
  if (elements.length === 0 || elements.length > LEVELS_MAX) {
    return reading.problem(node, `A key has one to ${LEVELS_MAX} levels, not ${elements.length}.`);
  }
  const levels = elements.map((element) => {
    const text = textOf(element, reading);
    if (text === undefined) return undefined;
    const parsed = parseKeyExpression(text);
    if (parsed.ok) return parsed.value;
    return reading.problem(element, expressionProblem(text, parsed.error));
  });
  return levels.every((level) => level !== undefined) ? levels : undefined;
}

function expressionProblem(
  text: string,
  { message, at }: { readonly message: string; readonly at: number },
): string {
  return `The key '${text}' cannot be read: ${message} (character ${at + 1}).`;
}

/** A path that is not described gets a remark and is no problem, because a profile may know it. */
function remarkUnknownPaths(
  levels: KeyLevels,
  node: SourceNode,
  { setting, reading }: { readonly setting: CandidateSetting; readonly reading: Reading },
): void {
  const { item, properties } = setting;
  if (item.example === undefined && properties.size === 0) return;
  for (const path of levels.flatMap(pathsOf).map(pathText)) {
    if (path === "/id" || properties.has(path)) continue;
    if (valueIn(item.example, path) !== undefined) continue;
    const sentence = `${node.path} uses ${path}, which neither the properties nor the example has.`;
    reading.remark(sentence);
  }
}

function factsOf(
  node: SourceNode | undefined,
  { operations }: CandidateSetting,
  reading: Reading,
): StatedFacts | undefined {
  if (node === undefined) return undefined;
  const ids = new Set(operations.map(({ id }) => id));
  const fields = new Fields(node, reading);
  const share = (name: string): number | undefined => amountOf(fields.take(name), SHARE, reading);
  const facts: StatedFacts = {
    distinctKeys: amountOf(fields.take("distinctKeys"), COUNT, reading),
    largestKeyStorageShare: share("largestKeyStorageShare"),
    hottestKeyWriteShare: share("hottestKeyWriteShare"),
    hottestKeyReadShare: share("hottestKeyReadShare"),
    pins: operationIds(fields.take("pins"), ids, reading),
    boundedFanout: fanoutOf(fields.take("boundedFanout"), ids, reading),
    isMutable: booleanOf(fields.take("mutable", "isMutable"), reading),
    breaksTransactions: operationIds(fields.take("breaksTransactions"), ids, reading),
  };
  fields.close();
  return facts;
}

function operationIds(
  node: SourceNode | undefined,
  ids: ReadonlySet<string>,
  reading: Reading,
): readonly string[] | undefined {
  return oneOrMore(node)?.flatMap((element) => {
    const id = textOf(element, reading);
    if (id !== undefined) checkId(id, element, { ids, reading });
    return id ?? [];
  });
}

function fanoutOf(
  node: SourceNode | undefined,
  ids: ReadonlySet<string>,
  reading: Reading,
): ReadonlyMap<string, number> | undefined {
  const members = membersOf(node, reading);
  if (members === undefined) return undefined;
  const fanout = new Map<string, number>();
  for (const [id, written] of members) {
    checkId(id, written, { ids, reading });
    const count = amountOf(written, { ...COUNT, what: "a number of keys" }, reading);
    if (count !== undefined) fanout.set(id, count);
  }
  return fanout;
}

function checkId(
  id: string,
  node: SourceNode,
  { ids, reading }: { readonly ids: ReadonlySet<string>; readonly reading: Reading },
): void {
  if (ids.has(id)) return;
  const meant = nearestName(id, ids);
  const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
  reading.problem(node, `There is no operation '${id}'.${hint}`);
}
