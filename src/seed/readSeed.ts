/**
 * Reads a seed: YAML or JSON, or a value of that form. All problems are told at once, each with its
 * place; of a seed that has one, nothing is made.
 *
 * Whether the values of a policy make sense is not decided here, nor whether files are there. Does
 * no I/O: paths stay as they were written.
 */
import { no, ok, type Result } from "../base/result.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import type { Throughput } from "../model/throughput.ts";
import { type Members, SettingsReader } from "../yaml/settingsReader.ts";
import { jsonOf, type SourceForm, type SourceNode, treeOf } from "../yaml/sourceTree.ts";
import type {
  SeedContainer,
  SeedDatabase,
  SeedItems,
  SeedScript,
  SeedScriptKind,
  ServerSeed,
} from "./seed.ts";
import {
  BODY_NAMES,
  CONTAINER_NAMES,
  checkBodyNames,
  DATABASE_NAMES,
  PARTITION_KEY_NAMES,
  SEED_NAMES,
  TRIGGER_NAMES,
} from "./seedNames.ts";

type Read = Result<ServerSeed, readonly string[]>;

export function readSeed(file: string, text: string, form: SourceForm): Read {
  const reader = new SettingsReader(file);
  return seedIn(file, reader, reader.read(text, form));
}

/** `name` stands for the file in what is said of it. */
export function readSeedValue(name: string, value: JsonValue): Read {
  return seedIn(name, new SettingsReader(name), treeOf(value));
}

function seedIn(name: string, reader: SettingsReader, root: SourceNode | undefined): Read {
  const databases = root === undefined ? [] : new SeedTree(reader).databases(root);
  return reader.problems.length === 0 ? ok({ name, databases }) : no(reader.problems);
}

class SeedTree {
  readonly #reader: SettingsReader;

  constructor(reader: SettingsReader) {
    this.#reader = reader;
  }

  databases(root: SourceNode): readonly SeedDatabase[] {
    const reader = this.#reader;
    const { databases } = reader.members(root, SEED_NAMES);
    const named = reader.named(databases);
    if (databases === undefined && reader.problems.length === 0) {
      reader.problem(root, "it names no databases.");
    }
    return named.map(([id, node]) => this.#database(id, node));
  }

  #database(id: string, node: SourceNode): SeedDatabase {
    const reader = this.#reader;
    const members = isNothing(node) ? {} : reader.members(node, DATABASE_NAMES);
    const { containers } = members as Members<(typeof DATABASE_NAMES)[number]>;
    return {
      id,
      place: reader.placeOf(node),
      throughput: this.#throughput(members),
      containers: reader.named(containers).map(([name, one]) => this.#container(name, one)),
    };
  }

  #container(id: string, node: SourceNode): SeedContainer {
    const reader = this.#reader;
    const members = reader.members(node, CONTAINER_NAMES);
    return {
      id,
      place: reader.placeOf(node),
      body: this.#body(members),
      throughput: this.#throughput(members),
      scripts: [
        ...this.#scripts("storedProcedure", members.storedProcedures),
        ...this.#scripts("trigger", members.triggers),
        ...this.#scripts("userDefinedFunction", members.userDefinedFunctions),
      ],
      items: this.#items(members.items),
    };
  }

