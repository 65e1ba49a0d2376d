/** What `orrery export` was asked: its arguments, checked and complete. */
import { parseArgs } from "node:util";
import { BadOption } from "../../server/surroundings/options.ts";
import type { ContainerName, Environment, ServerAccount } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";

const EXPORT_FORMATS = ["ndjson", "json", "csv"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_HELP: string = `usage: orrery export <db>/<container> [options]

Writes the items of a container to standard output or to a file, physical partition after physical
partition in the order of the key space, within one in the order of creation. What is written can
be imported again with \`orrery import\`.

  --out <file>             write to this file. It appears when it is complete, and not before
  --force                  replace the file if it is there
  --format <format>        ndjson (a line for each item), json (one array) or csv (default: by the
                           name of the file, or else ndjson)
  --gzip                   compress (default: if the name of the file ends in .gz)
  --query <sql>            write the rows of a query instead of all items
  --system-properties      with _rid, _self, _etag, _attachments and _ts
${SERVER_HELP}\
Ends with 0 when everything was written, with 1 when it could not be, with 2 when an option makes
no sense, with 130 when it was interrupted.
`;

export interface ExportOptions {
  readonly account: ServerAccount;
  readonly name: ContainerName;
  /** Undefined: standard output. */
  readonly out: string | undefined;
  readonly isForced: boolean;
  readonly format: ExportFormat;
  readonly isZipped: boolean;
  readonly query: string | undefined;
  readonly hasSystemProperties: boolean;
}

/** Undefined when only the help is wanted. */
export function exportOptionsOf(
  args: string[],
  environment: Environment,
): ExportOptions | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      out: { type: "string" },
      force: { type: "boolean" },
      format: { type: "string" },
      gzip: { type: "boolean" },
      query: { type: "string" },
      "system-properties": { type: "boolean" },
    },
  });
  if (values.help === true) return undefined;
  const [named, extra] = positionals;
  if (extra !== undefined) {
    throw new BadOption(`'${extra}' is one word too many; a file is given with --out.`);
  }
  const { out } = values;
  if (out === undefined && values.force === true) {
    throw new BadOption("--force is about the file of --out; standard output needs none.");
  }
  return {
    name: containerOf(named),
    account: accountOf(values, environment),
    out,
    isForced: values.force === true,
    format: formatOf(values.format, out),
    isZipped: values.gzip === true || out?.endsWith(".gz") === true,
    query: values.query,
    hasSystemProperties: values["system-properties"] === true,
  };
}

function formatOf(text: string | undefined, out: string | undefined): ExportFormat {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(out ?? "")?.[1]?.toLowerCase();
  const wanted = text ?? (ending === "json" || ending === "csv" ? ending : "ndjson");
  const format = EXPORT_FORMATS.find((known) => known === wanted);
  if (format !== undefined) return format;
  throw new BadOption(`--format is '${wanted}'; it must be ${EXPORT_FORMATS.join(", ")}.`);
}
