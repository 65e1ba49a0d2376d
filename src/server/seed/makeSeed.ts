/**
 * Makes what a seed says and is not there. What is there stays as it is, so making a seed again
 * changes nothing; where it differs from the seed, the report says so. A container that could not
 * become what the seed says, such as one under another partition key, ends it.
 *
 * Nothing of it costs request units: whoever starts a server is no caller.
 */
import type { Account } from "../../engine/account.ts";
import type { Database } from "../../engine/catalog/database.ts";
import {
  definitionBody,
  parseContainerDefinition,
} from "../../engine/definition/containerDefinition.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { OWNER_CALLER } from "../../model/caller.ts";
import type { Refusal } from "../../model/refusal.ts";
import { refusalMessage } from "../../protocol/answer/refusal.ts";
import { parseResource } from "../../protocol/answer/resourceBodies.ts";
import type { SeedContainer, SeedDatabase, SeedScript, ServerSeed } from "../../seed/seed.ts";
import { BadOption } from "../surroundings/options.ts";
import { hasKey, scriptBody } from "./checkedSeed.ts";
import { contentDifference, isSameItem, throughputDifference } from "./differences.ts";
import type { InitCounts, InitReport } from "./initReport.ts";
import { countsText, noCounts } from "./initReport.ts";
import type { SeedItem } from "./seedItems.ts";
import { itemsOf } from "./seedItems.ts";

/** Items under way at once: enough for full batches, and far from the bounds of an inbox. */
const ITEMS_AT_ONCE = 256;

/** Seeds that have been checked. `kept` says where that is which was made before a failure. */
export async function makeSeeds(
  account: Account,
  seeds: readonly ServerSeed[],
  kept: string | undefined,
): Promise<InitReport> {
  const making = new SeedMaking(account);
  try {
    for (const seed of seeds) await making.make(seed);
  } catch (error) {
    const before = countsText(making.made);
    if (!(error instanceof BadOption) || before === "nothing" || kept === undefined) throw error;
    throw new BadOption(
      `${error.message}\nBefore that it made ${before}, which stays in ${kept}. Once the seed is ` +
        "mended, start again: what is there is found.",
    );
  }
  return making.report(seeds.map(({ name }) => name));
}

interface Filling {
  readonly database: string;
  readonly container: string;
  readonly items: readonly JsonValue[];
  readonly kept: string | undefined;
}

/** Writes items that are not there into a container that is. */
export async function fillContainer(account: Account, filling: Filling): Promise<InitReport> {
  const name = `${filling.database}/${filling.container}`;
  const container = account.catalog.container(filling.database, filling.container);
  if (container === undefined) throw new BadOption(`There is no container '${name}'.`);
  const items = filling.items.map((body, at): SeedItem => {
    const place = `items[${at}]`;
    if (isObject(body)) return { place, body };
    throw new BadOption(`${place}: an item is an object.`);
  });
  const making = new SeedMaking(account);
  await making.fill(container, items);
  return making.report([]);
}

