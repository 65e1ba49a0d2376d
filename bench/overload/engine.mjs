/**
 * What a 429 costs without HTTP: the same code that the server runs, called in this process.
 *
 * Three depths, each from a request that is served to one that is refused: the physical partition
 * alone, with finding it before, and the whole way from a parsed request to a finished answer. The
 * store is in memory, so the read that refusals are compared with is the cheapest there is.
 */
import { spreadOf } from "../figures.mjs";
import { Inside, loadEngine, measureSteps, VAST_RATE } from "../inside.mjs";
import { itemTextOf, partitionKeyOf } from "../items.mjs";
import { loadedIdOf } from "../requests.mjs";

/** @typedef {{ name: string, micros: number, ratio: import("../figures.mjs").Spread | undefined }} EnginePrice */
/** @typedef {import("../../src/engine/partition/container.ts").Container} Container */
/** @typedef {{ depth: string, name: string, isBase: boolean, run: (turn: number) => unknown }} Step */

const SMALL_RATE = 400;
const ALONE = "partition alone";
const FOUND = "with finding it";
const WHOLE = "request to answer";

/**
 * @param {{ rounds: number, count: number, itemCount: number }} plan
 * @returns {Promise<EnginePrice[]>}
 */
export async function measureEngine({ rounds, count, itemCount }) {
  const code = await loadEngine();
  const inside = await Inside.open(code, { isLimited: true, hasStatistics: true });
  const steps = [
    ...(await engineSteps(inside, code, itemCount)),
    ...gatewaySteps(inside, itemCount),
  ];
  const samples = await measureSteps(steps, { rounds, count });
  await inside.account.close();
  return steps.map(({ name, depth }) => {
    const base = steps.find((one) => one.depth === depth && one.isBase)?.name ?? name;
    const own = samples.get(name) ?? [];
    const others = samples.get(base) ?? [];
    const ratio = spreadOf(own.map((micros, round) => micros / others[round]));
    return { name, micros: spreadOf(own)?.median ?? 0, ratio };
  });
}

/** @type {(inside: Inside, code: import("../inside.mjs").EngineCode, itemCount: number) => Promise<readonly Step[]>} */
async function engineSteps(inside, code, itemCount) {
  const { account } = inside;
  const caller = code.HIGH_CALLER;
  const served = await inside.container("served", VAST_RATE);
  const dry = await inside.container("dry", SMALL_RATE);
  await inside.load("served", itemCount);
  const at = (/** @type {number} */ turn) => (turn * 7919) % itemCount;
  const terms = /** @type {const} */ ({ caller, consistency: "session" });
  const items = Array.from({ length: itemCount }, (_, index) => {
    const id = loadedIdOf(index);
    return { id, key: [partitionKeyOf(index)], body: Buffer.from(itemTextOf(id, index, 0)) };
  });
  // So deep in debt that it stays there.
  const { partition, epk } = allowed(account.route(dry, items[0].key));
  partition.spending.settle("write", epk, code.ru(1e9), caller);
  /** @type {(container: Container) => (turn: number) => unknown} */
  const readAlone = (container) => {
    const routes = items.map(({ key }) => allowed(account.route(container, key)));
    return (turn) => {
      const route = routes[at(turn)];
      return route.partition.read(route.epk, items[at(turn)].id, terms);
    };
  };
  /** @type {(container: Container) => (turn: number) => unknown} */
  const read = (container) => (turn) => {
    const { id, key } = items[at(turn)];
    const route = allowed(account.route(container, key));
    return route.partition.read(route.epk, id, terms);
  };
  /** @param {number} turn */
  const write = (turn) => {
    const { key, body } = items[at(turn)];
    return allowed(account.writeItem(dry, { kind: "create", key, body }, caller));
  };
  return [
    { depth: ALONE, name: `read served, ${ALONE}`, isBase: true, run: readAlone(served) },
    { depth: ALONE, name: `read 429, ${ALONE}`, isBase: false, run: readAlone(dry) },
    { depth: FOUND, name: `read served, ${FOUND}`, isBase: true, run: read(served) },
    { depth: FOUND, name: `read 429, ${FOUND}`, isBase: false, run: read(dry) },
    { depth: FOUND, name: `create 429, ${FOUND}`, isBase: false, run: write },
  ];
}

/** @type {(inside: Inside, itemCount: number) => readonly Step[]} */
function gatewaySteps(inside, itemCount) {
  const at = (/** @type {number} */ turn) => (turn * 7919) % itemCount;
  /** @type {(requestOf: (index: number) => import("../inside.mjs").WireRequest) => (turn: number) => unknown} */
  const asking = (requestOf) => {
    const requests = Array.from({ length: itemCount }, (_, index) => requestOf(index));
    return (turn) => inside.answer(requests[at(turn)]);
  };
  const served = asking((index) => inside.read("served", index));
  const read = asking((index) => inside.read("dry", index));
  const write = asking((index) => inside.write("dry", index));
  return [
    { depth: WHOLE, name: `read served, ${WHOLE}`, isBase: true, run: served },
    { depth: WHOLE, name: `read 429, ${WHOLE}`, isBase: false, run: read },
    { depth: WHOLE, name: `create 429, ${WHOLE}`, isBase: false, run: write },
  ];
}

/**
 * The value of an outcome that cannot be a refusal here.
 * @template T
 * @param {import("../../src/base/result.ts").Result<T, { kind: string }>} outcome
 * @returns {T}
 */
function allowed(outcome) {
  if (!outcome.ok) throw new Error(`refused: ${outcome.error.kind}`);
  return outcome.value;
}
