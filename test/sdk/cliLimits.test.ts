/** Limits and rates on the command line: what `orrery start` takes, prints and refuses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./stage.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

interface Told {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
}

/** What a server says until it is ready, or instead of that. */
async function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Told> {
  using directory = temporaryDirectory();
  const command = [CLI, "start", "--memory", "--port", "0", ...args];
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, command, {
    cwd: directory.path,
    env: { PATH, HOME, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, closed] = [text(child.stdout), text(child.stderr), once(child, "close")];
  child.stdout.once("data", () => child.kill("SIGTERM"));
  await closed;
  return { output: await output, errors: await errors, code: child.exitCode };
}

test.concurrent("a common server says that rates are limited, and nothing of limits", async () => {
  const { output, code } = await start([]);
  expect(code).toBe(0);
  expect(output).toContain("\n  rates        provisioned; beyond them 429\n");
  expect(output).not.toContain("\n  limit ");
  expect(output).not.toContain("\n  consistency ");
});

test.concurrent("a smaller world is announced with a line for each limit", async () => {
  const { output } = await start([
    ...["--scale-limits", "1/1000", "--limit", "partitionRate=1000"],
    ...["--no-rate-limit", "--consistency", "strong"],
  ]);
  for (const line of [
    "rates        provisioned, not limited",
    "consistency  Strong",
    "limit        logicalPartitionBytes 20.48 MB (service: 20 GB)",
    "limit        physicalPartitionBytes 51.2 MB (service: 50 GB)",
    "limit        partitionRate 1,000 RU/s (service: 10,000 RU/s)",
    "limit        manualRatePerGb 1,000 RU/s per GB (service: 1 RU/s per GB)",
  ]) {
    expect(output).toContain(`\n  ${line}\n`);
  }
});

test.concurrent("a serverless account says what its partitions serve", async () => {
  const { output } = await start(["--serverless"]);
  expect(output).toContain("rates        serverless, 5,000 RU/s a physical partition; beyond");
});

test.concurrent("an option counts more than the emulator's variable", async () => {
  const environment = { AZURE_COSMOS_EMULATOR_ARGS: "/DisableRateLimiting /Consistency=Strong" };
  const unlimited = await start([], environment);
  expect(unlimited.output).toContain(
    "rates        provisioned, not limited\n  consistency  Strong",
  );
  const limited = await start(["--rate-limit", "--consistency", "Session"], environment);
  expect(limited.output).toContain("rates        provisioned; beyond them 429\n\n");
});

const MISTAKES: readonly [string, readonly string[]][] = [
  ["--limit is 'partitionRate'; it must be a name, '=' and a value", ["--limit", "partitionRate"]],
  ["partitionRate twice", ["--limit", "partitionRate=1000", "--limit", "partitionRate=2000"]],
  ["--consistency is 'Weak'; it can be Strong,", ["--consistency", "Weak"]],
  ["manualRatePerPartition is NaN", ["--manual-rate-per-partition", "many"]],
  ["admin is 'all'; it can be loopback, any, off", ["--admin", "all"]],
];

test.concurrent.each(MISTAKES)("%s", async (message, args) => {
  const { output, errors, code } = await start(args);
  expect(code).toBe(2);
  expect(output).toBe("");
  expect(errors).toContain(message);
  expect(errors.trimEnd().split("\n")).toHaveLength(1);
});
