// Sealed IDs, as the extension kid_seal makes them: texts that tell nothing, and that only a program with the keys
// opens.
//
//     subkey = the first 16 bytes of HMAC-SHA-256(key, 'kid64:ord')           type and prefix
//     block  = the bytes of the ID, then zeros up to 16 bytes
//     text   = 'ord_' and base32 of AES-128(subkey, block)
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { separated } from './ids/type.js';
import { InvalidIdError, uuidv7 } from './ids.js';

/**
 * @template {string | number} Id
 * @template {object} Parts
 * @typedef {import('./ids.js').IdType<Id, Parts>} IdType
 */

/**
 * A row of `kid_seal_export_keys()`: the number of the key, its 64 hexadecimal digits, and whether it is the one that
 * seals. A driver that does not know `boolean` may have returned 't' or 'f'.
 * @typedef {{ n: number | string, key: string, seals: boolean | string }} ExportedKey
 */

/**
 * @template {string | number} Id
 * @typedef {IdType<Id, any>} SealedType a type that can be sealed: any but uuidv7
 */

const SEALED = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const COUNTERS = 4096n;

/**
 * @param {string} type
 * @param {unknown} text
 * @returns {never}
 */
function refuse(type, text) {
  throw new InvalidIdError(`${type}, sealed`, text);
}

/**
 * Returns whether a value has the form of a sealed ID with this prefix. A text of another form, such as one with a zero
 * byte, need not get to the server; whether a key opens the text is not tested.
 * @param {unknown} value
 * @param {string} prefix
 * @returns {value is string}
 */
export function isSealed(value, prefix = '') {
  const before = separated(prefix);
  // Unlike other base32, a sealed ID has one text: no upper case.
  return typeof value === 'string' && value.startsWith(before) && SEALED.test(value.slice(before.length));
}

/** The keys of a database that seals IDs, which open what it sealed, and seal as it does. */
export class Keys {
  /** @type {Buffer[]} the key that seals, if there is one, and then the others */
  #keys;
  #seals;
  /** @type {Map<string, Buffer[]>} the subkeys of each type and prefix */
  #subkeys = new Map();