  #body(members: Members<(typeof CONTAINER_NAMES)[number]>): JsonObject {
    const reader = this.#reader;
    const { partitionKey, uniqueKeys } = members;
    const body: { [name: string]: JsonValue } = {};
    if (partitionKey !== undefined) {
      const key = this.#partitionKey(partitionKey);
      if (key !== undefined) body["partitionKey"] = key;
    }
    for (const name of BODY_NAMES) {
      const member = members[name];
      if (member === undefined) continue;
      checkBodyNames(reader, name, member);
      body[name] = jsonOf(member);
    }
    if (uniqueKeys !== undefined) {
      if (members.uniqueKeyPolicy !== undefined) {
        reader.problem(uniqueKeys, "it stands for uniqueKeyPolicy, which is here, too.");
      }
      const keys = reader.list(uniqueKeys).map((key) => ({ paths: reader.texts(key) ?? [] }));
      body["uniqueKeyPolicy"] = { uniqueKeys: keys };
    }
    return body;
  }

  /** `/a`, `[/a, /b]`, or as the service has it: with paths, kind and version. */
  #partitionKey(node: SourceNode): JsonObject | undefined {
    const reader = this.#reader;
    if (node.content.kind === "object") {
      const { paths, kind, version, systemKey } = reader.members(node, PARTITION_KEY_NAMES);
      if (paths === undefined) return reader.problem(node, "it has no paths.");
      const whole = definitionOf(reader.texts(paths) ?? []);
      return {
        ...whole,
        ...(kind !== undefined && { kind: jsonOf(kind) }),
        ...(version !== undefined && { version: jsonOf(version) }),
        ...(systemKey !== undefined && { systemKey: jsonOf(systemKey) }),
      };
    }
    const paths = reader.texts(node);
    return paths === undefined ? undefined : definitionOf(paths);
  }

  #throughput({
    throughput,
    autoscale,
  }: Members<"throughput" | "autoscale">): Throughput | undefined {
    const reader = this.#reader;
    if (throughput !== undefined && autoscale !== undefined) {
      return reader.problem(autoscale, "throughput and autoscale exclude each other.");
    }
    const rate = reader.number(throughput);
    if (rate !== undefined) return { kind: "manual", ratePerSecond: rate };
    const most = reader.number(autoscale);
    return most === undefined ? undefined : { kind: "autoscale", rateMax: most };
  }

  #items(node: SourceNode | undefined): readonly SeedItems[] {
    const reader = this.#reader;
    if (node === undefined) return [];
    const nodes = node.content.kind === "scalar" ? [node] : reader.list(node);
    return nodes.flatMap((one): readonly SeedItems[] => {
      const place = reader.placeOf(one);
      if (one.content.kind === "object") return [{ place, item: jsonOf(one) as JsonObject }];
      const path = one.content.kind === "scalar" ? one.content.value : undefined;
      if (typeof path === "string" && path !== "") return [{ place, path }];
      reader.problem(one, "it must be an item, or the path of a file with items.");
      return [];
    });
  }

  #scripts(kind: SeedScriptKind, node: SourceNode | undefined): readonly SeedScript[] {
    return this.#reader.named(node).flatMap(([id, one]) => this.#script(kind, id, one) ?? []);
  }

  #script(kind: SeedScriptKind, id: string, node: SourceNode): SeedScript | undefined {
    const reader = this.#reader;
    const place = reader.placeOf(node);
    if (kind !== "trigger") {
      const text = reader.text(node);
      return text === undefined ? undefined : { kind, id, place, terms: {}, code: codeIn(text) };
    }
    const { type, operation, body } = reader.members(node, TRIGGER_NAMES);
    const text = reader.text(body);
    if (type === undefined || body === undefined) {
      return reader.problem(node, "a trigger has a type, Pre or Post, and a body.");
    }
    const terms = {
      triggerType: reader.text(type) ?? "",
      triggerOperation: reader.text(operation) ?? "All",
    };
    return text === undefined ? undefined : { kind, id, place, terms, code: codeIn(text) };
  }
}

/** As clients make one of paths: version 2, and a hierarchical key from two paths on. */
function definitionOf(paths: readonly string[]): JsonObject {
  return { paths, kind: paths.length === 1 ? "Hash" : "MultiHash", version: 2 };
}

/** One line that ends in `.js` and has no braces is a path: a script has a function. */
function codeIn(text: string): SeedScript["code"] {
  return /^[^\n{}]*\.js$/.test(text) ? { path: text } : { text };
}

/** `shop:` with nothing behind it. */
function isNothing({ content }: SourceNode): boolean {
  return content.kind === "scalar" && content.value === null;
}
