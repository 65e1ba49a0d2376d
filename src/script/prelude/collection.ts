/**
 * `getCollection()` as JavaScript text that runs inside the sandbox: operations on items, each of
 * which returns whether it was accepted, and calls back later.
 *
 * Always: wrong arguments are thrown at once, as errors with the number 400. A refusal of the
 * engine is passed to the callback; without a callback it is thrown and ends the script.
 *
 * Not here: the queue of operations (`conversation.ts`), `filter` and similar functions
 * (`integratedQuery.ts`).
 */
export const COLLECTION: string = `
const bad = (message) => errorOf(400, message);
const bare = (link) => link.replace(/^\\/+|\\/+$/g, "");
const ownLinks = [bare(settings.container.selfLink), bare(settings.container.altLink)];

const containerLink = (name, link) => {
  if (typeof link === "string" && ownLinks.includes(bare(link))) return link;
  throw bad(name + ": the link must be that of this container, from getSelfLink() or " +
    "getAltLink(); it is " + describe(link) + ".");
};

const itemLink = (name, link) => {
  const isOwn = (own) => bare(link).startsWith(own + "/docs/");
  if (typeof link === "string" && ownLinks.some(isOwn)) return link;
  throw bad(name + ": the link must be that of an item of this container, such as its _self; " +
    "it is " + describe(link) + ".");
};

const endingOf = (name, options, callback) => {
  if (typeof options === "function" && callback === undefined) return endingOf(name, {}, options);
  if (options !== undefined && typeof options !== "object") {
    throw bad(name + ": options must be an object, not a " + typeof options + ".");
  }
  if (callback !== undefined && callback !== null && typeof callback !== "function") {
    throw bad(name + ": the callback must be a function, not a " + typeof callback + ".");
  }
  return { options: options ?? {}, callback: callback ?? undefined };
};

const answered = (callback, valuesOf) => (error, reply) => {
  if (callback === undefined) {
    if (error !== undefined) throw error;
    return undefined;
  }
  return error === undefined ? callback(undefined, ...valuesOf(reply)) : callback(error);
};

const factsOf = ({ etag, charge }) => ({
  etag,
  requestCharge: charge,
  maxCollectionSizeInMB: settings.quota?.max,
  currentCollectionSizeInMB: settings.quota?.used,
});
const resourceOf = (reply) => [reply.resource, factsOf(reply)];
const readOf = (reply) =>
  reply.resource === undefined
    ? [undefined, { ...factsOf(reply), notModified: true }]
    : resourceOf(reply);
const rowsOf = (reply) => [reply.resource, { ...factsOf(reply), continuation: reply.continuation }];

const itemText = (name, item) => {
  const text = typeof item === "object" && item !== null ? stringify(item) : item;
  if (typeof text === "string") return text;
  throw bad(name + ": the item must be an object, or JSON text of one.");
};

const drawId = () => {
  const digits = [draw(), draw(), draw(), draw()]
    .map((word) => word.toString(16).padStart(8, "0"))
    .join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};

const identifiedText = (name, item, options) => {
  const text = itemText(name, item);
  if (options.disableAutomaticIdGeneration === true) return text;
  // A large item is not read again if it can be seen that its text has an id.
  const isPlain = typeof item === "object" && item.toJSON === undefined;
  if (isPlain && typeof item.id === "string" && item.id !== "") return text;
  const read = parse(text);
  if (typeof read !== "object" || read === null) throw bad(name + ": the item must be an object.");
  return read.id ? text : stringify({ ...read, id: drawId() });
};

const requireCount = (name, given, count) => {
  if (given.length >= count) return;
  throw bad(name + " needs " + count + " arguments or more; it was called with " +
    given.length + ".");
};

const feedOptions = (options) => ({ ...options, pageSize: options.pageSize || 100 });

const querySpec = (query) => {
  const text = typeof query === "string" ? query : query?.query;
  const parameters = (typeof query === "string" ? undefined : query?.parameters) ?? [];
  if (typeof text !== "string" || !Array.isArray(parameters)) {
    throw bad("queryDocuments: the query must be a text, or an object with a text 'query' and " +
      "a list 'parameters' of { name, value }.");
  }
  const named = parameters.map((parameter) => {
    const { name, value } = parameter ?? {};
    if (typeof name !== "string") throw bad("queryDocuments: every parameter must have a name.");
    return { name, value };
  });
  return { text, parameters: named };
};

const collection = {
  getSelfLink: () => settings.container.selfLink,
  getAltLink: () => settings.container.altLink,

  createDocument(link, item, options, callback) {
    return write("createDocument", "create", arguments);
  },
  upsertDocument(link, item, options, callback) {
    return write("upsertDocument", "upsert", arguments);
  },
  replaceDocument(link, item, options, callback) {
    return change("replaceDocument", "replace", arguments);
  },
  patchDocument(link, patch, options, callback) {
    return change("patchDocument", "patch", arguments);
  },
  readDocument(link, options, callback) {
    requireCount("readDocument", arguments, 1);
    const ending = endingOf("readDocument", options, callback);
    const operation = { kind: "read", link: itemLink("readDocument", link) };
    return ask({ ...operation, options: ending.options }, answered(ending.callback, readOf));
  },
  deleteDocument(link, options, callback) {
    requireCount("deleteDocument", arguments, 1);
    const ending = endingOf("deleteDocument", options, callback);
    const operation = { kind: "delete", link: itemLink("deleteDocument", link) };
    const complete = answered(ending.callback, (reply) => [factsOf(reply)]);
    return ask({ ...operation, options: ending.options }, complete);
  },
  readDocuments(link, options, callback) {
    requireCount("readDocuments", arguments, 1);
    const ending = endingOf("readDocuments", options, callback);
    const operation = { kind: "readFeed", link: containerLink("readDocuments", link) };
    const complete = answered(ending.callback, rowsOf);
    return ask({ ...operation, options: feedOptions(ending.options) }, complete);
  },
  queryDocuments(link, query, options, callback) {
    requireCount("queryDocuments", arguments, 2);
    const ending = endingOf("queryDocuments", options, callback);
    const operation = { kind: "query", link: containerLink("queryDocuments", link) };
    const asked = { ...operation, ...querySpec(query), options: feedOptions(ending.options) };
    return ask(asked, answered(ending.callback, rowsOf));
  },
};

function write(name, kind, given) {
  requireCount(name, given, 2);
  const [link, item, options, callback] = given;
  const ending = endingOf(name, options, callback);
  const resource = identifiedText(name, item, ending.options);
  const operation = { kind, link: containerLink(name, link), options: ending.options, resource };
  return ask(operation, answered(ending.callback, resourceOf));
}

function change(name, kind, given) {
  requireCount(name, given, 2);
  const [link, item, options, callback] = given;
  const ending = endingOf(name, options, callback);
  const resource = itemText(name, item);
  const operation = { kind, link: itemLink(name, link), options: ending.options, resource };
  return ask(operation, answered(ending.callback, resourceOf));
}

for (const verb of ["create", "upsert", "read", "replace", "delete", "query"]) {
  for (const noun of verb === "read" ? ["Attachment", "Attachments"] : ["Attachment"]) {
    const name = verb + noun + (verb === "query" ? "s" : "");
    collection[name] = () => {
      throw bad(name + " is not supported: items have no attachments here.");
    };
  }
}
`;
