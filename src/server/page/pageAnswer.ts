/**
 * One file of the page as an answer: which form of it a browser takes, whether it has it already,
 * and what browsers are told about it.
 *
 * Always: no script and no style but those of this server, no frame around the page, no type but
 * the one that is named, and no address of the page in requests to elsewhere.
 */
import type { WireAnswer, WireHeaders } from "../../protocol/wire/wire.ts";
import { headerOf } from "../../protocol/wire/wire.ts";
import type { BuiltFile, ContentCoding } from "./pageFiles.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Names and values in turn, of everything that is served below the page's address. */
export const PAGE_HEADERS: readonly string[] = [
  "content-security-policy",
  POLICY,
  "x-content-type-options",
  "nosniff",
  "referrer-policy",
  "no-referrer",
  "cross-origin-opener-policy",
  "same-origin",
  "cross-origin-resource-policy",
  "same-origin",
];

const YEAR_SECONDS = 31_536_000;

/** A coding that a browser takes and the build has made. */
export function codingFor(headers: WireHeaders, file: BuiltFile): ContentCoding | undefined {
  const accepted = (headerOf(headers, "accept-encoding") ?? "")
    .toLowerCase()
    .split(",")
    .map((entry) => entry.trim().split(/\s*;\s*/))
    .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ""))
    .map(([name]) => name);
  return file.codings.find((coding) => accepted.includes(coding));
}

/** The tag that a browser compares; a file has one for each form of it. */
function tagOf({ tag }: BuiltFile, coding: ContentCoding | undefined): string {
  return `"${tag}${coding === undefined ? "" : `-${coding}`}"`;
}

/** Whether the browser has the file as it is. */
export function isKnown(
  headers: WireHeaders,
  file: BuiltFile,
  coding: ContentCoding | undefined,
): boolean {
  const known = headerOf(headers, "if-none-match");
  if (known === undefined) return false;
  const tags = known.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(tagOf(file, coding));
}

/** Without a body it is the answer to a browser that has the file already. */
export function fileAnswer(
  file: BuiltFile,
  coding: ContentCoding | undefined,
  body: Buffer | undefined,
): WireAnswer {
  const keeping = file.isFixed ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache";
  const described =
    body === undefined
      ? []
      : ["content-type", file.type, ...(coding === undefined ? [] : ["content-encoding", coding])];
  return {
    status: body === undefined ? 304 : 200,
    headers: [
      ...described,
      "etag",
      tagOf(file, coding),
      "cache-control",
      keeping,
      "vary",
      "accept-encoding",
      ...PAGE_HEADERS,
    ],
    body,
  };
}
