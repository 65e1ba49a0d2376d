/** Tells of the nodes that share the database: what the book says, and whom this node reaches. */
import type { NodeEntry, NodesAnswer } from "../../protocol/nodes.ts";
import type { BookedNode, NodeBook } from "../../store/postgres/nodeBook.ts";
import type { Forwarder, NodeTarget } from "./forwarder.ts";
import type { NodeCard } from "./nodeCard.ts";
import { parseCard } from "./nodeCard.ts";

/** Nodes are heard of every other second. */
export const SILENT_MS = 8000;
/** And one that cannot be reached either is gone sooner. */
const GONE_MS = 3000;

interface NodeDeskSetting {
  readonly name: string;
  readonly book: NodeBook;
  readonly forwarder: Forwarder;
}

interface KnownNode extends BookedNode {
  readonly told: NodeCard;
}

export class NodeDesk {
  readonly #setting: NodeDeskSetting;
  #known: readonly KnownNode[] = [];
  #worker: string | undefined;

  constructor(setting: NodeDeskSetting) {
    this.#setting = setting;
  }

  /** What the book said when it was last read: this is asked for every other second. */
  get known(): readonly KnownNode[] {
    return this.#known;
  }

  /** The names of the nodes that have not been heard of for a while. */
  get silent(): readonly string[] {
    return this.#known.filter(({ heardMsAgo }) => heardMsAgo > SILENT_MS).map(({ name }) => name);
  }

  /** Which of them works, when that was last looked at. */
  get worker(): string | undefined {
    return this.#worker;
  }

  async read(): Promise<readonly KnownNode[]> {
    const { book } = this.#setting;
    const [booked, held] = [await book.nodes(), await book.worker()];
    this.#worker = held !== undefined && held.remainingMs > 0 ? held.owner : undefined;
    this.#known = booked.flatMap((node) => {
      const told = parseCard(node.card);
      return told === undefined ? [] : [{ ...node, told }];
    });
    return this.#known;
  }

  async targetOf(name: string): Promise<NodeTarget | undefined> {
    const node = (await this.read()).find((one) => one.name === name);
    return node && targetOf(node);
  }

  /** Asks the database and each node. */
  async answer(): Promise<NodesAnswer> {
    const { name, forwarder } = this.#setting;
    const known = await this.read();
    const worker = this.#worker;
    const nodes = await Promise.all(
      known.map(async (node): Promise<NodeEntry> => {
        const { told, heardMsAgo } = node;
        const isReached = node.name === name || (await forwarder.probe(targetOf(node)));
        const isWorker = node.name === worker;
        const isSilent = heardMsAgo > (isReached ? SILENT_MS : GONE_MS);
        return {
          name: node.name,
          role: isWorker ? "works" : isSilent ? "silent" : "forwards",
          ...(isWorker && told.worksSince !== undefined && { worksSince: told.worksSince }),
          version: told.version,
          startedAt: told.startedAt,
          heardMsAgo,
          endpoint: told.endpoint,
          address: told.address,
          process: told.process,
          isReached,
        };
      }),
    );
    return { answeredBy: name, ...(worker !== undefined && { worker }), nodes };
  }
}

function targetOf({ name, told }: KnownNode): NodeTarget {
  const { hostname, port } = new URL(`tcp://${told.address}`);
  return { name, host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}
