/** Actions that run one after the other, in the order in which they were asked for. */
export type InTurn = <T>(action: () => Promise<T>) => Promise<T>;

/**
 * A row of its own for the actions that are given to it. An action that fails is told to whoever
 * asked for it, and the next one runs all the same. How long an action may take is not bounded.
 */
export function oneAfterAnother(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(action: () => Promise<T>): Promise<T> => {
    const result = last.then(action);
    last = result.catch(() => undefined);
    return result;
  };
}
