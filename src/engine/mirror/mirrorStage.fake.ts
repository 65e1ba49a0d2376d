/**
 * Two containers of an account in memory, the source by tenant and the target by user, with ten
 * physical partitions each, and copies that a test makes one by one. For tests.
 */
import { assert } from "../../base/assert.ts";
import { lsn } from "../../base/units.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { AskedScope, ItemScope } from "../../model/request/itemScope.ts";
import type { Throughput } from "../../model/throughput.ts";
import { epkOf } from "../../partition/epk.ts";
import { rangeOfKey } from "../../partition/epkRange.ts";
import { rangeOfId } from "../../partition/partitionMap.ts";
import type { AccountSetting } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { objectOf } from "../item/itemBody.ts";
import { itemKeyOf } from "../item/itemKey.ts";
import { itemTermsOf } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { QueryAnswer } from "../query/queryItems.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { MirroringReport, MirrorTerms } from "./mirror.ts";
import type { ShapeReport } from "./shapeTally.ts";

const PARTITION_COUNT = 10;
/** Copies have numbers of their own here, so that a shift that is forgotten is found out. */
const NUMBER_SHIFT = 2 ** 40;

export interface StagedItem extends JsonObject {
  readonly id: string;
  readonly tenant: string;
  readonly user: string;
}

interface StageOptions {
  readonly target?: JsonObject;
  readonly throughput?: Throughput;
  readonly account?: Partial<AccountSetting>;
}

interface AskedQuery {
  readonly key?: PartitionKey;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
  readonly queryId?: string;
  readonly scope?: AskedScope;
  readonly countMax?: number;
}

export class MirrorStage {
  readonly simulated: Simulated;
  readonly source: Container;
  readonly target: Container;
  /** What the copy job says of the target. */
  isCaughtUp = true;
  #lsn = 1;

  private constructor(simulated: Simulated, source: Container, target: Container) {
    this.simulated = simulated;
    this.source = source;
    this.target = target;
  }

  static async open({ target = {}, throughput, account }: StageOptions = {}): Promise<MirrorStage> {
    const simulated = await simulatedAccount(account);
    const database = await databaseIn(simulated.account);
    const make = async (id: string, path: string, members: JsonObject): Promise<Container> => {
      const partitionKey = { paths: [path], kind: "Hash", version: 2 };
      const { limits, catalog } = simulated.account;
      const body = { id, partitionKey, ...members };
      const definition = parseContainerDefinition(body, undefined, limits);
      assert(definition.ok, "the definition is none");
      const provisioning = { partitionCount: PARTITION_COUNT, throughput };
      const made = await catalog.createContainer(database, definition.value, provisioning);
      assert(made.ok, "the container was refused");
      return made.value;
    };
    const source = await make("source", "/tenant", {});
    return new MirrorStage(simulated, source, await make("target", "/user", target));
  }

  start(more: Partial<MirrorTerms> = {}): void {
    this.simulated.account.mirroring.start({
      source: this.source,
      target: this.target,
      percent: 100,
      numberShift: NUMBER_SHIFT,
      caughtUp: () => Promise.resolve(this.isCaughtUp),
      ...more,
    });
  }

  /** Writes an item to the source, and what the target is to hold as its copy. */
  async write(item: StagedItem, copy: StagedItem | "none" = item): Promise<void> {
    const written = this.simulated.account.writeItem(this.source, {
      kind: "upsert",
      key: [item.tenant],
      body: item,
    });
    assert(written.ok, "the item was refused");
    assert((await written.value).kind !== "refused", "the item was refused");
    if (copy !== "none") await this.copy(item, copy);
  }

