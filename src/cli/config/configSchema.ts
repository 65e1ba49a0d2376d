/**
 * The JSON schema of settings files, for editors that complete and check them. It has a row for
 * each setting that is read, with what the help of `orrery start` says of the option.
 */
import type { HelpOption } from "../terminal/helpOptions.ts";
import { helpOptions } from "../terminal/helpOptions.ts";
import { CONNECTION_SETTINGS } from "./readConfig.ts";
import { type SettingForm, START_SETTINGS } from "./startSettings.ts";

const FORMS: Readonly<Record<SettingForm, object>> = {
  text: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  texts: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  path: { type: "string" },
  pathOrUrl: { type: "string" },
  amount: { type: ["number", "string"] },
  amounts: { type: "object", additionalProperties: { type: ["number", "string"] } },
  settings: { type: ["string", "object"] },
};

/** Settings whose option has another name: it is said once for each of a list. */
const OPTIONS: Readonly<Record<string, string>> = {
  limits: "--limit",
  allowHosts: "--allow-host",
  allowWebhookHosts: "--allow-webhook-host",
};

const CONNECTION: Readonly<Record<(typeof CONNECTION_SETTINGS)[number], string>> = {
  endpoint: "the server that commands ask",
  key: "its account key",
  connectionString: "both in one: AccountEndpoint=…;AccountKey=…;",
};

export function configSchema(startHelp: string): object {
  const options = new Map(helpOptions(startHelp).map((option) => [option.name, option]));
  const start = Object.entries(START_SETTINGS).map(([name, form]) => [
    name,
    { ...FORMS[form], ...described(optionOf(name, options)) },
  ]);
  const connection = CONNECTION_SETTINGS.map((name) => [
    name,
    { type: "string", description: CONNECTION[name] },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of Orrery (orrery.config.yaml)",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      start: sectionOf("what `orrery start` is told", start),
      connection: sectionOf("which server other commands ask", connection),
    },
  };
}

function sectionOf(description: string, members: readonly (readonly unknown[])[]): object {
  const properties = Object.fromEntries(members as readonly (readonly [string, object])[]);
  return { description, type: ["object", "null"], additionalProperties: false, properties };
}

function optionOf(name: string, options: ReadonlyMap<string, HelpOption>): HelpOption | undefined {
  const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return options.get(OPTIONS[name] ?? `--${dashed}`) ?? options.get(`--no-${dashed}`);
}

function described(option: HelpOption | undefined): object {
  return option === undefined ? {} : { description: `${option.name}: ${option.about}` };
}
