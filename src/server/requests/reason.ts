/** Why a request was refused, in one line, out of the body that its client got. */

const BODY_BYTES_MAX = 64 * 1024;
const LENGTH_MAX = 500;

export function reasonIn(body: Buffer | undefined): string | undefined {
  if (body === undefined || body.length > BODY_BYTES_MAX) return undefined;
  const message = messageIn(body.toString());
  return message
    ?.replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, LENGTH_MAX);
}

function messageIn(text: string): string | undefined {
  const message = memberOf(parsed(text), "message");
  if (typeof message !== "string") return undefined;
  const words = message.split("\r\nActivityId: ")[0]!;
  return words.startsWith("Message: ") ? errorsIn(words.slice("Message: ".length)) : words;
}

/** The service puts texts or diagnostics into a list of errors. */
function errorsIn(text: string): string {
  const value = parsed(text);
  const errors = memberOf(value, "Errors") ?? memberOf(value, "errors");
  if (!Array.isArray(errors)) return text;
  return errors
    .map((error: unknown) => (typeof error === "string" ? error : memberOf(error, "message")))
    .join(" ");
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
