/**
 * Where a request comes from: the other end of its connection, or of the one by which it came to
 * another node that has forwarded it. What a client says of that itself counts for nothing.
 */
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";

export interface RequestOrigin {
  readonly remoteAddress: string | undefined;
  /** Whether the client speaks TLS. */
  readonly isSecure: boolean;
}

const forwarded = new WeakMap<IncomingMessage, RequestOrigin>();

export function originOf(request: IncomingMessage): RequestOrigin {
  const { socket } = request;
  return (
    forwarded.get(request) ?? {
      remoteAddress: socket.remoteAddress,
      isSecure: socket instanceof TLSSocket,
    }
  );
}

/** Another node, which we have made sure of, tells where a request has come to it from. */
export function noteOrigin(request: IncomingMessage, origin: RequestOrigin): void {
  forwarded.set(request, origin);
}
