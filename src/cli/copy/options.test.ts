/** Arguments of `orrery copy` as the question that the server gets, or a complaint. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describe, expect, test } from "vitest";
import type { CopyQuestion } from "../../model/copyJob.ts";
import { COPY_OPTIONS, questionOf } from "./options.ts";

function asked(...args: string[]): CopyQuestion {
  const { values, positionals } = parseArgs({
    args: ["shop/a", "shop/b", ...args],
    allowPositionals: true,
    options: COPY_OPTIONS,
  });
  return questionOf(positionals, values);
}

/** Without what is not told. */
function told(...args: string[]): object {
  const { source: _source, target: _target, ...rest } = asked(...args);
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}

test("two containers are enough", () => {
  expect(asked()).toMatchObject({
    source: { database: "shop", container: "a" },
    target: { database: "shop", container: "b" },
  });
  expect(told()).toEqual({ mode: "offline" });
});

test.each<[string[], object]>([
  [["--key", "/tenantId,/userId"], { key: ["/tenantId", "/userId"] }],
  [["--key", "[/tenantId, /userId]"], { key: ["/tenantId", "/userId"] }],
  [
    ["--key", "concat(/tenantId,'-',hash(/id) % 10),/userId", "--key-property", "/pk"],
    { key: ["concat(/tenantId, '-', hash(/id) % 10)", "/userId"], keyProperties: ["/pk"] },
  ],
  [["--online"], { mode: "online" }],
  [["--swap"], { mode: "online", switchBy: "names" }],
  [["--cut-over", "automatic"], { mode: "online", cutOver: "automatic" }],
  [["--where", "c.n > 1", "--select", "c.id, c.pk"], { where: "c.n > 1", select: "c.id, c.pk" }],
  [["--sample", "0.5"], { samplePercent: 0.5 }],
  [["--ttl", "restart"], { ttl: "restart" }],
  [["--on-clash", "set-aside"], { onClash: "setAside" }],
  [["--on-missing-key", "none"], { onMissingKey: "none" }],
  [["--on-refused", "stop", "--set-aside-max", "0"], { onRefused: "stop", setAsideMax: 0 }],
  [["--share", "35"], { sharePercent: 35 }],
  [["--throughput", "4000"], { throughput: { kind: "manual", ratePerSecond: 4000 } }],
  [["--autoscale", "4000"], { throughput: { kind: "autoscale", ratePerSecond: 4000 } }],
  [["--shared"], { throughput: { kind: "shared" } }],
  [["--default-ttl", "off"], { definition: { defaultTtl: null } }],
  [["--default-ttl=-1"], { definition: { defaultTtl: -1 } }],
  [["--default-ttl", "60"], { definition: { defaultTtl: 60 } }],
  [["--dry-run"], { isDryRun: true }],
  [["--token", "today"], { token: "today" }],
])("%j", (args, question) => {
  expect(told(...args)).toEqual({ mode: "offline", ...question });
});

describe("what makes no sense is told before anybody is asked", () => {
  test.each<[string[], RegExp]>([
    [["--key", "/tenantId,nonsense(/a)"], /--key .*, at character 11: .*nonsense/],
    [["--key", "/a,/b,/c,/d"], /at character 10: .*at most 3 levels/],
    [["--key", "/a /b"], /at character 4: an end or a comma is expected after the last level/],
    [["--key", ""], /--key '', at character 1/],
    [["--key", "'always'"], /'always', which is the same for every item/],
    [["--key", "/a", "--key-property", "/pk"], /given 1 times, and 0 levels/],
    [["--key", "lower(/a)", "--key-property", "pk"], /--key-property is 'pk'/],
    [
      ["--key", "lower(/a),lower(/b)", "--key-property", "/p", "--key-property", "/p"],
      /names \/p twice/,
    ],
    [["--online", "--offline"], /exclude each other/],
    [["--offline", "--swap"], /--swap is the end of an online copy/],
    [["--sample", "0"], /--sample is '0'/],
    [["--sample", "101"], /at most 100/],
    [["--share", "many"], /--share is 'many'/],
    [["--on-clash", "none"], /--on-clash is 'none'; it must be stop or set-aside/],
    [["--on-missing-key", "x"], /stop or set-aside or none/],
    [["--ttl", "forever"], /keep or restart/],
    [["--throughput", "400", "--shared"], /exclude each other/],
    [["--default-ttl", "0"], /--default-ttl is '0'/],
    [["--where", " "], /--where is empty/],
    [["three"], /'three' is one word too many/],
  ])("%j", (args, complaint) => {
    expect(() => asked(...args)).toThrow(complaint);
  });

  test("one container is not enough", () => {
    expect(() => questionOf(["shop/a"], {})).toThrow(/Name two containers/);
    expect(() => questionOf(["shop/a", "b"], {})).toThrow(/'b' names no container/);
  });
});

test("an indexing policy is read from its file, or it is said why not", () => {
  const folder = mkdtempSync(join(tmpdir(), "orrery-copy-"));
  try {
    const file = join(folder, "policy.json");
    writeFileSync(file, `{"automatic":false}`);
    expect(told("--index-policy", file)).toMatchObject({
      definition: { indexingPolicy: { automatic: false } },
    });
    writeFileSync(file, "[]");
    expect(() => asked("--index-policy", file)).toThrow(/holds no JSON object/);
    expect(() => asked("--index-policy", join(folder, "none"))).toThrow(/cannot be read/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