class SeedMaking {
  readonly made: InitCounts = noCounts();
  readonly #found: InitCounts = noCounts();
  readonly #differences: string[] = [];
  readonly #account: Account;
  #differingItems = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  report(from: readonly string[]): InitReport {
    return {
      from,
      made: this.made,
      found: this.#found,
      differingItems: this.#differingItems,
      differences: this.#differences,
    };
  }

  async make(seed: ServerSeed): Promise<void> {
    for (const one of seed.databases) {
      const database = await this.#database(one);
      // A view is made of a container that has to be there.
      const views = one.containers.filter(isView);
      for (const container of one.containers.filter((any) => !isView(any))) {
        await this.#container(database, container);
      }
      for (const view of views) await this.#container(database, view);
    }
  }

  async #database(seed: SeedDatabase): Promise<Database> {
    const { catalog } = this.#account;
    const present = catalog.database(seed.id);
    if (present === undefined) {
      const created = await catalog.createDatabase(seed.id, seed.throughput);
      if (!created.ok) throw refused(seed.place, created.error);
      this.made.databases++;
      return created.value;
    }
    this.#found.databases++;
    this.#differs(
      seed.place,
      `database '${seed.id}'`,
      throughputDifference(present.record.throughput, seed.throughput),
    );
    return present;
  }

  async #container(database: Database, seed: SeedContainer): Promise<void> {
    const present = database.containers.get(seed.id);
    const container =
      present === undefined
        ? await this.#newContainer(database, seed)
        : this.#presentContainer(present, seed);
    for (const script of seed.scripts) await this.#script(container, script);
    for await (const items of itemsOf(seed.items)) await this.fill(container, items);
  }

  async fill(container: Container, items: readonly SeedItem[]): Promise<void> {
    for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) {
      const some = items.slice(at, at + ITEMS_AT_ONCE);
      await Promise.all(some.map((item) => this.#item(container, item)));
    }
  }

  async #newContainer(database: Database, seed: SeedContainer): Promise<Container> {
    if (!hasKey(seed)) {
      throw new BadOption(
        `${seed.place}: the container is not there, and cannot be made without a partitionKey.`,
      );
    }
    const { catalog, limits } = this.#account;
    const body = { ...seed.body, id: seed.id };
    const definition = parseContainerDefinition(body, undefined, limits);
    if (!definition.ok) throw new BadOption(`${seed.place}: ${definition.error}`);
    const { throughput } = seed;
    const created = await catalog.createContainer(database, definition.value, { throughput });
    if (!created.ok) throw refused(seed.place, created.error);
    this.made.containers++;
    return created.value;
  }

  #presentContainer(present: Container, { place, body, throughput }: SeedContainer): Container {
    const about = `container '${present.databaseId}/${present.definition.id}'`;
    this.#found.containers++;
    const whole = definitionBody(present.definition);
    const next = parseContainerDefinition(
      { ...whole, ...body },
      present.definition,
      this.#account.limits,
    );
    const names = Object.keys(body);
    if (!next.ok) {
      const member = FIXED_NAMES.filter((name) => names.includes(name)).find(
        (name) => contentDifference(name, whole, body) !== undefined,
      );
      const both = member === undefined ? "" : ` ${contentDifference(member, whole, body)}.`;
      throw new BadOption(
        `${place}: ${next.error} The ${about} is there already.${both} Change the seed; or ` +
          `start without it, and: orrery rm ${present.databaseId}/${present.definition.id}`,
      );
    }
    const wanted = definitionBody(next.value);
    for (const name of names) this.#differs(place, about, contentDifference(name, whole, wanted));
    this.#differs(place, about, throughputDifference(present.record.throughput, throughput));
    return present;
  }

  async #script(container: Container, seed: SeedScript): Promise<void> {
    const { catalog, limits } = this.#account;
    const draft = parseResource(seed.kind, scriptBody(seed), limits);
    if (!draft.ok) throw new BadOption(`${seed.place}: ${draft.error}`);
    const present = catalog.resources.get(container.rid, seed.kind, seed.id);
    if (present === undefined) {
      const created = await catalog.resources.create(container, seed.kind, draft.value);
      if (!created.ok) throw refused(seed.place, created.error);
      this.made.scripts++;
      return;
    }
    this.#found.scripts++;
    const { content } = present.record;
    const { content: wanted } = draft.value;
    const owner = `'${container.databaseId}/${container.definition.id}'`;
    const about = `${SCRIPT_WORDS[seed.kind]} '${seed.id}' of ${owner}`;
    for (const name of Object.keys(wanted)) {
      this.#differs(seed.place, about, contentDifference(name, content, wanted));
    }
  }

  async #item(container: Container, { place, body }: SeedItem): Promise<void> {
    const request = { kind: "create", key: undefined, body } as const;
    const written = this.#account.writeItem(container, request, OWNER_CALLER);
    if (!written.ok) throw refused(place, written.error);
    const outcome = await written.value;
    if (outcome.kind !== "refused") this.made.items++;
    else if (outcome.refusal.kind !== "idTaken") throw refused(place, outcome.refusal);
    else {
      this.#found.items++;
      if (!(await isSameItem(this.#account, container, body))) this.#differingItems++;
    }
  }

  #differs(place: string, about: string, difference: string | undefined): void {
    if (difference === undefined) return;
    this.#differences.push(`${place}: the ${about} stays as it is. ${difference}.`);
  }
}

/** What a container has for good. */
const FIXED_NAMES: readonly string[] = [
  "partitionKey",
  "uniqueKeyPolicy",
  "vectorEmbeddingPolicy",
  "conflictResolutionPolicy",
  "materializedViewDefinition",
];

const SCRIPT_WORDS = {
  storedProcedure: "stored procedure",
  trigger: "trigger",
  userDefinedFunction: "user-defined function",
} as const;

function isView({ body }: SeedContainer): boolean {
  return property(body, "materializedViewDefinition") !== undefined;
}

function refused(place: string, refusal: Refusal): BadOption {
  return new BadOption(`${place}: ${refusalMessage(refusal)}`);
}
