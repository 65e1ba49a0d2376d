/**
 * One of several nodes that share a database. Whoever holds the tenure works; the others hand every
 * request on to it, and take over when it ends, hangs or is cut off.
 *
 * Invariants
 * - A node answers by itself only while it holds the tenure. What it cannot make sure of it hands
 *   on, or refuses.
 * - A request is handed on once. It is sent a second time only where the first time certainly did
 *   nothing, or where it only reads.
 * - Nothing is kept of another node but its name and address.
 *
 * Not here: the tenure and the epochs that make writes safe (`store/postgres`).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { growingWait, pause } from "../../base/retry.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import { reasonOf } from "../../store/faults.ts";
import type { NodeBook } from "../../store/postgres/nodeBook.ts";
import type { PostgresStore } from "../../store/postgres/postgresStore.ts";
import type { TenureHolder } from "../../store/postgres/tenure.ts";
import type { LentConnection } from "../connections/connections.ts";
import { activityIdOf } from "../http/activityId.ts";
import type { Outbox } from "../http/outbox.ts";
import type { Log } from "../surroundings/log.ts";
import { Errand } from "./errand.ts";
import type { Forwarder, NodeTarget } from "./forwarder.ts";
import type { NodeCard } from "./nodeCard.ts";
import { cardText } from "./nodeCard.ts";
import type { NodeDesk } from "./nodeDesk.ts";
import type { NodePort } from "./nodePort.ts";
import { refuseToWork } from "./nodePort.ts";
import { Passing } from "./passing.ts";
import { Tunnel } from "./tunnel.ts";
import type { NodeWork } from "./whereabouts.ts";
import { Whereabouts } from "./whereabouts.ts";

/** Ends the wait for a tenure that is not wanted any more. */
class Ended extends Error {
  override readonly name = "Ended";
}

interface ClusterSetting {
  readonly name: string;
  readonly card: NodeCard;
  readonly book: NodeBook;
  readonly desk: NodeDesk;
  readonly forwarder: Forwarder;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Resolves when this node holds the tenure; `onTaken` and `onLost` are those of the store. */
  openStore(calls: {
    readonly onTaken: (holder: TenureHolder) => Promise<void>;
    readonly onLost: () => void;
  }): Promise<PostgresStore>;
  /** Begins to work; closes the store if it cannot. */
  openWork(store: PostgresStore): Promise<NodeWork>;
  /** Called now and then, for what nodes have in common. */
  refresh(): Promise<void>;
}

/** How often a node that does not work looks whether it could. */
const LOOK_MS = { min: 50, max: 500 };
const HEAR_EVERY_MS = 2000;
const PAUSE_MS = { min: 250, max: 3000 };
/** An answer that is on its way is read before a node that does not work any more is given up. */
const GRACE_MS = 500;
/** A closing node waits so long for requests of others. */
const IDLE_MS = 5000;

export class ClusterNode {
  readonly #setting: ClusterSetting;
  readonly #whereabouts: Whereabouts;
  readonly #passing: Passing;
  #card: NodeCard;
  #port: NodePort | undefined;
  #isClosing = false;
  #handsOver = false;
  #running: Promise<void> = Promise.resolve();
  #hearing: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #takeoverCount = 0;
  /** The last one to which requests were sent. */
  #asked: NodeTarget | undefined;

