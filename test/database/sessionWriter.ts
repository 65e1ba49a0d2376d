/**
 * A client of several nodes: it writes by way of one and reads by way of another, with the session
 * token that it was given, and notes whatever a client of one server would not see.
 */
import type { Container } from "@azure/cosmos";

/** A write that was acknowledged, and between which moments. */
interface Told {
  readonly id: string;
  readonly range: string;
  readonly lsn: number;
  readonly beganAt: number;
  readonly toldAt: number;
}

interface WriterSetting {
  readonly number: number;
  /** The same container by way of each node. */
  readonly containers: readonly Container[];
  /** Waits a moment before the next try. */
  readonly pause: () => Promise<void>;
  readonly now: () => number;
}

const SESSION = "x-ms-session-token";
/** What a client may be told while nodes end and take over. */
const PASSING: readonly unknown[] = [408, 503, "ECONNREFUSED", "ECONNRESET", "REQUEST_SEND_ERROR"];

export class SessionWriter {
  readonly #setting: WriterSetting;
  readonly told: Told[] = [];
  /** Sent, and never acknowledged: may be there or not. */
  readonly doubtful: Set<string> = new Set();
  /** What must not have happened. */
  readonly complaints: string[] = [];
  readonly refusals: Map<string, number> = new Map();
  readCount = 0;
  #isEnding = false;
  #done: Promise<void> = Promise.resolve();

  constructor(setting: WriterSetting) {
    this.#setting = setting;
  }

  begin(): void {
    this.#done = this.#run();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    const { number, containers, pause } = this.#setting;
    for (let count = 0; !this.#isEnding; count++) {
      const id = `w${number}-${count}`;
      const item = { id, tenant: `t${number}-${count % 5}`, count };
      const near = (number + count) % containers.length;
      const token = await this.#create(containers[near]!, item);
      if (token === undefined) await pause();
      else await this.#readBack(containers[(near + 1) % containers.length]!, item, token);
    }
  }

  async #create(
    container: Container,
    item: { readonly id: string; readonly tenant: string },
  ): Promise<string | undefined> {
    const { now } = this.#setting;
    const beganAt = now();
    try {
      const { headers } = await container.items.create(item);
      const token = headers[SESSION] as string;
      const [range = "", rest = ""] = token.split(":");
      const lsn = Number(rest.split("#").at(-1));
      this.told.push({ id: item.id, range, lsn, beganAt, toldAt: now() });
      return token;
    } catch (error) {
      this.doubtful.add(item.id);
      this.#note(error, `creating ${item.id}`);
      return undefined;
    }
  }

  async #readBack(
    container: Container,
    item: { readonly id: string; readonly tenant: string },
    sessionToken: string,
  ): Promise<void> {
    try {
      const { statusCode } = await container.item(item.id, item.tenant).read({ sessionToken });
      this.readCount++;
      if (statusCode !== 200) this.complaints.push(`${item.id} was not seen: ${statusCode}`);
    } catch (error) {
      this.#note(error, `reading ${item.id}`);
    }
  }

  #note(error: unknown, what: string): void {
    const { code } = error as { readonly code?: unknown };
    const name = String(code);
    this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    if (!PASSING.includes(code)) this.complaints.push(`${what}: ${name} ${String(error)}`);
  }
}

/** LSNs rise in the order in which writes were done: whatever began after another was told. */
export function outOfOrder(all: readonly Told[]): readonly string[] {
  const found: string[] = [];
  for (const range of new Set(all.map((one) => one.range))) {
    const ofRange = all.filter((one) => one.range === range);
    const byEnd = ofRange.toSorted((a, b) => a.toldAt - b.toldAt);
    let ended = 0;
    let highest = 0;
    for (const one of ofRange.toSorted((a, b) => a.beganAt - b.beganAt)) {
      while (ended < byEnd.length && byEnd[ended]!.toldAt < one.beganAt) {
        highest = Math.max(highest, byEnd[ended]!.lsn);
        ended++;
      }
      if (one.lsn <= highest) found.push(`${one.id} has ${one.lsn}, behind ${highest}`);
    }
  }
  return found;
}