  /**
   * @param {readonly ExportedKey[] | string} exported rows, or the contents of a file that `\copy` wrote
   */
  constructor(exported) {
    const rows = typeof exported === 'string' ? rowsOf(exported) : exported;
    const isSealing = (/** @type {ExportedKey} */ { seals }) => seals === true || seals === 't';
    const sorted = [...rows].sort((a, b) => Number(isSealing(b)) - Number(isSealing(a)) || Number(b.n) - Number(a.n));
    this.#keys = sorted.map(({ key }) => {
      if (!/^[\da-f]{64}$/i.test(key)) throw new RangeError('a key has 64 hexadecimal digits');
      return Buffer.from(key, 'hex');
    });
    this.#seals = sorted.length > 0 && isSealing(sorted[0]);
  }

  /**
   * Returns what `kid_seal(id, prefix)` returns.
   * @template {string | number} Id
   * @param {SealedType<Id>} type
   * @param {Id} id
   * @param {string} prefix
   */
  seal(type, id, prefix = '') {
    const subkey = this.#sealing(type.name, prefix);
    return uuidv7.encode(uuidv7.fromBytes(encipher(subkey, blockOf(type.toBytes(id)))), prefix);
  }

  /**
   * Returns the ID in what `kid_seal()` made with the same prefix, or null if no key opens the text.
   * @template {string | number} Id
   * @param {SealedType<Id>} type
   * @param {string} text
   * @param {string} prefix
   * @returns {Id | null}
   */
  open(type, text, prefix = '') {
    if (!isSealed(text, prefix)) return null;
    const sealed = uuidv7.toBytes(uuidv7.decode(text, prefix));
    for (const subkey of this.#opening(type.name, prefix)) {
      const block = decipher(subkey, sealed);
      if (block.subarray(type.size).every((byte) => byte === 0)) return idOf(type, block);
    }
    return null;
  }

  /**
   * Does the same, but throws an InvalidIdError if no key opens the text.
   * @template {string | number} Id
   * @param {SealedType<Id>} type
   * @param {string} text
   * @param {string} prefix
   * @returns {Id}
   */
  unseal(type, text, prefix = '') {
    return this.open(type, text, prefix) ?? refuse(type.name, text);
  }

  /**
   * Returns what `kid_seal_uuid(id, prefix)` returns: a uuid of version 4.
   * @param {SealedType<string>} type kid64
   * @param {string} id
   * @param {string} prefix
   */
  sealUuid(type, id, prefix = '') {
    const block = uuidBlock(this.#sealing(`${type.name}-uuid`, prefix), type.toBytes(id));
    if (!block) throw new Error(`one of 2^93 IDs has no uuid, and this is one: ${id}`);
    return uuidv7.fromBytes(block);
  }

  /**
   * Returns the ID in what `kid_seal_uuid()` made with the same prefix, or null if no key opens the uuid.
   * @param {SealedType<string>} type kid64
   * @param {string} uuid
   * @param {string} prefix
   * @returns {string | null}
   */
  openUuid(type, uuid, prefix = '') {
    const subkeys = this.#opening(`${type.name}-uuid`, prefix);
    if (!uuidv7.is(uuid)) return null;
    const sealed = Buffer.from(uuidv7.toBytes(uuid));
    for (const subkey of subkeys) {
      const block = decipher(subkey, sealed);
      // Of the uuids with this ID, only the one with the least counter is valid.
      const isCandidate = block.readUIntBE(8, 6) === 0;
      if (isCandidate && uuidBlock(subkey, block.subarray(0, 8))?.equals(sealed)) return idOf(type, block);
    }
    return null;
  }

  /**
   * @param {string} type
   * @param {string} prefix
   */
  #sealing(type, prefix) {
    if (!this.#seals) throw new Error('no key seals IDs');
    return this.#opening(type, prefix)[0];
  }

  /**
   * Returns the subkeys for a type and a prefix, the one that seals first. A prefix comes from the program, so that the
   * map has no more of them than the program.
   * @param {string} type
   * @param {string} prefix
   */
  #opening(type, prefix) {
    const label = `${type}:${prefix}`;
    let subkeys = this.#subkeys.get(label);
    if (!subkeys) {
      separated(prefix); // An invalid prefix is an error.
      subkeys = this.#keys.map((key) => createHmac('sha256', key).update(label).digest().subarray(0, 16));
      this.#subkeys.set(label, subkeys);
    }
    return subkeys;
  }
}

/**
 * Returns the rows of a file: a line for each key, with tabs.
 * @param {string} file
 * @returns {ExportedKey[]}
 */
function rowsOf(file) {
  return file.split('\n').filter(Boolean).map((line) => {
    const [n, key = '', seals = ''] = line.trimEnd().split('\t');
    return { n, key, seals };
  });
}

/**
 * Returns a block that begins with the bytes of an ID.
 * @param {Uint8Array} id
 * @param {bigint} counter
 */
function blockOf(id, counter = 0n) {
  const block = Buffer.alloc(16);
  block.writeBigUInt64BE(counter, 8);
  block.set(id);
  return block;
}

/**
 * @param {Buffer} subkey
 * @param {Uint8Array} block
 */
function encipher(subkey, block) {
  return createCipheriv('aes-128-ecb', subkey, null).setAutoPadding(false).update(block);
}

/**
 * @param {Buffer} subkey
 * @param {Uint8Array} block
 */
function decipher(subkey, block) {
  return createDecipheriv('aes-128-ecb', subkey, null).setAutoPadding(false).update(block);
}

/**
 * Returns the first block with this ID, and a counter from 0 on, that has the bits of version 4 once it is enciphered.
 * @param {Buffer} subkey
 * @param {Uint8Array} id
 */
function uuidBlock(subkey, id) {
  for (let counter = 0n; counter < COUNTERS; counter++) {
    const block = encipher(subkey, blockOf(id, counter));
    if (block[6] >> 4 === 4 && block[8] >> 6 === 2) return block;
  }
  return null;
}

/**
 * Returns the ID at the beginning of a block. A number that is no kid53 was sealed as a bigint, and is no ID here.
 * @template {string | number} Id
 * @param {SealedType<Id>} type
 * @param {Uint8Array} block
 */
function idOf(type, block) {
  try {
    return type.fromBytes(block.subarray(0, type.size));
  } catch {
    return null;
  }
}
