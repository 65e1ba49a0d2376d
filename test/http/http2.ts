/** What a client hears that speaks HTTP/2. */
import type { ClientHttp2Session } from "node:http2";
import { constants } from "node:http2";

/** The name of the reason for which a request is reset. */
export async function resetOf(session: ClientHttp2Session): Promise<string | undefined> {
  // The connection ends with it, which is no surprise.
  session.on("error", () => undefined);
  const request = session.request({ ":path": "/" });
  request.on("error", () => undefined);
  await new Promise((resolve) => request.once("close", resolve));
  session.destroy();
  const names = Object.entries(constants).filter(([name]) => /^NGHTTP2_[A-Z]/.test(name));
  const codes = names.filter(
    ([name]) => !/_(ERR|FLAG|SETTINGS|DEFAULT|SESSION|STREAM)_/.test(name),
  );
  return codes.find(([, code]) => code === request.rstCode)?.[0];
}
