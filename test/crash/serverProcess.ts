/**
 * A server in a process of its own, to be killed without warning, and a client that signs its
 * requests itself: nothing of the server's code is shared with the test that judges it.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { fixedPort } from "../../src/base/fixedPort.fake.ts";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Only what never gets ready is to fail; a machine with much else to do takes its time. */
const READY_MS_MAX = 60_000;

export interface Server {
  readonly endpoint: string;
  readonly key: string;
  /** From the start of the process to its readiness. */
  readonly openMs: number;
  readonly pid: number;
  /** What it has written to standard error so far. */
  complaints(): string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  end(): Promise<number | null>;
}

/** On a port that it can have again, and serving as fast as it can, unless told otherwise. */
export async function startServer(
  data: string,
  options: { readonly port?: number; readonly args?: readonly string[] } = {},
): Promise<Server> {
  if (!existsSync(CLI)) throw new Error("dist/cli.js is missing: run `npm run build` first");
  const startedAt = performance.now();
  const { args: more = ["--no-rate-limit"] } = options;
  const port = options.port ?? (await fixedPort());
  const args = [CLI, "start", "--json", "--port", String(port), "--data", data, ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let complaints = "";
  child.stderr!.on("data", (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  const line = await firstLine(child, () => complaints);
  const { endpoint, key } = JSON.parse(line) as { endpoint: string; key: string };
  const endWith = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return {
    endpoint,
    key,
    openMs: performance.now() - startedAt,
    pid: child.pid!,
    complaints: () => complaints,
    kill: async () => void (await endWith("SIGKILL")),
    end: () => endWith("SIGTERM"),
  };
}

/** What the process prints when it is ready; rejects when it ends or stays silent instead. */
function firstLine(child: ChildProcess, complaints: () => string): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill("SIGKILL");
      reject(new Error(`the server ${why}: ${complaints()}`));
    };
    const timeout = setTimeout(() => fail(`is not ready after ${READY_MS_MAX} ms`), READY_MS_MAX);
    const onExit = (code: number | null): void => fail(`ended with code ${code}`);
    child.once("exit", onExit);
    child.stdout!.on("data", (bytes: Buffer) => {
      output += bytes.toString();
      const end = output.indexOf("\n");
      if (end < 0) return;
      clearTimeout(timeout);
      child.off("exit", onExit);
      resolve(output.slice(0, end));
    });
  });
}

export interface Call {
  readonly method: string;
  readonly resourceType: "dbs" | "colls" | "docs";
  /** What is signed, such as `dbs/d/colls/c`. */
  readonly link: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: string;
}

/** One connection that stays open, one request at a time. */
export class Client {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(server: Server) {
    this.#server = server;
  }

  /** Rejects when the answer did not arrive whole: then nobody knows what became of the request. */
  call({ method, resourceType, link, path, headers, body }: Call): Promise<Answer> {
    const date = new Date().toUTCString();
    const text = `${method}\n${resourceType}\n${link}\n${date}\n\n`;
    const lines = text.split("\n").map((line, index) => (index === 2 ? line : line.toLowerCase()));
    const digest = createHmac("sha256", Buffer.from(this.#server.key, "base64"))
      .update(lines.join("\n"))
      .digest("base64");
    const signed = {
      ...headers,
      "x-ms-date": date,
      "x-ms-version": "2020-07-15",
      authorization: encodeURIComponent(`type=master&ver=1.0&sig=${digest}`),
      ...(body !== undefined && {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      }),
    };
    const url = new URL(path, this.#server.endpoint);
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers: signed, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("close", () => {
          if (!response.complete) return reject(new Error("the answer broke off"));
          const { etag } = response.headers;
          const status = response.statusCode ?? 0;
          return resolve({ status, etag, body: Buffer.concat(chunks).toString() });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
