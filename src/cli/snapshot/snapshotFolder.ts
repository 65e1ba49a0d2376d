/**
 * The folder of a snapshot: `init.yaml`, below the name of each database `<container>.ndjson`, and
 * below that of each container the code of its scripts. `init.yaml` comes last, so a folder that
 * was not completed is no seed.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Carried } from "../../json/digits.ts";
import { jsonText } from "../../json/stringify.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { yamlText } from "../../yaml/yamlText.ts";
import type { ContainerName } from "../connect/serverOptions.ts";

const SEED = "init.yaml";
const HEAD = "# Saved by `orrery snapshot save`. `orrery start --init` begins with it.\n";
const CODE_MEMBERS = ["storedProcedures", "userDefinedFunctions"] as const;

export class SnapshotFolder {
  readonly path: string;
  /** Names in use, as a file system that does not tell case apart has them. */
  readonly #names = new Set<string>();

  constructor(path: string, isForced: boolean) {
    this.path = path;
    if (!existsSync(path)) return;
    if (!statSync(path).isDirectory()) throw new BadOption(`'${path}' is no folder.`);
    if (isForced || readdirSync(path).length === 0) return;
    throw new BadOption(`'${path}' has files already. --force writes over those of a snapshot.`);
  }

  begin(): void {
    mkdirSync(this.path, { recursive: true });
    rmSync(join(this.path, SEED), { force: true });
  }

  /** The file of items of a container. */
  items({ database, container }: ContainerName): ItemsFile {
    const name = this.#free(`${safe(database)}/${safe(container)}`, ".ndjson");
    return new ItemsFile(name, this.#place(name));
  }

  /** The container with its file of items, and with paths for the code of its scripts. */
  withCode(
    { database, container }: ContainerName,
    written: JsonObject,
    items: string | undefined,
  ): JsonObject {
    const file = (id: string, code: string): string => {
      const name = this.#free(`${safe(database)}/${safe(container)}/${safe(id)}`, ".js");
      writeFileSync(this.#place(name), code);
      return name;
    };
    const members: { [name: string]: JsonValue } = { ...written };
    for (const name of CODE_MEMBERS) {
      const scripts = property(written, name);
      if (!isObject(scripts)) continue;
      members[name] = mapped(scripts, (id, code) => file(id, String(code)));
    }
    const triggers = property(written, "triggers");
    if (isObject(triggers)) {
      members["triggers"] = mapped(triggers, (id, trigger) => {
        const terms = trigger as JsonObject;
        return { ...terms, body: file(id, String(property(terms, "body"))) };
      });
    }
    return items === undefined ? members : { ...members, items };
  }

  complete(seed: object): void {
    writeFileSync(join(this.path, SEED), `${HEAD}${yamlText(seed)}`);
  }

  #place(name: string): string {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  }

  #free(stem: string, ending: string): string {
    for (let count = 1; ; count++) {
      const name = `${stem}${count === 1 ? "" : `-${count}`}${ending}`;
      const key = name.toLowerCase();
      if (this.#names.has(key)) continue;
      this.#names.add(key);
      return name;
    }
  }
}

/** A line for each item. */
class ItemsFile {
  readonly name: string;
  readonly #descriptor: number;
  #count = 0;

  constructor(name: string, path: string) {
    this.name = name;
    this.#descriptor = openSync(path, "w");
  }

  write(items: readonly Carried[]): void {
    this.#count += items.length;
    writeSync(this.#descriptor, items.map((item) => `${jsonText(item)}\n`).join(""));
  }

  /** How many there are. */
  end(): number {
    closeSync(this.#descriptor);
    return this.#count;
  }
}

function mapped(
  object: JsonObject,
  change: (name: string, value: JsonValue) => JsonValue,
): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([id, one]) => [id, change(id, one)]));
}

/** Longer ones are cut: file systems take 255 bytes, and endings come on top. */
const NAME_CHARACTERS_MAX = 100;

/** A name that every file system takes, and that leads nowhere else. */
function safe(name: string): string {
  const plain = name.replace(/[^\w.-]/gu, (character) => encodeURIComponent(character));
  return plain
    .replace(/^\.+/, (dots) => "%2E".repeat(dots.length))
    .replaceAll("*", "%2A")
    .slice(0, NAME_CHARACTERS_MAX);
}
