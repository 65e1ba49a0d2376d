/**
 * What a command was asked for properly and could not do: the server is not there, or says no. It
 * is told without its origin, and the command ends with 1. Misuse is a `BadOption` and ends with 2.
 */
export class CommandFailure extends Error {
  override readonly name: string = "CommandFailure";
}

/** No answer came at all: the server may be away for a moment only. */
export class NoAnswer extends CommandFailure {
  override readonly name = "NoAnswer";
}
