/**
 * The stream of a backup from a running server. The key is sent when the server asks for it, as
 * with all of the admin API, and for a backup every server does.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import { text as textOf } from "node:stream/consumers";
import type { AdminError, IndexAnswer } from "../../protocol/admin.ts";
import { ADMIN_API } from "../../protocol/admin.ts";
import { isLoopback } from "../../server/surroundings/addresses.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { ServerAccount } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";

const PATH = `${ADMIN_API}backup`;

interface Download {
  readonly bytes: number;
  readonly stream: AsyncIterable<Buffer>;
}

/** Throws a `CommandFailure` when the server is not there, has no backups, or refuses one. */
export async function openDownload(account: ServerAccount, signal: AbortSignal): Promise<Download> {
  await askWhetherIsThere(account);
  let answer = await ask(account, {}, signal);
  if (answer.statusCode === 401) {
    answer.resume();
    answer = await ask(account, { authorization: `Bearer ${account.key}` }, signal);
  }
  const { origin } = account.endpoint;
  if (answer.statusCode === 401) {
    throw new CommandFailure(`The server at ${origin} refuses the key. Give one with --key.`);
  }
  if (answer.statusCode !== 200) throw new CommandFailure(messageIn(await textOf(answer), origin));
  return { bytes: Number(answer.headers["content-length"]), stream: answer };
}

/** With the failures that all commands have in common. */
async function askWhetherIsThere(account: ServerAccount): Promise<void> {
  const client = new AdminClient(account);
  try {
    const { routes } = await client.get<IndexAnswer>("");
    if (routes.some(({ path }) => path === PATH)) return;
    throw new CommandFailure(
      `The server at ${account.endpoint.origin} is of a version without backups. Stop it, and ` +
        "back its directory up with --data.",
    );
  } finally {
    client.close();
  }
}

function ask(
  { endpoint, isUnverified }: ServerAccount,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Without the brackets that a URL puts around the addresses of version 6.
  const host = endpoint.hostname.replace(/^\[(.*)\]$/, "$1");
  const isTls = endpoint.protocol === "https:";
  const options = {
    host,
    port: endpoint.port,
    path: PATH,
    method: "POST",
    headers: { "content-type": "application/json", "content-length": 0, ...headers },
    // As with every other request of a command, see `connection.ts`.
    rejectUnauthorized: isUnverified !== true && !isLoopback(host),
    agent: false,
    signal,
  } as const;
  return new Promise((resolve, reject) => {
    const request = isTls ? https.request(options, resolve) : http.request(options, resolve);
    request.on("error", (error) => {
      reject(new CommandFailure(`No answer from ${endpoint.origin}: ${error.message}.`));
    });
    request.end();
  });
}

function messageIn(body: string, origin: string): string {
  try {
    const { message } = JSON.parse(body) as Partial<AdminError>;
    if (typeof message === "string") return message;
  } catch {
    // Not from this server then.
  }
  return `The server at ${origin} did not give a backup.`;
}