  constructor(setting: ClusterSetting) {
    this.#setting = setting;
    this.#card = setting.card;
    this.#whereabouts = new Whereabouts(setting.timer);
    this.#passing = new Passing({
      ...setting,
      whereabouts: this.#whereabouts,
      ownTarget: () => this.#ownTarget(),
      onFailure: () => this.#wake(),
    });
  }

  /** Resolves when it works or knows who does; with `untilWorking`, when it works. */
  async start(port: NodePort, { untilWorking }: { untilWorking: boolean }): Promise<void> {
    this.#port = port;
    await this.#hear();
    await new Promise<void>((resolve, reject) => {
      this.#running = this.#run(reject);
      const look = (): void => {
        const { kind } = this.#whereabouts.place;
        if (kind === "self" || (kind === "other" && !untilWorking)) resolve();
        else void this.#whereabouts.change().then(look);
      };
      look();
    });
    this.#hearing = this.#keepHearing();
  }

  /** Clients are told this address in the book, once it is known. */
  async tellEndpoint(endpoint: string): Promise<void> {
    this.#card = { ...this.#card, endpoint };
    await this.#hear();
  }

  get role(): "works" | "forwards" | "waits" {
    const { kind } = this.#whereabouts.place;
    return kind === "self" ? "works" : kind === "other" ? "forwards" : "waits";
  }

  /** Who works, as far as this node knows. */
  get worker(): string | undefined {
    const { place } = this.#whereabouts;
    if (place.kind === "self") return this.#setting.name;
    return place.kind === "other" ? place.target.name : undefined;
  }

  /** How often this node has taken over. */
  get takeoverCount(): number {
    return this.#takeoverCount;
  }

  /** Why nothing can be answered here now, or nothing. */
  get trouble(): string | undefined {
    return this.#whereabouts.trouble;
  }

  /** What is answered by the one that works here; absent while none does. */
  get work(): NodeWork | undefined {
    const { place } = this.#whereabouts;
    return place.kind === "self" ? place.work : undefined;
  }

  /** Takes a request of a client of this node. */
  take(request: IncomingMessage, response: ServerResponse, activityId: string): void {
    const { place } = this.#whereabouts;
    if (place.kind === "self" && place.store.isHeld) {
      place.work.serve(request, response, activityId);
      return;
    }
    this.#passing.pass(new Errand(request, response, activityId)).catch((defect: unknown) => {
      this.#setting.log("forwardFailed", { activityId, reason: String(defect) });
      response.destroy();
    });
  }

  /** Takes a request that another node has handed on: answers it, or has done nothing. */
  takeForwarded(request: IncomingMessage, response: ServerResponse): void {
    const { place } = this.#whereabouts;
    if (request.url === "/alive") {
      request.resume();
      response.writeHead(200, ["content-length", "0"]).end();
    } else if (place.kind !== "self" || this.#handsOver) refuseToWork(request, response);
    else {
      const serve = (): void => place.work.serve(request, response, activityIdOf(request));
      if (place.store.isHeld) serve();
      else place.store.regain().then(serve, () => refuseToWork(request, response));
    }
  }

  /** A client in direct mode, at this node. */
  takeBinary(socket: TLSSocket): LentConnection {
    const { place } = this.#whereabouts;
    const serve = place.kind === "self" ? place.work.takeBinary : undefined;
    if (serve !== undefined) return serve(socket);
    const origin = { remoteAddress: socket.remoteAddress, isSecure: true };
    return new Tunnel(
      socket,
      this.#passing.target().then((target) => this.#setting.forwarder.tunnel(target, origin)),
    );
  }

  /** A client in direct mode, whose bytes another node hands on; false where nobody serves it. */
  takeForwardedBinary(socket: TLSSocket): boolean {
    const work = this.#handsOver ? undefined : this.work;
    if (work?.takeBinary === undefined) return false;
    work.lend(socket, work.takeBinary(socket));
    return true;
  }

  /** Clients of this node are being waited for; others are served until it hands over. */
  hurryScripts(): () => void {
    return this.work?.hurryScripts() ?? (() => undefined);
  }

  /** Hands the tenure over, if it has it, and is forgotten. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#whereabouts.stir();
    this.#wake();
    await this.#running;
    await this.#hearing;
    const { book, name, forwarder } = this.#setting;
    await book.forget(name).catch(() => undefined);
    await this.#port?.close();
    forwarder.close();
    await book.close();
  }

  async #run(refuse: (error: unknown) => void): Promise<void> {
    const { log, timer } = this.#setting;
    for (let failureCount = 0; !this.#isClosing; ) {
      let lose: () => void = () => undefined;
      const lost = new Promise<void>((resolve) => {
        lose = resolve;
      });
      try {
        const store = await this.#setting.openStore({
          onTaken: (holder) => this.#follow(holder),
          onLost: () => {
            this.#whereabouts.settle({ kind: "nobody", reason: "another node has taken over" });
            lose();
          },
        });
        failureCount = 0;
        await this.#worksOn(store, lost);
      } catch (error) {
        if (error instanceof Ended || this.#isClosing) return;
        failureCount++;
        // The first failure ends a start; later ones pass.
        refuse(error);
        log("nodeFailed", { reason: reasonOf(error) });
        if (this.#whereabouts.place.kind === "self")
          this.#whereabouts.settle({ kind: "nobody", reason: reasonOf(error) });
        await pause(timer, growingWait(failureCount, PAUSE_MS));
      }
    }
  }

  async #worksOn(store: PostgresStore, lost: Promise<void>): Promise<void> {
    const { log, name, clock, timer, openWork } = this.#setting;
    this.#whereabouts.settle({ kind: "nobody", reason: "this node takes over" });
    const beganAt = clock.now();
    const work = await openWork(store);
    this.#handsOver = false;
    this.#takeoverCount++;
    this.#whereabouts.settle({ kind: "self", work, store });
    this.#giveUp(name);
    log("nodeWorks", { node: name, afterMs: Math.round(clock.now() - beganAt) });
    this.#card = { ...this.#card, worksSince: clock.wallNow() };
    void this.#hear();
    let isLost = false;
    const closed = this.#untilClosing();
    await Promise.race([lost.then(() => (isLost = true)), closed]);
    const { worksSince: _, ...card } = this.#card;
    this.#card = card;
    if (isLost)
      log("nodeLost", { node: name, says: "Another node has taken over; this one forwards." });
    else {
      // Others wait with what they would hand on, and try to take over.
      this.#handsOver = true;
      await Promise.race([this.#port?.idle(), pause(timer, IDLE_MS)]);
    }
    await work.close().catch((error: unknown) => {
      if (!isLost) log("nodeFailed", { reason: reasonOf(error) });
    });
    if (!this.#isClosing)
      this.#whereabouts.settle({ kind: "nobody", reason: "another node takes over" });
  }

  /** Nothing comes any more of a node that has worked before: whoever waits for it is told. */
  #giveUp(worker: string): void {
    const { forwarder, timer } = this.#setting;
    const former = this.#asked;
    if (former === undefined || former.name === worker) return;
    timer.after(millis(GRACE_MS), () => forwarder.giveUp(former.name));
  }

  /** Another node works: requests go there until it is worth asking for the tenure again. */
  async #follow({ owner, remainingMs }: TenureHolder): Promise<void> {
    const { desk, timer, log } = this.#setting;
    if (this.#isClosing) throw new Ended();
    if (this.worker !== owner) {
      const target = await desk.targetOf(owner);
      if (target === undefined) {
        this.#whereabouts.settle({
          kind: "nobody",
          reason: `${owner} works, and tells no address`,
        });
      } else {
        this.#giveUp(owner);
        this.#whereabouts.settle({ kind: "other", target });
        this.#asked = target;
        log("nodeForwards", {
          node: this.#setting.name,
          to: owner,
          address: `${target.host}:${target.port}`,
        });
      }
    }
    const wait = Math.min(LOOK_MS.max, Math.max(LOOK_MS.min, remainingMs));
    await new Promise<void>((resolve) => {
      const cancel = timer.after(millis(wait), () => resolve());
      this.#wake = () => {
        cancel();
        timer.after(millis(LOOK_MS.min), () => resolve());
      };
    });
    if (this.#isClosing) throw new Ended();
  }

  /** Its own port: what has been read of a body for another node cannot be read again here. */
  #ownTarget(): NodeTarget {
    const { hostname } = new URL(`tcp://${this.#card.address}`);
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return { name: this.#setting.name, host, port: this.#port!.port };
  }

  async #untilClosing(): Promise<void> {
    while (!this.#isClosing && this.#whereabouts.place.kind === "self") {
      await this.#whereabouts.change();
    }
  }

  async #hear(): Promise<void> {
    const { book, name } = this.#setting;
    await book.hear(name, cardText(this.#card));
  }

  async #keepHearing(): Promise<void> {
    const { desk, forwarder, refresh } = this.#setting;
    while (!this.#isClosing) {
      try {
        await this.#hear();
        await desk.read();
        await refresh();
      } catch {
        // The database is gone for now, which the store tells of.
      }
      const { place } = this.#whereabouts;
      if (place.kind === "other") this.#whereabouts.isReached = await forwarder.probe(place.target);
      await this.#sleep(HEAR_EVERY_MS);
    }
  }

  /** Ends early when the node closes. */
  async #sleep(ms: number): Promise<void> {
    const { clock } = this.#setting;
    const until = clock.now() + ms;
    while (!this.#isClosing && clock.now() < until)
      await this.#whereabouts.changeWithin(until - clock.now());
  }
}
