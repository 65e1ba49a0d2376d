/** What an engine is and how it is set up: asked of it, or seen in what it does. */
import type { Millis } from "../../base/units.ts";
import { lsn, millis } from "../../base/units.ts";
import type { ItemPut, PartitionStore } from "../partitionStore.ts";
import type { SqlValue } from "../postgres/session.ts";
import { isCollision, isLoss, Session } from "../postgres/session.ts";
import { WRITES } from "../postgres/statements.ts";
import { Broken, found } from "../promises/found.ts";
import { putOf } from "../promises/sample.ts";
import type { TrialFinding } from "./finding.ts";
import type { TrialSchema, TrialSetting } from "./trialSchema.ts";

/** One look at an engine; a rejection is a finding as well. */
export interface Trial {
  readonly promise: string;
  readonly meaning: string;
  /** What to do if it rejects. */
  readonly advice: string;
  /** What was seen, if something is worth telling. */
  run(place: TrialPlace): Promise<Pick<TrialFinding, "verdict" | "seen" | "advice"> | undefined>;
}

export interface TrialPlace extends TrialSetting {
  readonly schema: TrialSchema;
}

const OLDEST = 150_000;
/** Of a store: six for reads and six for writes. */
const SESSION_COUNT = 12;
const BODY_BYTES = 2 * 1024 * 1024;
const KEY_BYTES = 1200;
const TERM_BYTES = 400;
const LATE_MS = 20;
const SAMPLE_COUNT = 40;
const SKEW_MS_MAX = 1000;

