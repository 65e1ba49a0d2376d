/**
 * Whoever reads the output of a command may have seen enough, as `head` has. The command ends then,
 * quietly, and with the code that shells show of a program that a broken pipe ended.
 *
 * A server does not end for that, and no command does because nobody reads its standard error.
 */

/** 128 and the number of SIGPIPE. */
const BROKEN_PIPE_CODE = 141;

export function setBrokenPipe({ isOutlived }: { readonly isOutlived: boolean }): void {
  const { stdout, stderr } = process;
  for (const listener of [endAtBrokenPipe, goOn]) stdout.off("error", listener);
  stdout.on("error", isOutlived ? goOn : endAtBrokenPipe);
  stderr.off("error", goOn).on("error", goOn);
}

function endAtBrokenPipe(error: NodeJS.ErrnoException): void {
  // How far it was may stand on a line that is not ended.
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  process.exit(error.code === "EPIPE" ? BROKEN_PIPE_CODE : 1);
}

function goOn(): void {
  // There is nobody left to tell.
}
