/** `orrery copy --from --to`: between two servers, through the official client, as a process. */
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Container } from "@azure/cosmos";
import { ChangeFeedPolicy, ChangeFeedRetentionTimeSpan } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Stage } from "../sdk/stage.ts";
import { openContainer, openStage, temporaryDirectory } from "../sdk/stage.ts";
import { eventually, type Item, itemsIn, orrery, type Ran, start } from "./importStage.ts";

vi.setConfig({ testTimeout: 120_000 });

let here: Stage;
let there: Stage;
beforeAll(async () => {
  [here, there] = await Promise.all([openStage(), openStage()]);
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});

/** When a copy has brought everything that was there. */
async function following({ stderr }: ChildProcess): Promise<void> {
  let told = "";
  stderr!.on("data", (chunk: Buffer) => {
    told += chunk.toString();
  });
  await eventually(() => told.includes("changes are followed now"));
}

let targetCount = 0;

interface Way {
  readonly target: string;
  readonly args: readonly string[];
  readonly copy: Container;
}

/** From a container of one server to a new one of the other. */
function wayFrom(source: Container, ...more: string[]): Way {
  const target = `copy-${++targetCount}`;
  const ends = [
    ...["--from", here.server.endpoint, "--from-key", here.server.key],
    ...["--to", there.server.endpoint, "--to-key", there.server.key],
  ];
  return {
    target,
    args: ["copy", `stage/${source.id}`, `stage/${target}`, ...ends, ...more],
    copy: there.database.container(target),
  };
}

async function filled(items: readonly Item[], options = {}): Promise<Container> {
  const container = await openContainer(here.database, options);
  for (const item of items) await container.items.create(item);
  return container;
}

function samples(count: number): readonly Item[] {
  return Array.from({ length: count }, (_, n) => {
    return { id: `i${n}`, pk: `p${n % 7}`, tenant: `t${n % 3}`, n, nested: { deep: [n] } };
  });
}

function summaryOf({ output }: Ran): Readonly<Record<string, number>> {
  const rows = output.matchAll(/^(\w+) +([\d.]+)$/gm);
  return Object.fromEntries([...rows].map(([, name, count]) => [name!, Number(count)]));
}

describe("a copy between two accounts", () => {
  test("brings every item, with the definition of the source, and shows that it is the same", async () => {
    const source = await filled(samples(250), { defaultTtl: -1 });
    const { args, copy } = wayFrom(source, "--verify");
    const ran = await orrery(args);
    expect([ran.code, ran.errors.includes("deletes are not seen")]).toEqual([0, true]);
    expect(ran.output).toContain("Verification: no difference, 250 items compared");
    expect(summaryOf(ran)).toMatchObject({ created: 250, replaced: 0, setAside: 0 });
    expect(await itemsIn(copy)).toEqual(await itemsIn(source));
    const { resource } = await copy.read();
    expect(resource).toMatchObject({ defaultTtl: -1, partitionKey: { paths: ["/pk"] } });
  });

  test("gives items another key, made-up levels written into them", async () => {
    const source = await filled(samples(40));
    const key = "/tenant,concat(/pk,'-',hash(/id) % 4)";
    const { args, copy } = wayFrom(source, "--key", key, "--key-property", "/spread", "--verify");
    const ran = await orrery(args);
    expect([ran.code, ran.errors]).toEqual([0, expect.not.stringContaining("orrery:")]);
    const items = await itemsIn(copy);
    expect(items).toHaveLength(40);
    for (const item of items) expect(item["spread"]).toMatch(new RegExp(`^${item["pk"]}-[0-3]$`));
    const { resource } = await copy.read();
    expect(resource?.partitionKey).toMatchObject({
      paths: ["/tenant", "/spread"],
      kind: "MultiHash",
    });
  });

  test("keeps what items have left to live, and restarts it when asked", async () => {
    const source = await filled([{ id: "a", pk: "x" }], { defaultTtl: 5000 });
    await source.items.create({ id: "b", pk: "x", ttl: 900 });
    await source.items.create({ id: "c", pk: "x", ttl: -1 });
    const kept = wayFrom(source, "--verify");
    expect((await orrery(kept.args)).code).toBe(0);
    const ttls = (await itemsIn(kept.copy)).map(({ ttl }) => Number(ttl));
    expect(ttls[0]).toBeGreaterThan(4000);
    expect(ttls[0]).toBeLessThanOrEqual(5000);
    expect(ttls[1]).toBeGreaterThan(600);
    expect(ttls[1]).toBeLessThanOrEqual(900);
    expect(ttls[2]).toBe(-1);
    const restarted = wayFrom(source, "--ttl", "restart", "--verify");
    expect((await orrery(restarted.args)).code).toBe(0);
    expect(await itemsIn(restarted.copy)).toEqual(await itemsIn(source));
  });

  test("lets the source choose by a query, and chooses a sample by ids", async () => {
    const source = await filled(samples(60));
    const chosen = wayFrom(
      source,
      "--where",
      "c.n < 20 OR c.n = 59",
      "--select",
      "c.id, c.pk, c.n",
    );
    expect((await orrery([...chosen.args, "--verify"])).code).toBe(0);
    const items = await itemsIn(chosen.copy);
    expect(items).toHaveLength(21);
    expect(Object.keys(items[0]!).toSorted()).toEqual(["id", "n", "pk"]);
    const [one, two] = [wayFrom(source, "--sample", "30"), wayFrom(source, "--sample", "30")];
    await orrery(one.args);
    await orrery(two.args);
    const sampled = await itemsIn(one.copy);
    expect(sampled.length).toBeGreaterThan(5);
    expect(sampled.length).toBeLessThan(40);
    expect(await itemsIn(two.copy)).toEqual(sampled);
  });

  test("into a container that is there overwrites nothing of others", async () => {
    const source = await filled(samples(5));
    const { args, target, copy } = wayFrom(source, "--on-clash", "set-aside");
    await there.database.containers.create({ id: target, partitionKey: { paths: ["/pk"] } });
    await copy.items.create({ id: "i1", pk: "p1", mine: true });
    using directory = temporaryDirectory();
    const file = join(directory.path, "left.ndjson");
    const ran = await orrery([...args, "--set-aside", file]);
    expect([ran.code, summaryOf(ran)["setAside"]]).toEqual([0, 1]);
    expect(ran.errors).toContain("deletes are not seen");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ id: "i1", code: "clash" });
    expect((await copy.item("i1", "p1").read()).resource).toMatchObject({ mine: true });
  });
});