export const ENGINE_TRIALS: readonly Trial[] = [
  {
    promise: "the engine is one that is known",
    meaning: "what is said of it in the documentation applies",
    advice: "",
    async run(place) {
      const [version = ""] = await row(place, "SELECT version()");
      const known = /CockroachDB|YugabyteDB|-YB-/.exec(version)?.[0];
      if (known !== undefined) return { verdict: "held", seen: version.slice(0, 60) };
      const [number = "0"] = await row(place, "SHOW server_version_num");
      const seen = `PostgreSQL ${version.split(" ")[1]}${(await hasCitus(place)) ? ", Citus" : ""}`;
      if (Number(number) >= OLDEST) return { verdict: "held", seen };
      const advice = "Use PostgreSQL 15 or later; older ones are not tested.";
      return { verdict: "note", seen, advice };
    },
  },
  {
    promise: "what is committed is on disk",
    meaning: "an acknowledged write survives a power cut",
    advice: "",
    async run(place) {
      const off: string[] = [];
      for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
        const [value] = await row(place, `SHOW ${name}`).catch(() => []);
        if (value === "off") off.push(`${name} is off`);
      }
      if (off.length === 0) return { verdict: "held" };
      const advice = "Set them on. What is acknowledged may be lost until then.";
      return { verdict: "broken", seen: off.join(", "), advice };
    },
  },
  {
    promise: `${SESSION_COUNT} connections can be open at once`,
    meaning: "a server has six for reads and six for writes",
    advice: "Raise max_connections, or the limit of the role or the pool.",
    async run({ schema }) {
      const asked = Array.from({ length: SESSION_COUNT }, () => schema.connect());
      const opened = await Promise.allSettled(asked);
      for (const one of opened) if (one.status === "fulfilled") await one.value.close();
      const refusal = opened.find((one) => one.status === "rejected");
      if (refusal !== undefined) throw refusal.reason;
      return undefined;
    },
  },
  {
    promise: "the clock of the database goes forward",
    meaning: "one server at a time works on it, by that clock",
    advice: "Keep the clocks of its nodes together (NTP).",
    async run(place) {
      let last = 0;
      const { clock } = place;
      const before = clock.wallNow();
      for (let count = 0; count < 5; count++) {
        const [told = "0"] = await row(place, "SELECT floor(extract(epoch FROM now()) * 1000)");
        if (Number(told) < last) throw new Broken(`${told} after ${last}`);
        last = Number(told);
      }
      const ahead = Math.round(last - clock.wallNow());
      const isNear = last > before - SKEW_MS_MAX && ahead < SKEW_MS_MAX;
      if (isNear) return undefined;
      const seen = `${Math.abs(ahead)} ms ${ahead < 0 ? "behind" : "ahead of"} this machine`;
      return {
        verdict: "note",
        seen,
        advice: "It does no harm. Stamps of items are this machine's.",
      };
    },
  },
  {
    promise: "keys and terms are in the order of their bytes",
    meaning: "queries find what they should, in its order",
    advice: "Do not run a server on this engine.",
    async run({ schema }) {
      const { store } = await schema.open();
      await store.claim(1, 1);
      const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
      const terms = bytes.flatMap((byte) => [byte, `${byte}\x00`, `${byte}\xff`]);
      await store.commit(1, 1, [[putOf("k", 1, "x", terms)]]);
      const wanted = terms.toSorted((a, b) => (a < b ? -1 : 1));
      for (const isReverse of [false, true]) {
        const range = { min: "", max: "\xff\xff\xff" };
        const scan = { range, isReverse, withItems: false, countMax: 1000, bytesMax: 1e9 };
        const { entries } = await store.scanTerms(1, scan);
        const seen = entries.map(({ term }) => term);
        found(isReverse ? seen.reverse() : seen).is(wanted);
      }
      await store.close();
      return undefined;
    },
  },
  {
    promise: "the largest items fit",
    meaning: "an item of 2 MB with the longest id and the longest indexed values can be written",
    advice: "Raise the engine's limit on the size of rows and of keys.",
    async run({ schema }) {
      const { store } = await schema.open();
      await store.claim(1, 1);
      const body = Buffer.alloc(BODY_BYTES, 0xa7);
      const key = "\xfe".repeat(KEY_BYTES);
      const put: ItemPut = { ...putOf(key, 2 ** 53 - 1, "", ["t".repeat(TERM_BYTES)]), body };
      await store.commit(1, 1, [[put]]);
      const item = await store.get(1, key);
      found(item?.number).is(2 ** 53 - 1);
      found(item?.body.equals(body)).is(true);
      await store.close();
      return undefined;
    },
  },
  {
    promise: "a lock on a row waits for whoever has it",
    meaning: "after a lost answer it can be found out what became of the write",
    advice: "Do not run a server on this engine: lost answers would be answered wrongly.",
    run: async ({ schema, timer, random }) => {
      const { store } = await schema.open();
      await store.claim(1, 1);
      const [first, second] = [await schema.connect(), await schema.connect()];
      const stamp = Buffer.from(random.bytes(12));
      const values: readonly SqlValue[] = [1, 1, 1, 0, 0, 0, 0, stamp];
      await first.tell("BEGIN");
      await first.ask({ statement: WRITES.moveHead, values });
      let isAnswered = false;
      const locked = second
        .transact([{ statement: WRITES.lockHead, values: [1] }])
        .catch((error: unknown) => {
          // An engine that refuses instead of waiting is asked again.
          if (isCollision(error)) return undefined;
          throw error;
        })
        .then((answers) => {
          isAnswered = true;
          return answers;
        });
      await new Promise<void>((resolve) => timer.after(WATCHED, resolve));
      const wasEarly = isAnswered;
      await first.tell("COMMIT");
      const answers = await locked;
      await Promise.all([first.close(), second.close(), store.close()]);
      if (answers === undefined) return undefined;
      if (wasEarly) throw new Broken("it did not wait");
      found((answers[0]!.rows[0]![6] as Buffer).equals(stamp)).is(true);
      return undefined;
    },
  },
  {
    promise: "commits and reads are quick",
    meaning: "what each write and each read waits for at least",
    advice: "Bring server and database closer together.",
    async run({ schema, clock }) {
      const { store } = await schema.open();
      await store.claim(1, 1);
      const commits: number[] = [];
      const reads: number[] = [];
      for (let number = 1; number <= SAMPLE_COUNT; number++) {
        const terms = Array.from({ length: 20 }, (_, index) => `term ${index} ${number}`);
        const before = clock.now();
        await store.commit(1, 1, [[putOf(`k${number}`, number, "x".repeat(1024), terms)]]);
        const between = clock.now();
        await store.get(1, `k${number}`);
        commits.push(between - before);
        reads.push(clock.now() - between);
      }
      await store.close();
      const seen = `commit ${figures(commits)}, read ${figures(reads)}`;
      const isLate = middle(commits) > LATE_MS || middle(reads) > LATE_MS;
      const advice = "Bring server and database closer together, and look at the database's disk.";
      return isLate ? { verdict: "note", seen, advice } : { verdict: "held", seen };
    },
  },
  {
    promise: "a reader sees a commit whole or not at all",
    meaning: "no query and no feed shows half of a batch",
    advice: "Do not run a server on this engine.",
    async run({ schema }) {
      const { store } = await schema.open();
      await store.claim(1, 1);
      const writing = writePairs(store, SAMPLE_COUNT);
      let isOver = false;
      const ended = writing.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        const { entries } = await store.readLog(1, lsn(0), 2 * SAMPLE_COUNT);
        found(entries.map((entry) => entry.lsn)).is(
          entries.map((_, index) => 1 + Math.floor(index / 2)),
        );
      }
      await ended;
      await store.close();
      return undefined;
    },
  },
];

const WATCHED: Millis = millis(300);

async function writePairs(store: PartitionStore, count: number): Promise<void> {
  for (let at = 1; at <= count; at++) {
    const [left, right] = [2 * at - 1, 2 * at];
    await store.commit(1, 1, [
      [putOf(`l${at}`, left, "x", ["t"]), putOf(`r${at}`, right, "x", [])],
    ]);
  }
}

/** Rejects where there is no database; an engine without extensions has not this one. */
export async function hasCitus(place: TrialSetting): Promise<boolean> {
  const text = "SELECT count(*) FROM pg_extension WHERE extname = 'citus'";
  const [count] = await row(place, text).catch((error: unknown) => {
    if (isLoss(error)) throw error;
    return ["0"];
  });
  return Number(count) > 0;
}

/** The first row of an answer, as text. */
async function row({ url }: TrialSetting, text: string): Promise<readonly string[]> {
  const session = await Session.open({ url, connectMs: 5000 });
  try {
    const { rows } = await session.ask({ statement: { name: "", text }, values: [] });
    return (rows[0] ?? []).map(String);
  } finally {
    await session.close();
  }
}

function middle(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)]!;
}

function figures(samples: readonly number[]): string {
  const sorted = samples.toSorted((a, b) => a - b);
  const late = sorted[Math.floor(sorted.length * 0.95)]!;
  return `${middle(samples).toFixed(1)} ms (95 % below ${late.toFixed(1)} ms)`;
}