  /**
   * Makes the target hold `copy`, which may differ, as the copy of an item of the source, or of none
   * if it has another number.
   */
  async copy(item: StagedItem, copy: StagedItem = item, more = 0): Promise<void> {
    const { store } = this.simulated;
    const epk = epkOf(this.source.definition.partitionKey, [item.tenant]);
    const { part } = this.source.ownerOf(epk).entry;
    const original = (await store.get(part, itemKeyOf(epk, item.id)))!;
    const stamp = original.body.subarray(original.body.lastIndexOf(',"_rid":'));
    const body = Buffer.concat([Buffer.from(JSON.stringify(copy).slice(0, -1)), stamp]);
    const place = epkOf(this.target.definition.partitionKey, [copy.user]);
    const { entry, head } = this.target.ownerOf(place);
    const [present] = await store.getMany(entry.part, [itemKeyOf(place, copy.id)]);
    const at = lsn(++this.#lsn);
    const write = {
      kind: "put",
      key: itemKeyOf(place, copy.id),
      number: original.number + NUMBER_SHIFT + more,
      tag: 0,
      body,
      before: present && { lsn: present.lsn, bodyBytes: present.body.length },
      termsAdded: itemTermsOf(this.target, place, objectOf(body)).terms,
      termsRemoved: present ? itemTermsOf(this.target, place, objectOf(present.body)).terms : [],
    } as const;
    await store.adopt(entry.part, head.epoch, [{ lsn: at, logKind: "created", write }], at);
  }

  /** A point read of a client. */
  async read(item: Pick<StagedItem, "id" | "tenant">): Promise<void> {
    const { account } = this.simulated;
    const routed = account.route(this.source, [item.tenant]);
    assert(routed.ok, "the key is none");
    const { partition, epk } = routed.value;
    const terms = { caller: { priority: "high", bucket: undefined }, consistency: "session" };
    const outcome = await partition.read(epk, item.id, terms as never);
    const mirror = account.mirroring.active?.get(this.source);
    mirror?.noteRead({ epk, id: item.id, consistency: "session", outcome });
  }

  /** All pages of a query of a client, with a key or without. */
  async query(text: string, asked: AskedQuery = {}): Promise<void> {
    const { key, queryId, parameters: given = {}, countMax = 100 } = asked;
    const { account } = this.simulated;
    const parameters = new Map(Object.entries(given));
    const parameterNames = new Set(parameters.keys());
    const scope: AskedScope =
      asked.scope ??
      (key === undefined ? { kind: "container", isOfOldProgram: false } : { kind: "key", key });
    let continuation: string | undefined;
    do {
      const answer = await account.queryItems(this.source, {
        text,
        parameters,
        parameterNames,
        scope: this.#scopeOf(scope),
        isFanOutAllowed: true,
        continuation,
        countMax,
      });
      assert(answer.ok, `refused: ${JSON.stringify(answer)}`);
      const page = { text, parameters, parameterNames, scope, continuation, queryId };
      this.#note({ ...page, answer: answer.value });
      ({ continuation } = answer.value);
    } while (continuation !== undefined);
  }

  /** Lets everything come to an end, a second look at differences included. */
  async rest(): Promise<MirroringReport> {
    await this.simulated.time.advance(3_000);
    const report = this.simulated.account.mirroring.report(this.source);
    assert(report !== undefined, "the source is not mirrored");
    return report;
  }

  /** The report of the one shape that was asked for. */
  async shape(): Promise<ShapeReport> {
    const { shapes } = await this.rest();
    assert(shapes.length === 1, `${shapes.length} shapes were asked for`);
    return shapes[0]!;
  }

  #scopeOf(scope: AskedScope): ItemScope {
    const { definition, map } = this.source;
    if (scope.kind === "rangeId") {
      return { kind: "range", range: rangeOfId(map, scope.rangeId)! };
    }
    if (scope.kind !== "key") return { kind: "container" };
    return { kind: "key", range: rangeOfKey(definition.partitionKey, scope.key) };
  }

  #note(page: {
    readonly text: string;
    readonly parameters: ReadonlyMap<string, JsonValue>;
    readonly parameterNames: ReadonlySet<string>;
    readonly scope: AskedScope;
    readonly continuation: string | undefined;
    readonly queryId: string | undefined;
    readonly answer: QueryAnswer;
  }): void {
    const mirror = this.simulated.account.mirroring.active?.get(this.source);
    mirror?.noteQuery({ ...page, consistency: "session" });
  }
}
