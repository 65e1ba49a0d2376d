/**
 * The data plane of a running server, one request at a time: databases, containers, items and what
 * they may spend, each request signed, and asked again while the server is too busy. What all of
 * them cost is added up.
 */
import type { OutgoingHttpHeaders } from "node:http";
import { parseJson } from "../../json/parse.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import type { Answer } from "../connect/connection.ts";
import { ServerConnection } from "../connect/connection.ts";
import type { ServerAccount } from "../connect/serverOptions.ts";
import { type SignedPlace, Signer } from "../connect/signer.ts";
import { whileThrottled } from "../connect/whileThrottled.ts";
import { messageIn } from "../import/target.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { pathText, type ResourceTarget } from "./resourcePath.ts";

interface ResourceQuestion {
  readonly method: SignedPlace["method"];
  /** What is asked for; its kind is in the path: `items` are those of a container. */
  readonly of: ResourceTarget | "account" | "offers";
  /** The list below, for a question about `shop/orders` that is about its items. */
  readonly list?: "dbs" | "colls" | "docs" | "pkranges";
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
}

export class ResourceClient {
  /** RU of all answers so far. */
  charge = 0;
  readonly #account: ServerAccount;
  readonly #connection: ServerConnection;
  readonly #signer: Signer;

  constructor(account: ServerAccount) {
    this.#account = account;
    this.#connection = new ServerConnection(account);
    this.#signer = new Signer(account.key, realClock);
  }

  async ask({ method, of, list, headers = {}, body }: ResourceQuestion): Promise<Answer> {
    const { link, path, resourceType } = placeOf(of, list);
    const answer = await whileThrottled(() =>
      this.#connection.ask({
        method,
        path,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
          ...this.#signer.headersFor({ method, resourceType, link }),
        },
        body,
      }),
    );
    this.charge += Number(answer.headers[HEADER.requestCharge] ?? 0);
    return answer;
  }

  /** The JSON of an answer that is none of a refusal. */
  async json(question: ResourceQuestion, about: string): Promise<JsonObject> {
    const answer = await this.ask(question);
    if (answer.status >= 300) throw this.refusal(answer, about);
    return this.bodyOf(answer);
  }

  /** All members of a list, page by page. */
  async listed(
    question: ResourceQuestion,
    member: "Databases" | "DocumentCollections" | "Offers",
    about: string,
  ): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    let continuation: string | undefined;
    do {
      const more = continuation === undefined ? {} : { [HEADER.continuation]: continuation };
      const answer = await this.ask({ ...question, headers: { ...question.headers, ...more } });
      if (answer.status >= 300) throw this.refusal(answer, about);
      const list = property(this.bodyOf(answer), member);
      if (Array.isArray(list)) found.push(...(list as JsonValue[]).filter(isObject));
      const next = answer.headers[HEADER.continuation];
      continuation = typeof next === "string" && next !== "" ? next : undefined;
    } while (continuation !== undefined);
    return found;
  }

  bodyOf({ body }: Answer): JsonObject {
    const value = parsed(body);
    if (value !== undefined && isObject(value)) return value;
    throw new CommandFailure(`What the server at ${this.#origin} said is no JSON object.`);
  }

  /** What a refusal means for whoever asked; `about` is what was asked for, as it is written. */
  refusal({ status, body }: Answer, about: string): CommandFailure {
    if (status === 401) {
      return new CommandFailure(
        `The server at ${this.#origin} refuses the key. Give one with --key, or both with ` +
          "--connection-string.",
      );
    }
    if (status === 404) return new CommandFailure(`There is no ${about} at ${this.#origin}.`);
    const said = messageIn(body).replace(/^Message: /, "");
    return new CommandFailure(`The server at ${this.#origin} answered ${status}: ${said}`);
  }

  close(): void {
    this.#connection.close();
  }

  get #origin(): string {
    return this.#account.endpoint.origin;
  }
}

/** `database 'shop'`, for messages. */
export function aboutOf(path: ResourceTarget): string {
  return `${path.kind} '${pathText(path)}'`;
}

type Place = { readonly link: string; readonly path: string; readonly resourceType: string };

function placeOf(of: ResourceQuestion["of"], list: ResourceQuestion["list"]): Place {
  if (of === "offers") return { link: "", path: "/offers", resourceType: "offers" };
  if (of === "account") return { link: "", path: "/dbs", resourceType: "dbs" };
  const names: [string, string][] = [["dbs", of.database]];
  if (of.kind !== "database") names.push(["colls", of.container]);
  if (of.kind === "item") names.push(["docs", of.id]);
  const link = names.map(([kind, name]) => `${kind}/${name}`).join("/");
  const path = names.map(([kind, name]) => `/${kind}/${encodeURIComponent(name)}`).join("");
  const own = names.at(-1)![0];
  return list === undefined
    ? { link, path, resourceType: own }
    : { link, path: `${path}/${list}`, resourceType: list };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
