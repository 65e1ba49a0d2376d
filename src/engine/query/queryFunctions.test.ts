/** User-defined functions in queries over a container: who calls them, how long, at what price. */
import { describe, expect, test } from "vitest";
import type { Result } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { FunctionBatch, FunctionOutcome, ScriptRunner } from "../../script/scriptRunner.ts";
import type { Account, AccountSetting } from "../account.ts";
import type { Container } from "../partition/container.ts";
import { containerIn, databaseIn, put, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { QueryAnswer } from "./queryItems.ts";

type CallFunctions = ScriptRunner["callFunctions"];

function scriptsOf(callFunctions: CallFunctions): NonNullable<AccountSetting["scripts"]> {
  const runner: ScriptRunner = {
    lend: () => Promise.reject(new Error("no script is run")),
    callFunctions,
    close: () => Promise.resolve(),
  };
  return { runner, wordsOf: ({ kind }) => ({ status: 400, message: kind }) };
}

/** Every function gives its first argument back, and takes so long. */
function echoing(cpuMs: number, batches: FunctionBatch[] = []): CallFunctions {
  return (batch): Promise<FunctionOutcome> => {
    batches.push(batch);
    return Promise.resolve({ kind: "done", values: batch.calls.map(({ args }) => args[0]), cpuMs });
  };
}

const ITEM_COUNT = 300;
const ECHO = { name: "echo", body: "function (x) { return x; }" };

interface Stage {
  readonly container: Container;
  ask(text: string, continuation?: string): Promise<Result<QueryAnswer, Refusal>>;
}

async function stageWith(callFunctions?: CallFunctions): Promise<Stage> {
  const scripts = callFunctions && scriptsOf(callFunctions);
  const { account } = await simulatedAccount(scripts && { scripts });
  const container = await containerIn(account, await databaseIn(account));
  for (let n = 0; n < ITEM_COUNT; n++) await put(account, container, { pk: "p", id: `${n}`, n });
  container.setFunctions(new Map([["echo", ECHO]]));
  return { container, ask: (text, continuation) => asked(account, container, text, continuation) };
}

function asked(
  account: Account,
  container: Container,
  text: string,
  continuation: string | undefined,
): Promise<Result<QueryAnswer, Refusal>> {
  return account.queryItems(container, {
    text,
    parameters: new Map(),
    parameterNames: new Set(),
    scope: { kind: "container" },
    isFanOutAllowed: true,
    continuation,
    countMax: 1_000,
  });
}

test("they are called with what is left of the time of one script, page by page", async () => {
  const batches: FunctionBatch[] = [];
  const { ask } = await stageWith(echoing(1_200, batches));
  const text = "SELECT TOP 90 VALUE udf.echo([udf.echo(c.n)]) FROM c";
  expect((await ask(text)).ok).toBe(true);
  expect((await ask(text)).ok).toBe(true);
  const once = [5_000, 3_800, 2_600, 1_400];
  expect(batches.map(({ timeMsMax }) => timeMsMax)).toEqual([...once, ...once]);
  expect(batches[0]).toMatchObject({ functions: [ECHO], memoryBytesMax: 64 * 1024 * 1024 });
});

test("a page waits for what runs them to start, and is not suspended for it", async () => {
  const echo = echoing(0);
  let skip: (ms: number) => void = () => undefined;
  let batchCount = 0;
  const slowly: CallFunctions = (batch) => {
    batchCount++;
    skip(2_000);
    return echo(batch);
  };
  const { account, time } = await simulatedAccount({ scripts: scriptsOf(slowly) });
  skip = (ms) => time.skip(ms);
  const container = await containerIn(account, await databaseIn(account));
  await put(account, container, { pk: "p", id: "1", n: 4 });
  container.setFunctions(new Map([["echo", ECHO]]));
  const text = "SELECT VALUE udf.echo(c.n) FROM c";
  const answer = await asked(account, container, text, undefined);
  expect(answer.ok && answer.value.rows.map(String)).toEqual(["4"]);
  expect(batchCount).toBe(1);
});

describe("what a query is refused with", () => {
  const TEXT = "SELECT VALUE udf.echo(c.n) FROM c";
  const failing =
    (kind: "threw" | "outOfTime" | "stopped"): CallFunctions =>
    () =>
      Promise.resolve({ kind, message: "'echo' has failed" });

  test.each<[string, CallFunctions | undefined, Refusal["kind"], string]>([
    ["nothing runs scripts", undefined, "queryRefused", "nothing here runs scripts"],
    ["one throws", failing("threw"), "queryRefused", "'echo' has failed"],
    ["one takes too long", failing("outOfTime"), "scriptTimeout", "'echo' has failed"],
    ["all together take too long", echoing(5_000), "scriptTimeout", "longer than 5000 ms"],
    ["the server ends", failing("stopped"), "unavailable", "'echo' has failed"],
  ])("%s", async (_what, callFunctions, kind, message) => {
    const { ask } = await stageWith(callFunctions);
    expect(await ask(TEXT)).toMatchObject({
      ok: false,
      error: { kind, message: expect.stringContaining(message) as string },
    });
  });
});

test("a function that was replaced is called as it is now, one that is gone is not", async () => {
  const batches: FunctionBatch[] = [];
  const { container, ask } = await stageWith(echoing(0, batches));
  const text = "SELECT TOP 1 VALUE udf.echo(c.n) FROM c";
  await ask(text);
  container.setFunctions(new Map([["echo", { name: "echo", body: "another" }]]));
  await ask(text);
  expect(batches.map(({ functions }) => functions[0]!.body)).toEqual([ECHO.body, "another"]);
  container.setFunctions(new Map());
  expect(await ask(text)).toMatchObject({ ok: false, error: { kind: "badQuery" } });
});

test("a filter that calls one costs what any other does that no index has", async () => {
  const { ask } = await stageWith(echoing(0));
  const chargeOf = async (text: string): Promise<number> => {
    const page = await ask(text);
    if (!page.ok) throw new Error(page.error.kind);
    expect(page.value.rows.length).toBe(7);
    return page.value.charge;
  };
  const indexed = await chargeOf("SELECT VALUE c.n FROM c WHERE c.n < 7");
  const scanned = await chargeOf("SELECT VALUE c.n FROM c WHERE SQRT(c.n) < 2.6");
  expect(await chargeOf("SELECT VALUE c.n FROM c WHERE udf.echo(c.n) < 7")).toBe(scanned);
  expect(scanned).toBeGreaterThan(2 * indexed);
});
