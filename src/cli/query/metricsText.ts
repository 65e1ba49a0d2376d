/** The metrics of all pages of a query together, as lines of text. */

/** `headers` are as servers write them: names and numbers, with `=` between and `;` after. */
export function metricsText(headers: readonly string[]): string {
  if (headers.length === 0) return "This server gives no metrics.\n";
  const pages = headers.map(metricsIn);
  const sum = (name: string): number =>
    pages.reduce((total, page) => total + (page.get(name) ?? 0), 0);
  const hits = pages.reduce((total, page) => {
    const read = page.get("retrievedDocumentCount") ?? 0;
    return total + read * (page.get("indexUtilizationRatio") ?? 0);
  }, 0);
  const read = sum("retrievedDocumentCount");
  const hitRatio = read === 0 ? 1 : hits / read;
  const ms = (name: string): string => `${sum(name).toFixed(2)} ms`;
  const lines = [
    `items read   ${read} (${sum("retrievedDocumentSize")} bytes)`,
    `rows         ${sum("outputDocumentCount")} (${sum("outputDocumentSize")} bytes)`,
    `index hits   ${(100 * hitRatio).toFixed(1)} % of the items read passed the filter`,
    `time         ${ms("totalExecutionTimeInMs")}: compiling ${ms("queryCompileTimeInMs")}, ` +
      `index ${ms("indexLookupTimeInMs")}, items ${ms("documentLoadTimeInMs")}`,
  ];
  return `${lines.join("\n")}\n`;
}

function metricsIn(header: string): ReadonlyMap<string, number> {
  const pairs = header.split(";").map((pair) => pair.split("="));
  return new Map(pairs.map(([name, value]) => [name ?? "", Number(value ?? 0)]));
}
