/**
 * What a settings file may say of the server: one row for each option of `orrery start`, under the
 * name that it has in `startOrrery`. A new option does not compile without its row.
 */
import { dirname, resolve } from "node:path";
import type { OrreryOptions } from "../../server/surroundings/orreryOptions.ts";
import type { Members, SettingsReader } from "../../yaml/settingsReader.ts";
import type { SourceNode } from "../../yaml/sourceTree.ts";

/**
 * What a value may be. A path is one from the folder of the file; `texts` may be one text;
 * `amounts` has a number or a text for each name; `settings` are a path, or what would be there.
 */
export type SettingForm =
  | "text"
  | "number"
  | "boolean"
  | "texts"
  | "path"
  | "pathOrUrl"
  | "amounts"
  | "amount"
  | "settings";

export const START_SETTINGS: Readonly<Record<keyof OrreryOptions, SettingForm>> = {
  port: "number",
  host: "text",
  data: "path",
  archives: "path",
  store: "text",
  standby: "boolean",
  nodeHost: "text",
  nodePort: "number",
  memory: "boolean",
  init: "settings",
  key: "text",
  secondaryKey: "text",
  readOnlyKey: "text",
  secondaryReadOnlyKey: "text",
  entraIssuer: "text",
  entraKeys: "pathOrUrl",
  entraAudience: "texts",
  entraReaderRole: "text",
  wellKnownKey: "boolean",
  https: "boolean",
  cert: "path",
  certKey: "path",
  certSecret: "text",
  caFile: "path",
  healthPort: "number",
  log: "text",
  logFormat: "text",
  publicEndpoint: "text",
  allowHosts: "texts",
  direct: "boolean",
  headerTimeout: "number",
  bodyTimeout: "number",
  idleTimeout: "number",
  maxConnections: "number",
  rateLimit: "boolean",
  serverless: "boolean",
  burstCapacity: "boolean",
  manualRatePerPartition: "number",
  consistency: "text",
  scaleLimits: "amount",
  limits: "amounts",
  statistics: "boolean",
  alerts: "settings",
  alertWebhook: "texts",
  allowWebhookHosts: "texts",
  admin: "text",
  explorer: "boolean",
};

type Name = keyof OrreryOptions;
const NAMES = Object.keys(START_SETTINGS) as readonly Name[];

/** Words, sizes and combinations are checked where those of the command line are. */
export function startSettingsIn(
  node: SourceNode,
  reader: SettingsReader,
  file: string,
): OrreryOptions {
  const members: Members<Name> = reader.members(node, NAMES);
  const path = (text: string): string => resolve(dirname(file), text);
  const read = (member: SourceNode, form: SettingForm): unknown => {
    switch (form) {
      case "text":
        return reader.text(member);
      case "number":
        return reader.number(member);
      case "boolean":
        return reader.boolean(member);
      case "texts":
        return reader.texts(member);
      case "path": {
        const text = reader.text(member);
        return text === undefined ? undefined : path(text);
      }
      case "pathOrUrl": {
        const text = reader.text(member);
        return text === undefined || /^https?:/i.test(text) ? text : path(text);
      }
      case "amount":
        return amountIn(member, reader);
      case "amounts":
        return Object.fromEntries(
          reader.named(member).map(([name, node]) => [name, amountIn(node, reader)]),
        );
      case "settings":
        if (member.content.kind === "object") return reader.json(member);
        return read(member, "path");
    }
  };
  const settings: Partial<Record<Name, unknown>> = {};
  for (const name of NAMES) {
    const member = members[name];
    if (member !== undefined) settings[name] = read(member, START_SETTINGS[name]);
  }
  return settings as OrreryOptions;
}

function amountIn(node: SourceNode, reader: SettingsReader): number | string | undefined {
  const isNumber = node.content.kind === "scalar" && typeof node.content.value === "number";
  return isNumber ? reader.number(node) : reader.text(node);
}
