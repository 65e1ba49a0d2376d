/** Changes of the catalogue run one after the other, in the order in which they were asked for. */
export type InOrder = <T>(change: () => Promise<T>) => Promise<T>;

/** How long a change may take before the next one starts is not bounded; only their order is. */
export function changeOrder(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(change: () => Promise<T>): Promise<T> => {
    const result = last.then(change);
    last = result.catch(() => undefined);
    return result;
  };
}
