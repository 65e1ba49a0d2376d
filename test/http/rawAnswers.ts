/**
 * Reads HTTP/1.1 answers out of received bytes, without the tolerance of a real client: what does
 * not look like an answer is an error. Answers to HEAD are not read here.
 */
import type { Answer } from "./wire.ts";

const HEAD_END = "\r\n\r\n";

/** All complete answers, in order. Interim ones (100 Continue) are among them, without a body. */
export function splitAnswers(bytes: Buffer): readonly Answer[] {
  const answers: Answer[] = [];
  for (let start = 0; ; ) {
    const headEnd = bytes.indexOf(HEAD_END, start);
    if (headEnd < 0) return answers;
    const { status, headers } = parseHead(bytes.toString("latin1", start, headEnd));
    const bodyStart = headEnd + HEAD_END.length;
    const isChunked = headers["transfer-encoding"] === "chunked";
    const read = isChunked
      ? chunkedBody(bytes, bodyStart)
      : plainBody(bytes, bodyStart, Number(headers["content-length"] ?? 0));
    if (read === undefined) return answers;
    answers.push({ status, headers, body: read.body });
    start = read.end;
  }
}

interface ReadBody {
  readonly body: Buffer;
  readonly end: number;
}

function parseHead(text: string): Pick<Answer, "status" | "headers"> {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const match = /^HTTP\/1\.1 (\d{3}) [\w -]*$/.exec(statusLine);
  if (match === null) throw new Error(`not the start of an answer: ${JSON.stringify(statusLine)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new Error(`not a header: ${JSON.stringify(line)}`);
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(match[1]), headers };
}

function plainBody(bytes: Buffer, start: number, length: number): ReadBody | undefined {
  const end = start + length;
  return end <= bytes.length ? { body: bytes.subarray(start, end), end } : undefined;
}

function chunkedBody(bytes: Buffer, start: number): ReadBody | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (end > bytes.length) return undefined;
    if (length === 0) return { body: Buffer.concat(chunks), end };
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
