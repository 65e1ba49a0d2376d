/**
 * A table as lines of text: numbers to the right, a rule under the names. What has no room beside
 * the others goes below them, with the first column again. Cells are harmless: `visible` was
 * applied to them.
 */
export interface TextColumn {
  readonly name: string;
  readonly isRight: boolean;
  /** One for each row. */
  readonly cells: readonly string[];
}

interface MeasuredColumn extends TextColumn {
  readonly width: number;
}

const GAP = "  ";

/** `width` undefined: as wide as it gets, for files and pipes. */
export function textTable(
  columns: readonly TextColumn[],
  width: number | undefined,
): readonly string[] {
  const measured = columns.map((column) => ({ ...column, width: widest(column) }));
  return blocksOf(measured, width ?? Number.POSITIVE_INFINITY).flatMap((block, at) => [
    ...(at === 0 ? [] : [""]),
    ...linesOf(block),
  ]);
}

function widest({ name, cells }: TextColumn): number {
  return cells.reduce((most, cell) => Math.max(most, [...cell].length), [...name].length);
}

/** The columns from left to right, as many in each block as fit beside the first. */
function blocksOf(
  [first, ...others]: readonly MeasuredColumn[],
  width: number,
): readonly (readonly MeasuredColumn[])[] {
  if (first === undefined) return [];
  const blocks: MeasuredColumn[][] = [[first]];
  let used = first.width;
  for (const column of others) {
    if (used + GAP.length + column.width > width && blocks.at(-1)!.length > 1) {
      blocks.push([first]);
      used = first.width;
    }
    blocks.at(-1)!.push(column);
    used += GAP.length + column.width;
  }
  return blocks;
}

function linesOf(columns: readonly MeasuredColumn[]): readonly string[] {
  const line = (cellOf: (column: MeasuredColumn) => string): string =>
    columns
      .map((column) => {
        const cell = cellOf(column);
        const blank = " ".repeat(column.width - [...cell].length);
        return column.isRight ? blank + cell : cell + blank;
      })
      .join(GAP)
      .trimEnd();
  const rows = columns[0]!.cells.map((_, at) => line(({ cells }) => cells[at] ?? ""));
  const rule = columns.map((column) => "─".repeat(column.width)).join(GAP);
  return [line(({ name }) => name), rule, ...rows];
}

/** Words on lines of at most `width`, the first behind `mark`, the others below its text. */
export function wrapped(text: string, width: number | undefined, mark = ""): readonly string[] {
  const indent = " ".repeat([...mark].length);
  const room = Math.max(20, (width ?? 100) - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if ([...longer].length <= room || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  return lines.map((each, at) => (at === 0 ? mark : indent) + each);
}
