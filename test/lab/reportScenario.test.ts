/** Worked cases on the command line: listed, run, and put beside what the guides say. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { runLabScenario } from "../../src/cli/lab/scenario.ts";
import type { Scenario } from "../../src/lab/scenario/scenario.ts";
import { verdicts } from "../../src/lab/scenario/scenario.ts";
import { BadOption } from "../../src/server/surroundings/options.ts";

const WORKLOAD = `\
name: shop
item: {bytes: 1 KB}
properties:
  /customerId: {distinct: 20000}
  /status: {distinct: 4, changes: true}
growth: {itemsPerDay: 20000, retentionDays: 90}
horizonMonths: 3
operations:
  - {id: place, kind: create, rate: 20000/day}
  - {id: mine, kind: query, rate: 20, sql: "SELECT * FROM c WHERE c.customerId = @c"}
candidates: [/customerId, /status, /id]
`;

const SCENARIO: Scenario = {
  name: "shop",
  title: "Orders of a shop",
  workloadText: WORKLOAD,
  expected: {
    best: ["/customerId"],
    verdicts: verdicts(
      ["/customerId", "best", "Read together."],
      ["/status", "bad", "It changes.", "mutable"],
      ["/id", ["bad", "conditional", "workable"], "Not weighed; orders would be scattered."],
    ),
    sentence: "The guides keep orders of a customer together.",
  },
  variants: [
    {
      name: "wrong",
      title: "With a guide that errs",
      change: (workload) => ({ ...workload, horizonMonths: 2 }),
      expected: {
        best: ["/status"],
        verdicts: verdicts(["/status", "best", "Good enough."]),
        sentence: "Hm.",
      },
    },
  ],
  errata: ["A guide takes a GB for 1,000 MB."],
};

async function scenario(...args: string[]): Promise<string> {
  let output = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    output += String(text);
    return true;
  });
  try {
    await runLabScenario(args, {}, [SCENARIO]);
  } finally {
    spy.mockRestore();
  }
  return output;
}

afterEach(() => {
  process.exitCode = 0;
});

describe("orrery lab scenario", () => {
  test("without a name lists the cases and their variants", async () => {
    expect(await scenario()).toMatch(/^shop +Orders of a shop\n +wrong +With a guide/m);
    expect(JSON.parse(await scenario("--list", "--json"))[0]).toMatchObject({ name: "shop" });
  });

  test("puts the verdicts of the guides beside the computed ones", async () => {
    const output = await scenario("shop", "--strict");
    expect(output).toMatch(/^\/customerId +★ best +★ best +agrees$/m);
    expect(output).toMatch(/^\/status +✕ bad +✕ bad +agrees$/m);
    expect(output).toContain("All verdicts agree.");
    // What no document says is not put into their mouth.
    expect(output).toMatch(/^\/id +not weighed +\S+ \w+ +as expected$/m);
    expect(output).toContain("/id: No document weighs it; worked out here: Orders would be");
    expect(output).toContain("Where a guide errs\n  • A guide takes a GB for 1,000 MB.\n");
    expect(process.exitCode ?? 0).toBe(0);
  });

  test("says where they differ; --strict ends with 1 then", async () => {
    const output = await scenario("shop", "--variant", "wrong", "--json", "--strict");
    expect(JSON.parse(output).guide).toMatchObject({
      best: { said: [], expected: ["/status"], computed: null },
      agrees: false,
      candidates: [{ id: "/status", said: [], expected: ["best"], computed: "bad", agrees: false }],
    });
    expect(JSON.parse(output).candidates[0].months).toHaveLength(3);
    expect(process.exitCode).toBe(1);
  });

  test.each<[string[], RegExp]>([
    [["nothing"], /There is no scenario 'nothing'; there are shop/],
    [["shop", "twice"], /one word too many/],
    [["shop", "--variant", "other"], /shop has no variant 'other'; it has wrong/],
  ])("%j is refused", async (args, message) => {
    await expect(scenario(...args)).rejects.toThrow(message);
    await expect(scenario(...args)).rejects.toBeInstanceOf(BadOption);
  });
});
