/**
 * The body of a request on its way to another node. The beginning is remembered, so that a short
 * body can be sent once more when the node it went to turns out to be gone; a long one cannot.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { hasBody } from "../http/requestForm.ts";

const KEPT_BYTES_MAX = 128 * 1024;

export class ForwardedBody {
  readonly #request: IncomingMessage;
  #kept: Buffer[] = [];
  #bytes = 0;
  #isWhole: boolean;
  #isTouched = false;
  #leave: () => void = () => undefined;

  constructor(request: IncomingMessage) {
    this.#request = request;
    this.#isWhole = !hasBody(request);
  }

  /** Nothing of it has been read, so somebody else can read it. */
  get isUntouched(): boolean {
    return !this.#isTouched;
  }

  get canRepeat(): boolean {
    return this.#bytes <= KEPT_BYTES_MAX;
  }

  /** Sends what is remembered, and then what comes. Nobody else may have it at the same time. */
  sendTo(sink: ClientRequest): void {
    for (const chunk of this.#kept) sink.write(chunk);
    if (this.#isWhole) {
      sink.end();
      return;
    }
    this.#isTouched = true;
    const request = this.#request;
    const onData = (chunk: Buffer): void => {
      this.#keep(chunk);
      if (!sink.write(chunk)) request.pause();
    };
    const onDrain = (): void => void request.resume();
    const onEnd = (): void => {
      this.#isWhole = true;
      sink.end();
    };
    // A client that goes away in the middle of its body has asked for nothing.
    const onClose = (): void => {
      if (!request.complete) sink.destroy();
    };
    request.on("data", onData).on("end", onEnd).on("close", onClose);
    sink.on("drain", onDrain);
    this.#leave = () => {
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      sink.off("drain", onDrain);
      request.pause();
    };
    request.resume();
  }

  /** What still comes is not read until it is sent to somebody else. */
  leave(): void {
    this.#leave();
    this.#leave = () => undefined;
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.canRepeat) this.#kept.push(chunk);
    else this.#kept = [];
  }
}