describe("what cannot be copied", () => {
  const ODD: readonly Item[] = [
    { id: "a", pk: "1", user: "u" },
    { id: "a", pk: "2", user: "u" },
    { id: "b", pk: "1" },
    { id: "c", pk: "1", user: "u" },
  ];

  test("stops the copy, which says which item and why, unless told otherwise", async () => {
    const source = await filled(ODD);
    const ran = await orrery(wayFrom(source, "--key", "/user").args);
    expect(ran.code).toBe(1);
    expect(ran.errors).toMatch(/Stopped at item "b" with key \["1"\]: it has no value at \/user/);
    expect(await itemsIn(source)).toHaveLength(4);
  });

  test("is set aside with its reason, and the rest goes on", async () => {
    const source = await filled(ODD);
    using directory = temporaryDirectory();
    const file = join(directory.path, "left.ndjson");
    const rules = ["--on-clash", "set-aside", "--on-missing-key", "set-aside"];
    const { args, copy } = wayFrom(source, "--key", "/user", ...rules, "--set-aside", file);
    const ran = await orrery(args);
    expect([ran.code, summaryOf(ran)]).toMatchObject([0, { created: 2, setAside: 2 }]);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const left = lines.map((line) => JSON.parse(line) as Item);
    expect(left.map(({ id, code }) => [id, code]).toSorted()).toEqual([
      ["a", "clash"],
      ["b", "missingKey"],
    ]);
    expect(left.find(({ id }) => id === "b")).toMatchObject({ document: { id: "b", pk: "1" } });
    expect((await itemsIn(copy)).map(({ id }) => id)).toEqual(["a", "c"]);
  });

  test("stops it all the same when there is too much of it", async () => {
    const source = await filled(ODD);
    using directory = temporaryDirectory();
    const file = join(directory.path, "left.ndjson");
    const rules = ["--on-missing-key", "set-aside", "--set-aside-max", "0", "--set-aside", file];
    const ran = await orrery(wayFrom(source, "--key", "/none", ...rules).args);
    expect([ran.code, ran.errors.includes("more than 0 items are set aside")]).toEqual([1, true]);
  });

  test("is copied without a key when told so", async () => {
    const source = await filled(ODD.slice(2));
    const { args, copy } = wayFrom(source, "--key", "/user", "--on-missing-key", "none");
    expect((await orrery([...args, "--verify"])).code).toBe(0);
    expect(await itemsIn(copy)).toHaveLength(2);
  });
});

