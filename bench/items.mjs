/**
 * The items every contestant stores: 1,024 bytes of JSON with 20 leaf values, made from a seed.
 *
 * The same (index, revision) gives the same text in every run and for every contestant, so nobody
 * gets an easier item. All text is ASCII: one character is one byte.
 */

/** Bytes of every item's text. */
export const ITEM_BYTES = 1024;

/** Items are spread over this many logical partitions. */
export const PARTITION_KEY_COUNT = 100;

const WORDS =
  "amber birch cedar delta ember fjord grove heron inlet juniper kestrel lagoon maple nimbus " +
  "orchid prairie quartz river summit tundra umber valley willow xenon yarrow zephyr";
const WORD_LIST = WORDS.split(" ");

/**
 * A small seeded generator of numbers in [0, 1).
 * @param {number} seed
 * @returns {() => number}
 */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/**
 * @param {number} index
 * @returns {string}
 */
export function partitionKeyOf(index) {
  return `pk-${index % PARTITION_KEY_COUNT}`;
}

/**
 * The text of one item. A higher revision is another version of the same item: same id and
 * partition key, other values.
 * @param {string} id
 * @param {number} index
 * @param {number} revision
 * @returns {string}
 */
export function itemTextOf(id, index, revision) {
  const random = randomFrom(index * 7919 + revision * 104729);
  const word = () => WORD_LIST[Math.floor(random() * WORD_LIST.length)];
  const item = {
    id,
    pk: partitionKeyOf(index),
    revision,
    category: `${word()}-${word()}`,
    name: `${word()} ${word()} ${word()}`,
    sku: Math.floor(random() * 2 ** 32).toString(16),
    quantity: Math.floor(random() * 1000),
    price: Math.round(random() * 100000) / 100,
    isActive: random() < 0.5,
    createdAt: new Date(1.6e12 + Math.floor(random() * 1e11)).toISOString(),
    owner: {
      name: `${word()} ${word()}`,
      email: `${word()}@${word()}.example`,
      address: { city: word(), postcode: String(10000 + Math.floor(random() * 90000)) },
    },
    tags: [word(), word(), word()],
    position: { latitude: random() * 180 - 90, longitude: random() * 360 - 180 },
    description: "",
  };
  const missingByteCount = ITEM_BYTES - JSON.stringify(item).length;
  let description = word();
  while (description.length < missingByteCount) description += ` ${word()}`;
  item.description = description.slice(0, missingByteCount);
  return JSON.stringify(item);
}
