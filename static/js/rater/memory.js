/** What the browser keeps between pages. Storage may be full or forbidden: then nothing is kept, and nothing breaks. */
export class Memory {
  /**
   * @param {() => Storage} storage
   * @param {string} key
   */
  constructor(storage, key) {
    this.storage = storage;
    this.key = key;
  }

  /** @returns {any} null when there is nothing */
  get() {
    try {
      return JSON.parse(this.storage().getItem(this.key) ?? "null");
    } catch {
      return null;
    }
  }

  /** @param {any} value null forgets */
  set(value) {
    try {
      if (value === null) this.storage().removeItem(this.key);
      else this.storage().setItem(this.key, JSON.stringify(value));
    } catch {
      // See above.
    }
  }
}

/** How loud clips and the sounds of checks play, from 0 to 1; a rater sets it at a trial's slider. */
export const volume = new Memory(() => localStorage, "earshot:volume");