test("what the source says of a wrong query is told before anything is made", async () => {
  const source = await filled(samples(1));
  const { args, target } = wayFrom(source, "--where", "c.n ==== 1");
  const ran = await orrery(args);
  expect([ran.code, ran.errors.includes("400: Syntax error")]).toEqual([1, true]);
  const { resources } = await there.database.containers.readAll().fetchAll();
  expect(resources.map(({ id }) => id)).not.toContain(target);
});

test("a target that throttles gets everything all the same", async () => {
  const source = await filled(samples(120));
  await using slow = await openStage({ memory: true, rateLimit: true });
  const ends = ["--from", here.server.endpoint, "--from-key", here.server.key];
  const to = ["--to", slow.server.endpoint, "--to-key", slow.server.key, "--throughput", "400"];
  const ran = await orrery(["copy", `stage/${source.id}`, "stage/slow", ...ends, ...to]);
  expect([ran.code, summaryOf(ran)["created"]]).toEqual([0, 120]);
  expect(summaryOf(ran)["throttled"]).toBeGreaterThan(0);
  expect(await itemsIn(slow.database.container("slow"))).toEqual(await itemsIn(source));
});

describe("an online copy", () => {
  async function lively(): Promise<Container> {
    return filled(samples(20), {
      changeFeedPolicy: new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(10)),
    });
  }

  test("follows changes, moves and deletes until it is told to end", async () => {
    const source = await lively();
    const { args, copy } = wayFrom(source, "--key", "/tenant", "--online", "--verify");
    const { child, ended } = start(args);
    await following(child);
    const has = async (id: string, tenant: string): Promise<boolean> => {
      const answer = await copy
        .item(id, tenant)
        .read()
        .catch(() => undefined);
      return answer?.resource !== undefined;
    };
    expect(await has("i1", "t1")).toBe(true);
    await source.item("i0", "p0").replace({ id: "i0", pk: "p0", tenant: "moved" });
    await source.item("i1", "p1").delete();
    await source.items.create({ id: "late", pk: "p0", tenant: "t0" });
    await eventually(async () => has("late", "t0"));
    await eventually(async () => !(await has("i1", "t1")));
    child.kill("SIGINT");
    const ran = await ended;
    expect([ran.code, ran.errors]).toEqual([0, expect.not.stringContaining("orrery:")]);
    expect(ran.output).toContain("Verification: no difference, 20 items compared");
    expect(await itemsIn(copy)).toEqual(await itemsIn(source));
  });

  test("whose target is deleted says so, and sets nothing aside for it", async () => {
    const source = await lively();
    using directory = temporaryDirectory();
    const file = join(directory.path, "left.ndjson");
    const rules = ["--on-refused", "set-aside", "--set-aside", file];
    const { args, copy } = wayFrom(source, "--online", ...rules);
    const { child, ended } = start(args);
    await following(child);
    await copy.delete();
    await source.items.create({ id: "late", pk: "p0", tenant: "t0" });
    const ran = await ended;
    expect([ran.code, ran.errors.includes("The target is gone")]).toEqual([1, true]);
    expect(existsSync(file)).toBe(false);
  });

  test("ends by itself when it is near enough", async () => {
    const source = await lively();
    const { args, copy } = wayFrom(source, "--online", "--until-lag", "0");
    const ran = await orrery(args);
    expect([ran.code, (await itemsIn(copy)).length]).toEqual([0, 20]);
  });

  test("of a source without versions says that deletes are not seen, and --verify names them", async () => {
    const source = await filled(samples(10));
    const { args } = wayFrom(source, "--online", "--verify");
    const { child, ended } = start(args);
    await following(child);
    await source.item("i3", "p3").delete();
    child.kill("SIGINT");
    const ran = await ended;
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("deletes are not seen");
    expect(ran.output).toMatch(/^extra +i3 +\["p3"\]/m);
  });
});

