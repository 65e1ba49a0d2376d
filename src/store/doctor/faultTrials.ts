/** A short run in which things go wrong on purpose: what was told has to be there, once. */
import { pause } from "../../base/retry.ts";
import { lsn } from "../../base/units.ts";
import type { PartitionStore } from "../partitionStore.ts";
import { isCollision } from "../postgres/session.ts";
import { WRITES } from "../postgres/statements.ts";
import { Broken, found } from "../promises/found.ts";
import { ALL, putOf } from "../promises/sample.ts";
import type { Trial, TrialPlace } from "./engineTrials.ts";
import { TrialSchema } from "./trialSchema.ts";

const PARTS: readonly number[] = [1, 2, 3];
const COMMIT_COUNT = 60;
const CUT_EVERY_MS = 15;
const WRITER_COUNT = 4;

export const FAULT_TRIALS: readonly Trial[] = [
  {
    promise: "a commit whose answer is lost happens once",
    meaning: "no acknowledged write is lost or doubled when connections break",
    advice: "Do not run a server on this engine.",
    async run(place) {
      const cutCount = await whileCut(place, place.schema);
      return { verdict: "held", seen: `${cutCount} connections were cut` };
    },
  },
  {
    promise: "so it is under the strictest isolation",
    meaning: "engines that know no other isolation level are safe",
    advice: "Do not run a server on this engine.",
    async run(place) {
      const strict = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE";
      const schema = new TrialSchema(place, [strict]);
      await schema.make();
      try {
        const cutCount = await whileCut(place, schema);
        return { verdict: "held", seen: `${cutCount} connections were cut` };
      } finally {
        await schema.remove();
      }
    },
  },
  {
    promise: "transactions that collide say so (40001), and leave nothing behind",
    meaning: "they are tried again, and LSNs have no gap",
    advice: "Do not run a server on this engine.",
    run: (place) => collide(place),
  },
];

/** Writers go on while connections break under them; resolves with how many did. */
async function whileCut({ timer }: TrialPlace, schema: TrialSchema): Promise<number> {
  const { store } = await schema.open();
  for (const part of PARTS) await store.claim(part, 1);
  const writing = Promise.all(PARTS.map((part) => commitAll(store, part)));
  let isOver = false;
  let cutCount = 0;
  const ended = writing.finally(() => {
    isOver = true;
  });
  const cutting = (async () => {
    for (; !isOver; cutCount++) {
      await pause(timer, CUT_EVERY_MS);
      schema.cutOne();
    }
  })();
  const told = await ended;
  await cutting;
  for (const [index, part] of PARTS.entries()) await checkKept(store, part, told[index]!);
  await store.close();
  return cutCount;
}

async function commitAll(store: PartitionStore, part: number): Promise<readonly number[]> {
  const told: number[] = [];
  for (let number = 1; number <= COMMIT_COUNT; number++) {
    const put = putOf(`f\x00${number}`, number, `item ${number}`, ["all", `n${number}`]);
    told.push(...(await store.commit(part, 1, [[put]])).lsns);
  }
  return told;
}

async function checkKept(
  store: PartitionStore,
  part: number,
  told: readonly number[],
): Promise<void> {
  const wanted = Array.from({ length: COMMIT_COUNT }, (_, index) => index + 1);
  found(told).is(wanted);
  const { entries } = await store.readLog(part, lsn(0), COMMIT_COUNT + 1);
  found(entries.map((entry) => [Number(entry.lsn), entry.number])).is(wanted.map((at) => [at, at]));
  found(await store.head(part)).has({ itemCount: COMMIT_COUNT, numberMax: COMMIT_COUNT });
  found((await store.tally(part, "f")).itemCount).is(COMMIT_COUNT);
  const scan = { range: ALL, withItems: false, countMax: 1e6, bytesMax: 1e9 };
  found((await store.scanTerms(part, scan)).entries.length).is(2 * COMMIT_COUNT);
}

/** Several write to one part at once, which no server does, with the strictest isolation. */
async function collide({ schema, random }: TrialPlace): ReturnType<Trial["run"]> {
  const { store } = await schema.open();
  await store.claim(1, 1);
  let doneCount = 0;
  let collisionCount = 0;
  const write = async (): Promise<void> => {
    const session = await schema.connect();
    await session.tell("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    for (let count = 0; count < COMMIT_COUNT; count++) {
      const values = [1, 1, 1, 0, 0, 0, 0, Buffer.from(random.bytes(12))];
      try {
        await session.transact([{ statement: WRITES.moveHead, values }]);
        doneCount++;
      } catch (error) {
        if (!isCollision(error)) throw error;
        collisionCount++;
      }
    }
    await session.close();
  };
  await Promise.all(Array.from({ length: WRITER_COUNT }, write));
  const head = await store.head(1);
  await store.close();
  if (head?.lsn !== doneCount) throw new Broken(`LSN ${head?.lsn} after ${doneCount} commits`);
  return { verdict: "held", seen: `${collisionCount} of ${WRITER_COUNT * COMMIT_COUNT} collided` };
}
