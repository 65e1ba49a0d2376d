/**
 * `GET /_orrery/v1/nodes`: the nodes that share a database, told by the one that was asked, also
 * while none of them works. On a node that does not work this is where its metrics are, too: they
 * are about itself, and not about the data.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RouteEntry } from "../../protocol/admin.ts";
import { ADMIN_API, METRICS_PATH } from "../../protocol/admin.ts";
import type { KeyRing } from "../../protocol/auth/authorization.ts";
import type { NodesAnswer } from "../../protocol/nodes.ts";
import { originOf } from "../http/origin.ts";
import type { Outbox } from "../http/outbox.ts";
import { discardBody } from "../http/requestBody.ts";
import type { AdminAccess } from "../surroundings/orreryOptions.ts";
import { accessCheck } from "./access.ts";
import { processFamilies } from "./metrics.ts";
import { adminAnswer, jsonAnswer, problem, problemAnswer } from "./problem.ts";
import { processFigures } from "./processFigures.ts";
import type { Family } from "./prometheus.ts";
import { PROMETHEUS_TYPE, prometheusText } from "./prometheus.ts";

const NODES_PATH = `${ADMIN_API}nodes`;

export const NODE_ROUTES: readonly RouteEntry[] = [
  { method: "GET", path: NODES_PATH, about: "the nodes that share a database", parameters: [] },
];

/** Who knows of the nodes. */
export interface NodesSurface {
  /** Asks the database, and each of the nodes; undefined where there is no database. */
  nodes(): Promise<NodesAnswer | undefined>;
  families(): readonly Family[];
  /** Whether this node works, and tells of the data. */
  readonly isWorking: boolean;
}

interface NodeDoorSetting {
  readonly surface: NodesSurface;
  readonly access: AdminAccess;
  readonly keys: KeyRing;
  readonly outbox: Outbox;
  readonly version: string;
}

export interface NodeDoor {
  /** Whether this node answers by itself, whoever works. */
  isFor(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
}

export function openNodeDoor(setting: NodeDoorSetting): NodeDoor {
  const { surface, keys, outbox, version } = setting;
  const check = accessCheck(setting.access, keys);
  return {
    isFor: ({ url = "" }) => url === NODES_PATH || (url === METRICS_PATH && !surface.isWorking),
    serve: (request, response) => {
      const { method = "", headers, url } = request;
      discardBody(request);
      const { remoteAddress } = originOf(request);
      const refused = check({ method, headers, remoteAddress });
      if (refused !== undefined) outbox.send(response, problemAnswer(refused));
      else if (method !== "GET") {
        const message = "Only GET is allowed here.";
        outbox.send(response, problemAnswer(problem(405, message, ["allow", "GET"])));
      } else if (url === METRICS_PATH) {
        const own = processFamilies({ process: processFigures(), version });
        const text = prometheusText([...own, ...surface.families()]);
        outbox.send(response, adminAnswer(200, PROMETHEUS_TYPE, text));
      } else {
        surface.nodes().then(
          (answer) =>
            outbox.send(
              response,
              answer === undefined ? problemAnswer(ALONE) : jsonAnswer(200, answer),
            ),
          () => outbox.send(response, problemAnswer(DATABASE_AWAY)),
        );
      }
    },
  };
}

/** A server that has its data to itself. */
export const NO_NODES: NodesSurface = {
  nodes: () => Promise.resolve(undefined),
  families: () => [],
  isWorking: true,
};

const ALONE = problem(
  404,
  "This server has its data to itself. Nodes are servers that share a database: start them with " +
    "--store.",
);

const DATABASE_AWAY = problem(
  503,
  "This node does not reach the database, which has the book of nodes. Ask another one.",
);