describe("a copy that was ended before", () => {
  test("goes on from its file, and writes nothing twice", async () => {
    const source = await filled(samples(30), { throughput: 30_000 });
    await source.items.create({ id: "bad", pk: "zz", tenant: { no: "key" } });
    using directory = temporaryDirectory();
    const file = join(directory.path, "state.json");
    const { args, copy } = wayFrom(source, "--key", "/tenant", "--resume", file);
    const first = await orrery(args);
    expect([first.code, first.errors.includes("knows how far it is")]).toEqual([1, true]);
    expect(readFileSync(file, "utf8")).not.toContain(here.server.key);
    await source.item("bad", "zz").replace({ id: "bad", pk: "zz", tenant: "good" });
    const second = await orrery([...args, "--verify"]);
    expect(second.code).toBe(0);
    expect(await itemsIn(copy)).toEqual(await itemsIn(source));
    const third = await orrery(args);
    expect([third.code, summaryOf(third)]).toMatchObject([0, { created: 0, present: 0 }]);
  });

  test("by being killed goes on as well", async () => {
    const source = await filled(samples(150));
    using directory = temporaryDirectory();
    const file = join(directory.path, "state.json");
    const { args, copy } = wayFrom(source, "--key", "/tenant", "--resume", file);
    // So slowly that it cannot be at its end when the first of it is seen.
    const { child, ended } = start([...args, "--max-ru", "20"]);
    const count = async (): Promise<number> => (await itemsIn(copy).catch(() => [])).length;
    await eventually(async () => (await count()) > 0);
    child.kill("SIGKILL");
    await ended;
    await source.item("i0", "p0").replace({ id: "i0", pk: "p0", tenant: "moved" });
    const ran = await orrery([...args, "--verify"]);
    expect([ran.code, ran.output.includes("no difference, 150 items compared")]).toEqual([0, true]);
    expect(await itemsIn(copy)).toEqual(await itemsIn(source));
  });

  test("is not mixed up with another", async () => {
    const source = await filled(samples(3));
    using directory = temporaryDirectory();
    const file = join(directory.path, "state.json");
    const { args } = wayFrom(source, "--resume", file);
    expect((await orrery(args)).code).toBe(0);
    const other = await orrery([...args, "--sample", "50"]);
    expect([other.code, other.errors.includes("is about another copy")]).toEqual([1, true]);
    writeFileSync(file, "{}");
    const broken = await orrery(args);
    expect([broken.code, broken.errors.includes("no file that --resume has written")]).toEqual([
      1,
      true,
    ]);
  });
});

describe("what is no account", () => {
  async function refused(listener: RequestListener): Promise<Ran & { readonly paths: string[] }> {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? "");
      listener(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const ends = ["--from", url, "--from-key", "c2VjcmV0", "--to", there.server.endpoint];
      const ran = await orrery(["copy", "d/a", "d/b", ...ends, "--to-key", there.server.key]);
      return { ...ran, paths };
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  test("because it sends on elsewhere: nothing is followed", async () => {
    const ran = await refused((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
    });
    expect(ran).toMatchObject({ code: 1, paths: ["/"] });
    expect(ran.errors).toContain("answers with a redirection (302), which no account does");
  });

  test("because it answers with something else", async () => {
    const ran = await refused((_request, response) => response.end("<html>"));
    expect(ran).toMatchObject({ code: 1, paths: ["/"] });
    expect(ran.errors).toContain("is no account");
  });

  test("because it sends on later: nothing is followed then either", async () => {
    const ran = await refused((request, response) => {
      if (request.url === "/") response.end(JSON.stringify({ writableLocations: [] }));
      else response.writeHead(307, { location: "file:///etc/passwd" }).end("{}");
    });
    expect(ran.code).toBe(1);
    expect(ran.errors).toContain("answers with a redirection (307)");
  });

  test.each([
    ["file:///etc/passwd", "is a file: URL"],
    ["http://169.254.169.254", "no address of an account"],
    ["http://[::ffff:169.254.169.254]", "no address of an account"],
    ["https://me:secret@host", "has a name or a password"],
  ])("as %s shows by itself", async (url, complaint) => {
    const ran = await orrery(["copy", "d/a", "d/b", "--from", url, "--from-key", "c2VjcmV0"]);
    expect([ran.code, ran.errors.includes(complaint)]).toEqual([2, true]);
    expect(ran.errors).not.toContain("secret@");
  });
});

describe("what makes no sense", () => {
  test("a wrong key is never shown", async () => {
    const ends = ["--from", here.server.endpoint, "--from-key", "d3Jvbmcgd3Jvbmcgd3Jvbmc="];
    const place = ["--endpoint", there.server.endpoint];
    const wrong = await orrery(["copy", "stage/a", "stage/b", ...ends, ...place]);
    expect([wrong.code, wrong.errors.includes("refuses the key")]).toEqual([1, true]);
    expect(wrong.errors).not.toContain("d3Jvbmc");
  });

  test("one container by two addresses is seen", async () => {
    const source = await filled(samples(1));
    const name = `stage/${source.id}`;
    const { endpoint, key } = here.server;
    const other = endpoint.replace("127.0.0.1", "localhost");
    const ends = ["--from", endpoint, "--from-key", key, "--to", other, "--to-key", key];
    const ran = await orrery(["copy", name, name, ...ends]);
    expect([ran.code, ran.errors.includes("the same container")]).toEqual([1, true]);
  });
});
