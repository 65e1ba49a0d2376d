/**
 * What a server can be told, as its owner says it: one member for each option, absent where nothing
 * is said. What is assumed then, and what makes sense, is in `options.ts`.
 */
import type { InitSeed } from "../../seed/initSeed.ts";

/** Options of `startOrrery` and, under the same names, of `orrery start`. */
export interface OrreryOptions {
  /** 0 lets the system choose; the default for embedding. */
  readonly port?: number | undefined;
  /** The address to listen on. */
  readonly host?: string | undefined;
  /** Where data is kept. */
  readonly data?: string | undefined;
  /** Where archives of old logical partitions go; in the data directory if absent. */
  readonly archives?: string | undefined;
  /**
   * Keep data in a PostgreSQL, or in an engine that speaks its protocol, instead: `postgres://…`.
   * Several have some of the physical partitions each, the first one the catalogue. Certificates
   * and keys stay in the data directory.
   */
  readonly store?: string | readonly string[] | undefined;
  /** Serve nobody until it is this node that works on the database. */
  readonly standby?: boolean | undefined;
  /** Where nodes that share the database reach this one: an address of this machine, and a port. */
  readonly nodeHost?: string | undefined;
  readonly nodePort?: number | undefined;
  /** Keep nothing: everything is gone when the server closes. */
  readonly memory?: boolean | undefined;
  /** A seed, or where seeds are: what there is to be before anybody is served. docs/use/seed.md */
  readonly init?: string | InitSeed | undefined;
  /** Account keys, base64. Without one, the well-known emulator key is used on loopback. */
  readonly key?: string | undefined;
  readonly secondaryKey?: string | undefined;
  readonly readOnlyKey?: string | undefined;
  readonly secondaryReadOnlyKey?: string | undefined;
  /**
   * An identity provider whose tokens are accepted, by the name in them. Needs `entraKeys`: a file
   * with its public keys (JWKS), or the URL of one: https, or http on this machine.
   */
  readonly entraIssuer?: string | undefined;
  readonly entraKeys?: string | undefined;
  /** For whom tokens must be meant. By default this account, or `https://cosmos.azure.com`. */
  readonly entraAudience?: readonly string[] | undefined;
  /** The role in a token whose bearer only reads. */
  readonly entraReaderRole?: string | undefined;
  /** Use the well-known emulator key although other machines can reach this server. */
  readonly wellKnownKey?: boolean | undefined;
  /** Serve TLS with a certificate of a local authority, made once and kept. */
  readonly https?: boolean | undefined;
  /** Serve TLS with this file instead: PFX, or PEM with its key in it or in `certKey`. */
  readonly cert?: string | undefined;
  readonly certKey?: string | undefined;
  /** What opens the private key in those files. */
  readonly certSecret?: string | undefined;
  /** A file that the certificate for clients to trust is written to, in PEM, before serving. */
  readonly caFile?: string | undefined;
  /** A second port, for the paths that tell how the server is, by plain HTTP. */
  readonly healthPort?: number | undefined;
  /** Which requests are written to standard error. None unless said otherwise. */
  readonly log?: RequestLogLevel | undefined;
  /** A request on the log as a line to read, or as JSON for programs. */
  readonly logFormat?: RequestLogFormat | undefined;
  /** The address clients are told to use; by default the one they came by. */
  readonly publicEndpoint?: string | undefined;
  /** Host names besides the loopback ones that requests may carry. `*` allows any. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Serve clients in direct mode, on the same port. On unless said otherwise. */
  readonly direct?: boolean | undefined;
  /** Seconds in which the headers of a request have to come. */
  readonly headerTimeout?: number | undefined;
  /** Seconds in which the body of a request has to come; one that drips is cut off earlier. */
  readonly bodyTimeout?: number | undefined;
  /** Seconds for which a connection may be silent between two requests. */
  readonly idleTimeout?: number | undefined;
  /** The most connections at a time; fewer if the system does not let the process have so many. */
  readonly maxConnections?: number | undefined;
  /** Refuse requests beyond the provisioned rate, as the service does. On unless said otherwise. */
  readonly rateLimit?: boolean | undefined;
  /** No rates are provisioned; each physical partition serves what serverless ones do. */
  readonly serverless?: boolean | undefined;
  /** Let physical partitions with a low rate save what they do not spend. */
  readonly burstCapacity?: boolean | undefined;
  /**
   * A new container with a manual rate gets a physical partition for each of this many RU/s. The
   * default is what one can serve, 10,000; the service itself is said to take 6,000.
   */
  readonly manualRatePerPartition?: number | undefined;
  /** What the account promises its readers; it decides what reads cost. Session by default. */
  readonly consistency?: ConsistencyName | undefined;
  /** Shrinks the sizes of partitions: 0.001, or "1/1000". See docs/operate/limits.md. */
  readonly scaleLimits?: number | string | undefined;
  /** Single limits by name, as numbers or sizes: `{ logicalPartitionBytes: "20MB" }`. */
  readonly limits?: Readonly<Record<string, number | string>> | undefined;
  /** Keep statistics of load and storage. On unless said otherwise. */
  readonly statistics?: boolean | undefined;
  /** Settings of alerts, or the path of a JSON file with them. */
  readonly alerts?: string | object | undefined;
  /** Addresses that alerts are sent to. */
  readonly alertWebhook?: readonly string[] | undefined;
  /** Hosts that alerts may be sent to and no others, with or without a port. */
  readonly allowWebhookHosts?: readonly string[] | undefined;
  /** Who may use the admin API: programs on this machine, anybody with a key, or nobody. */
  readonly admin?: AdminAccess | undefined;
  /** Serve the web page at `/_explorer/`. On unless other machines can reach this server. */
  readonly explorer?: boolean | undefined;
}

export type ConsistencyName =
  | "Strong"
  | "BoundedStaleness"
  | "Session"
  | "ConsistentPrefix"
  | "Eventual";

export type RequestLogFormat = "line" | "json";
export type RequestLogLevel = "requests" | "errors" | "none";

export type AdminAccess = "loopback" | "any" | "off";
