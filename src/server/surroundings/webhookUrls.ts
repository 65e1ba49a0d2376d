/** Which URLs messages may be sent to: decided once, when the options are read. */
import { no, ok, type Result } from "../../base/result.ts";

/**
 * `allowHosts` names hosts, with or without a port; without it the URLs themselves are the list.
 * A complaint never repeats a URL: there may be a password in it.
 */
export function parseWebhookUrls(
  texts: readonly string[],
  allowHosts?: readonly string[],
): Result<readonly URL[], readonly string[]> {
  const urls: URL[] = [];
  const complaints: string[] = [];
  texts.forEach((text, index) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const which = `Webhook ${index + 1}`;
    if (url === undefined) {
      complaints.push(`${which} is not a URL.`);
    } else if (url.protocol !== "http:" && url.protocol !== "https:") {
      complaints.push(`${which} must begin with http:// or https://.`);
    } else if (allowHosts !== undefined && !isAllowed(url, allowHosts)) {
      complaints.push(`${which} goes to ${url.host}, which is not among the allowed hosts.`);
    } else {
      urls.push(url);
    }
  });
  return complaints.length > 0 ? no(complaints) : ok(urls);
}

function isAllowed(url: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.some((allowed) => {
    const host = allowed.toLowerCase();
    return host === url.hostname || host === url.host || `[${host}]` === url.hostname;
  });
}
