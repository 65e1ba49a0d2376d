/** A table of Markdown; columns are as wide as their longest cell, as the formatter leaves them. */
export function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...escaped.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  const ruler = line(widths.map((width) => "-".repeat(width)));
  return line(titles) + ruler + escaped.map(line).join("");
}
