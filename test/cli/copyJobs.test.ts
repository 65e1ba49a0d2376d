/** `orrery copy` and `orrery jobs` as people and scripts run them, before a server that is not there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SIMULATED_COPY, SIMULATED_PLAN } from "../../src/cli/jobs/simulatedJobs.fake.ts";
import type { CopyJobEntry, SetAsideItem } from "../../src/model/copyJob.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import { openFakeJobs } from "./copyJobs.fake.ts";
import { eventually, orrery, start } from "./importStage.ts";

const BETWEEN = ["copy", "shop/orders", "shop/orders2"];
const [EVENT] = SIMULATED_COPY.events;

const LEFT: SetAsideItem = {
  job: "c7",
  id: "a",
  key: ["x"],
  lsn: 5,
  code: "clash",
  reason: "another item has this key and id",
  at: 1,
  attempts: 1,
  document: { id: "a" },
};

describe("a copy", () => {
  test("is asked for in the words of the admin API and looked at until it is done", async () => {
    await using jobs = await openFakeJobs({
      looks: [
        { state: "copying" },
        { state: "copying" },
        { state: "copied", nextSteps: [], setAside: { count: 0, max: 100 } },
      ],
    });
    const ran = await orrery([...BETWEEN, "--key", "/tenantId,/userId", ...jobs.place]);
    expect(ran).toMatchObject({
      code: 0,
      output: "Copy c7 of shop/orders to shop/orders-old is copied.\n",
    });
    expect(jobs.asked).toEqual([
      [
        "copies",
        {
          source: { database: "shop", container: "orders" },
          target: { database: "shop", container: "orders2" },
          key: ["/tenantId", "/userId"],
          mode: "offline",
        },
      ],
    ]);
    expect(jobs.lookCount()).toBe(3);
  });

  test("that is ready for its cut-over says what to type next", async () => {
    const nextSteps = [{ step: "cutOver", about: "Leads clients to the copy." }] as const;
    await using jobs = await openFakeJobs({ looks: [{ state: "ready", nextSteps }] });
    const ran = await orrery([...BETWEEN, "--online", ...jobs.place]);
    expect(ran.code).toBe(0);
    expect(ran.output).toContain(`  orrery copy cut-over c7 --endpoint ${jobs.endpoint}\n`);
  });

  test("with --watch is looked at beyond that", async () => {
    await using jobs = await openFakeJobs({
      looks: [{ state: "ready" }, { state: "paused" }, { state: "completed", nextSteps: [] }],
    });
    const ran = await orrery([...BETWEEN, "--watch", ...jobs.place]);
    expect([ran.code, ran.output]).toEqual([
      0,
      "Copy c7 of shop/orders to shop/orders-old is completed. 3 items were set aside, without a " +
        `copy; \`orrery copy set-aside c7 --endpoint ${jobs.endpoint}\` tells which.\n`,
    ]);
  });

  test("that stops at an obstacle ends with 1, and what was set aside is in its file", async () => {
    await using jobs = await openFakeJobs({
      looks: [{ state: "copying" }, { state: "blocked", reason: "too many items are set aside" }],
      setAside: [LEFT],
    });
    using directory = temporaryDirectory();
    const file = join(directory.path, "left.ndjson");
    const ran = await orrery([...BETWEEN, "--set-aside", file, ...jobs.place]);
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("stopped by an obstacle: too many items are set aside.");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(LEFT);
    expect(existsSync(`${file}.next`)).toBe(false);
  });

  test("tells each event once, as it comes", async () => {
    const second = { at: 2, text: "Half of it is done." };
    await using jobs = await openFakeJobs({
      looks: [
        { state: "copying" },
        { state: "copying", events: [EVENT!, second] },
        { state: "copying", events: [EVENT!, second] },
        { state: "copied", events: [EVENT!, second], nextSteps: [] },
      ],
    });
    const ran = await orrery([...BETWEEN, ...jobs.place]);
    expect(ran.errors).toBe("Job c7 was started.\nHalf of it is done.\n");
  });

  test("tells events also when the list has lost its beginning", async () => {
    const [second, third] = [2, 3].map((at) => ({ at, text: `Event ${at}.` }));
    await using jobs = await openFakeJobs({
      looks: [
        { state: "copying", events: [{ at: 1, text: "Event 1." }] },
        { state: "copying", events: [second!] },
        { state: "copied", events: [third!], nextSteps: [] },
      ],
    });
    const ran = await orrery([...BETWEEN, ...jobs.place]);
    expect(ran.errors).toBe("Job c7 was started.\nEvent 2.\nEvent 3.\n");
  });

  test("goes on when Ctrl-C ends the looking on, and it is said how to look again", async () => {
    await using jobs = await openFakeJobs({ looks: [{ state: "copying" }] });
    const { child, ended } = start([...BETWEEN, ...jobs.place]);
    await eventually(() => jobs.lookCount() > 1);
    child.kill("SIGINT");
    const ran = await ended;
    expect(ran.code).toBe(0);
    expect(ran.errors).toContain(
      `The job goes on. \`orrery jobs watch c7 --endpoint ${jobs.endpoint}\` looks at it again.`,
    );
    expect(jobs.asked).toHaveLength(1);
  });

  test.each([
    ["copied", [], 0],
    ["ready", ["--online"], 1],
  ] as const)("with --verify is compared when it is %s", async (state, more, code) => {
    const { differences: _, ...verification } = SIMULATED_COPY.verification;
    const found = code === 0 ? ({ ...verification, state: "fresh" } as const) : verification;
    await using jobs = await openFakeJobs({
      looks: [
        { state, verification: { state: "none" } },
        { state, verification: { state: "running" } },
        { state, verification: found },
      ],
    });
    const ran = await orrery([...BETWEEN, ...more, "--verify", ...jobs.place]);
    expect([ran.code, jobs.asked[1]]).toEqual([code, ["jobs/c7/verify", {}]]);
    expect(ran.output).toContain("Verification: ");
  });

  test("with --detach is not looked at", async () => {
    await using jobs = await openFakeJobs({ looks: [{ state: "preparing" }] });
    const ran = await orrery([...BETWEEN, "--detach", ...jobs.place]);
    expect([ran.code, jobs.lookCount()]).toEqual([0, 0]);
    expect(ran.output).toContain("Job c7 was started. The job goes on.");
  });

  test("with --json is one line for a program", async () => {
    await using jobs = await openFakeJobs({ looks: [{ state: "copied" }] });
    const ran = await orrery([...BETWEEN, "--json", ...jobs.place]);
    const { job } = JSON.parse(ran.output) as { readonly job: CopyJobEntry };
    expect([job.state, ran.errors]).toEqual(["copied", ""]);
  });

  test("that the server refuses is told in its words", async () => {
    const refusal = { status: 409, message: "The source is under another job." };
    await using jobs = await openFakeJobs({ looks: [{}], refusal });
    const ran = await orrery([...BETWEEN, ...jobs.place]);
    expect([ran.code, ran.errors]).toEqual([1, "orrery: The source is under another job.\n"]);
  });

  test.each([
    [["--key", "/a,nonsense(/b)"], "at character 4"],
    [["--cut-over", "automatic"], "Add --yes"],
    [["--watch", "--detach"], "exclude each other"],
    [["--force"], "belongs to a step"],
    [["--detach", "--set-aside", "f"], "at the end of the job"],
    [["--verify", "--detach"], "after --detach"],
    [["--verify", "--dry-run"], "writes nothing"],
    [["--verify", "--cut-over", "automatic"], "verifies by itself"],
    [["--verify", "--online", "--watch"], "before that"],
  ])("of which %j makes no sense is not asked for", async (args, complaint) => {
    await using jobs = await openFakeJobs({ looks: [{}] });
    const ran = await orrery([...BETWEEN, ...args, ...jobs.place]);
    expect(ran.code).toBe(2);
    expect(ran.errors).toContain(complaint);
    expect(jobs.asked).toEqual([]);
  });

  test("of a container into itself is refused", async () => {
    const ran = await orrery(["copy", "shop/orders", "shop/orders"]);
    expect([ran.code, ran.errors]).toEqual([
      2,
      "orrery: Source and target are the same container.\n",
    ]);
  });
});

describe("a dry run", () => {
  test("prints the plan, and ends with 1 when something is in the way", async () => {
    await using jobs = await openFakeJobs({ looks: [{ state: "planned", plan: SIMULATED_PLAN }] });
    const ran = await orrery([...BETWEEN, "--dry-run", ...jobs.place]);
    expect(ran.code).toBe(1);
    expect(ran.output).toContain("7,200,000 ± 12,000 RU");
    expect(jobs.asked[0]?.[1]).toMatchObject({ isDryRun: true });
  });

  test("ends with 0 when nothing is", async () => {
    const plan = { ...SIMULATED_PLAN, obstacles: [] };
    await using jobs = await openFakeJobs({ looks: [{ state: "planned", plan }] });
    const ran = await orrery([...BETWEEN, "--dry-run", ...jobs.place]);
    expect([ran.code, ran.output.includes("Nothing is in the way.")]).toEqual([0, true]);
  });
});

describe("a step", () => {
  test("of cutting over waits until it is done", async () => {
    await using jobs = await openFakeJobs({
      looks: [
        { state: "ready" },
        { state: "holding" },
        { state: "holding" },
        { state: "switched" },
      ],
    });
    const ran = await orrery(["copy", "cut-over", "c7", "--deadline", "500", ...jobs.place]);
    expect(ran.code).toBe(0);
    expect(ran.output).toContain("writes were held for 41 ms");
    expect(jobs.asked).toEqual([["jobs/c7/cutOver", { deadlineMs: 500 }]]);
  });

  test("that the server gives up ends with 1 and why", async () => {
    const gaveUp = { at: 3, text: "Gave up after 500 ms; 3 changes were left." };
    await using jobs = await openFakeJobs({
      looks: [
        { state: "ready" },
        { state: "holding" },
        { state: "ready", events: [EVENT!, gaveUp] },
      ],
    });
    const ran = await orrery(["copy", "cut-over", "c7", ...jobs.place]);
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("It was not done. Gave up after 500 ms; 3 changes were left.");
  });

  test("that is not taken at once is not taken for given up", async () => {
    const noted = { at: 2, text: "A cut-over was asked for." };
    const events = [EVENT!, noted];
    await using jobs = await openFakeJobs({
      looks: [
        { state: "ready" },
        { state: "ready", events },
        { state: "ready", events },
        { state: "switched", events },
      ],
    });
    const ran = await orrery(["copy", "cut-over", "c7", ...jobs.place]);
    expect([ran.code, jobs.asked]).toEqual([0, [["jobs/c7/cutOver", {}]]]);
  });

  test("of completing asks first, or wants --yes", async () => {
    await using jobs = await openFakeJobs({
      looks: [{ state: "switched" }, { state: "completed" }],
    });
    const without = await orrery(["copy", "complete", "c7", ...jobs.place]);
    expect([without.code, jobs.asked]).toEqual([2, []]);
    expect(without.errors).toContain("there is no way back after this. Add --yes");
    const ran = await orrery(["copy", "complete", "c7", "--keep-old", "--yes", ...jobs.place]);
    expect([ran.code, jobs.asked]).toEqual([0, [["jobs/c7/complete", { keepOld: true }]]]);
  });

  test("of verifying ends with 1 when the copy differs, and names ids", async () => {
    const { verification } = SIMULATED_COPY;
    await using jobs = await openFakeJobs({
      looks: [
        { verification: { state: "none" } },
        { verification: { state: "running", share: 0.5 } },
        { verification },
      ],
    });
    const ran = await orrery(["copy", "verify", "c7", ...jobs.place]);
    expect([ran.code, ran.errors]).toEqual([1, "orrery: The copy differs from the source.\n"]);
    expect(ran.output).toMatch(/^missing +i1/m);
  });

  test("of mirroring names the share", async () => {
    await using jobs = await openFakeJobs({ looks: [{}] });
    const ran = await orrery(["copy", "mirror", "c7", "5", ...jobs.place]);
    expect([ran.code, jobs.asked]).toEqual([0, [["jobs/c7/mirror", { percent: 5 }]]]);
    const wrong = await orrery(["copy", "mirror", "c7", ...jobs.place]);
    expect([wrong.code, jobs.asked.length]).toEqual([2, 1]);
  });

  test("about a split is refused before it is asked for", async () => {
    await using jobs = await openFakeJobs({ looks: [{}] });
    const ran = await orrery(["copy", "revert", "s3", ...jobs.place]);
    expect([ran.code, ran.errors, jobs.asked]).toEqual([
      1,
      "orrery: Job s3 is a split, which has no such step.\n",
      [],
    ]);
  });

  test("of listing what was set aside prints NDJSON", async () => {
    await using jobs = await openFakeJobs({ looks: [{}], setAside: [LEFT, LEFT] });
    const ran = await orrery(["copy", "set-aside", "c7", ...jobs.place]);
    expect(
      ran.output
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([LEFT, LEFT]);
  });
});

describe("jobs", () => {
  test("are listed, whatever their kind", async () => {
    await using jobs = await openFakeJobs({ looks: [{ state: "copying" }] });
    const ran = await orrery(["jobs", ...jobs.place]);
    expect(ran.output).toMatch(/^c7 +copy +shop\/orders to shop\/orders-old +copying/m);
    expect(ran.output).toMatch(/^s3 +split +shop\/orders, partition 2 +copying/m);
    const json = await orrery(["jobs", "list", "--json", ...jobs.place]);
    expect(JSON.parse(json.output)).toMatchObject({ jobs: [{ id: "c7" }, { id: "s3" }] });
  });

  test.each([
    [
      ["pause", "c7"],
      ["jobs/c7/pause", {}],
    ],
    [
      ["resume", "c7"],
      ["jobs/c7/resume", {}],
    ],
    [
      ["cancel", "c7"],
      ["jobs/c7/cancel", { dropTarget: false }],
    ],
    [
      ["cancel", "c7", "--drop-target", "--yes"],
      ["jobs/c7/cancel", { dropTarget: true }],
    ],
    [
      ["throttle", "c7", "35"],
      ["jobs/c7/throttle", { sharePercent: 35 }],
    ],
  ])("are led: %j", async (args, asked) => {
    await using jobs = await openFakeJobs({ looks: [{}] });
    const ran = await orrery(["jobs", ...args, ...jobs.place]);
    expect([ran.code, jobs.asked]).toEqual([0, [asked]]);
    expect(ran.output).toContain("What can be done now:");
  });

  test.each([
    [["show"], "Name the job"],
    [["throttle", "c7"], "Say how much"],
    [["throttle", "c7", "0"], "from 1 to 100"],
    [["cancel", "c7", "--drop-target"], "Add --yes"],
    [["pause", "c7", "--drop-target"], "is for `cancel`"],
    [["stop", "c7"], "nothing that jobs can do"],
    [["list", "c7"], "one word too many"],
  ])("are not asked for what makes no sense: %j", async (args, complaint) => {
    await using jobs = await openFakeJobs({ looks: [{}] });
    const ran = await orrery(["jobs", ...args, ...jobs.place]);
    expect([ran.code, jobs.asked]).toEqual([2, []]);
    expect(ran.errors).toContain(complaint);
  });

  test("are watched until they end, and a failed one ends with 1", async () => {
    await using jobs = await openFakeJobs({
      looks: [{ state: "copying" }, { state: "failed", reason: "the target is gone" }],
    });
    const ran = await orrery(["jobs", "watch", "c7", ...jobs.place]);
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("has failed: the target is gone.");
  });

  test("that nobody knows are told so", async () => {
    await using jobs = await openFakeJobs({ looks: [{}] });
    const ran = await orrery(["jobs", "show", "nobody", ...jobs.place]);
    expect([ran.code, ran.errors]).toEqual([1, "orrery: There is no such job.\n"]);
  });
});
