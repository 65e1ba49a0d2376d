/**
 * Cosmium, a server in Go, as a contestant. It is built outside this repository:
 * `ORRERY_BENCH_COSMIUM` names the program. It keeps everything in memory.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";

const TRIES_MAX = 200;
const TRY_MS = 50;
const program = process.env["ORRERY_BENCH_COSMIUM"] ?? "";
const key =
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

const port = await freePort();
const child = spawn(
  program,
  ["-Host", "127.0.0.1", "-Port", String(port), "-DisableTls", "-LogLevel", "silent"],
  { stdio: ["ignore", "ignore", "inherit"] },
);
child.once("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill("SIGKILL"));
process.on("exit", () => child.kill("SIGKILL"));
// Whoever started it holds the other end: when that is gone, so is this.
process.stdin.on("end", () => process.exit(0)).resume();
for (let tries = 0; tries < TRIES_MAX && !(await answers()); tries += 1) {
  await new Promise((resolve) => setTimeout(resolve, TRY_MS));
}
const ready = { ready: true, endpoint: `http://127.0.0.1:${port}`, key, pid: child.pid };
process.stdout.write(`${JSON.stringify(ready)}\n`);

/** The system chooses; nobody else takes it within the moment. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

/** @returns {Promise<boolean>} */
function answers() {
  return new Promise((resolve) => {
    request({ host: "127.0.0.1", port, path: "/" }, (answer) => {
      answer.resume();
      resolve(true);
    })
      .once("error", () => resolve(false))
      .end();
  });
}
