/**
 * `filter`, `map`, `pluck`, `flatten`, `unwind`, `sortBy` and `chain()`, as JavaScript text that
 * runs inside the sandbox. These functions read the logical partition page by page and compute on
 * its items inside the sandbox.
 *
 * Always: a page of results holds the rows of whole items, at least one row unless nothing is left,
 * and as many as `pageSize` asks for (100) plus the surplus rows of its last item. A continuation
 * names the page of items in which it stopped and the ids that were dealt with there, so items that
 * the script deletes or adds in between shift nothing. The engine signs a continuation for exactly
 * the steps that it comes from, by their texts. A sorted result is one page, because sorting needs
 * all items.
 *
 * Not here: how pages are read (`collection.ts`, `conversation.ts`).
 */

/** Number of items that are read at a time, whatever the number of rows that they become. */
const ITEMS_PER_READ = 100;

export const INTEGRATED_QUERY: string = `
const requireFunction = (name, given) => {
  if (typeof given === "function") return given;
  throw bad(name + ": the first argument must be a function, not a " + typeof given + ".");
};

const textOf = (given) => apply(functionText, given, []);

const each = (list, rowsOfOne) => {
  const rows = [];
  for (const entry of list) {
    for (const row of rowsOfOne(entry)) rows.push(row);
  }
  return rows;
};

const innerOf = (inner) => (Array.isArray(inner) ? inner : inner === undefined ? [] : [inner]);

const deepRows = (entry) => (Array.isArray(entry) ? each(entry, deepRows) : [entry]);

const ranks = { undefined: 0, boolean: 2, number: 3, string: 4, object: 5 };
const rankOf = (key) => (key === null ? 1 : (ranks[typeof key] ?? 6));
const compareKeys = (one, other) => {
  const difference = rankOf(one) - rankOf(other);
  if (difference !== 0) return difference;
  return one < other ? -1 : one > other ? 1 : 0;
};
const sorted = (keyOf, sign) => (list) =>
  list
    .map((entry) => ({ entry, key: keyOf(entry) }))
    .sort((one, other) => sign * compareKeys(one.key, other.key))
    .map(({ entry }) => entry);

// Each takes its own arguments off the front of what was given, and leaves options and callback.
const stepMakers = {
  filter(given) {
    const predicate = requireFunction("filter", given.shift());
    const run = (list) => each(list, (entry) => (predicate(entry) ? [entry] : []));
    return { run, text: textOf(predicate) };
  },
  map(given) {
    const transform = requireFunction("map", given.shift());
    return { run: (list) => each(list, (entry) => [transform(entry)]), text: textOf(transform) };
  },
  pluck(given) {
    const key = given.shift();
    if (typeof key !== "string" || key === "") {
      throw bad("pluck: the first argument must be the name of a property.");
    }
    return { run: (list) => each(list, (entry) => [entry?.[key]]), text: key };
  },
  flatten(given) {
    const isShallow = typeof given[0] === "boolean" ? given.shift() : false;
    return { run: (list) => each(list, isShallow ? innerOf : deepRows), text: "" + isShallow };
  },
  unwind(given) {
    const select = requireFunction("unwind", given.shift());
    // A function after the selector is the one for results; one after options is the callback.
    const combine = typeof given[0] === "function" ? given.shift() : (entry, inner) => inner;
    const pairs = (entry) => innerOf(select(entry)).map((inner) => combine(entry, inner));
    return { run: (list) => each(list, pairs), text: textOf(select) + textOf(combine) };
  },
  sortBy(given) {
    return { run: sorted(requireFunction("sortBy", given.shift()), 1), isSort: true };
  },
  sortByDescending(given) {
    return { run: sorted(requireFunction("sortByDescending", given.shift()), -1), isSort: true };
  },
};

const intoResponse = (error, rows) => {
  if (error !== undefined) throw error;
  if (isPreTrigger) {
    throw bad("A query in a pre-trigger needs a callback: there is no response to put rows into.");
  }
  response.message.setBody(response.isSet() ? [].concat(response.getBody(), rows) : rows);
};

const readAndRun = (name, steps, options, callback) => {
  const isSorted = steps.some((step) => step.isSort === true);
  const rowsWanted = isSorted || options.pageSize < 0 ? Infinity : options.pageSize || 100;
  const through = (list) => steps.reduce((rows, step) => step.run(rows), list);
  const rows = [];

  const about = stringify(steps.map((step) => [step.name, step.text]));
  const place = { link: settings.container.selfLink, options: {}, about };

  // A step may throw: that is the callback's to know, as if the engine had refused.
  const complete = (position) => {
    let result = rows;
    try {
      if (isSorted) result = through(rows);
    } catch (thrown) {
      return callback(thrown);
    }
    if (position === undefined) return callback(undefined, result, { continuation: undefined });
    const kept = { ...place, kind: "keepPlace", resource: stringify(position) };
    return askAnyway(kept, (error, reply) => {
      if (error !== undefined) return callback(error);
      return callback(undefined, result, { continuation: reply.continuation });
    });
  };
  const taken = (items, page, seen) => {
    for (const item of items) {
      if (seen.includes(item.id)) continue;
      if (rows.length >= rowsWanted) return { page, seen };
      for (const row of isSorted ? [item] : through([item])) rows.push(row);
      seen.push(item.id);
    }
    return undefined;
  };
  const read = ({ page, seen }) => {
    const operation = { kind: "readFeed", link: settings.container.selfLink };
    const paging = { pageSize: ${ITEMS_PER_READ}, continuation: page };
    return ask({ ...operation, options: paging }, (error, reply) => {
      if (error !== undefined) return callback(error);
      let stopped;
      try {
        stopped = taken(reply.resource, page, seen);
      } catch (thrown) {
        return callback(thrown);
      }
      if (stopped !== undefined) return complete(stopped);
      if (reply.continuation === undefined) return complete();
      const next = { page: reply.continuation, seen: [] };
      if (rows.length >= rowsWanted) return complete(next);
      if (read(next)) return undefined;
      if (!isSorted) return complete(next);
      return callback(errorOf(408, name + ": the time is over before all items were read."));
    });
  };
  const { continuation } = options;
  if ((continuation ?? "") === "") return read({ seen: [] });
  const sought = { ...place, kind: "findPlace", resource: stringify("" + continuation) };
  return ask(sought, (error, reply) => {
    if (error !== undefined) return callback(error);
    // Whoever may do no more is where it was.
    return read(reply.resource) ? undefined : callback(undefined, [], { continuation });
  });
};

const withoutCollection = (given) => {
  const list = [...given];
  const isSelf = list[0] === collection || list[0] === underscore;
  if (isSelf || (list.length > 0 && list[0] === undefined)) list.shift();
  return list;
};

const ended = (name, steps, [first, second]) => {
  const isSwapped = typeof first === "function" && typeof second !== "function";
  const ending = isSwapped ? endingOf(name, second, first) : endingOf(name, first, second);
  const isAccepted = readAndRun(name, steps, ending.options, ending.callback ?? intoResponse);
  return { isAccepted };
};

const chainOf = (steps) => {
  const link = { isAccepted: mayAsk(), value: (...given) => ended("value", steps, given) };
  for (const name of Object.keys(stepMakers)) {
    link[name] = (...given) => {
      const list = withoutCollection(given);
      const step = { ...stepMakers[name](list), name };
      if (list.some((rest) => rest !== undefined)) {
        throw bad(name + ": in a chain, options and callback are given to value().");
      }
      return chainOf([...steps, step]);
    };
  }
  return link;
};

collection.chain = () => chainOf([]);
for (const name of Object.keys(stepMakers)) {
  collection[name] = (...given) => {
    const list = withoutCollection(given);
    const step = { ...stepMakers[name](list), name };
    return ended(name, [step], list);
  };
}
`;
