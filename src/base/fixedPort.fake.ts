/**
 * A port for a server that is killed and comes back at the same address. The system gives ports of
 * its own choosing to every connection, so one of those may be taken while the server is away; this
 * one lies below them.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Linux chooses from 32,768 on, others from 49,152. */
const OF_THE_SYSTEM_FROM = 32_768;
const FROM = 15_000;
const TRIES_MAX = 100;

export async function fixedPort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(FROM, OF_THE_SYSTEM_FROM);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free below ${OF_THE_SYSTEM_FROM}`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, "127.0.0.1");
    await once(probe, "listening");
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
