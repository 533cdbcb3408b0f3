/**
 * The changes made on a page, to undo and redo; they last as long as the browser's tab.
 *
 * @typedef {{ name: string, before: string[], after: string[] }} Change one field
 */

const MOST = 50;

export class History {
  /** @param {string} key @param {() => void} changed called when there is more or less to undo */
  constructor(key, changed) {
    this.key = key;
    this.changed = changed;
    /** @type {Change[][]} */
    this.undoable = [];
    /** @type {Change[][]} */
    this.redoable = [];
    // Whether the next change of the same field belongs to the one before: it is still being typed.
    this.isTyping = false;
    try {
      [this.undoable, this.redoable] = JSON.parse(sessionStorage.getItem(key) ?? "[[],[]]");
    } catch {
      // A browser that stores nothing still has the changes of this page.
    }
  }

  /** @param {Change[]} changes */
  add(changes) {
    const last = this.undoable.at(-1);
    if (this.isTyping && changes.length === 1 && last?.length === 1 && last[0].name === changes[0].name) last[0].after = changes[0].after;
    else this.undoable.push(changes);
    this.undoable = this.undoable.slice(-MOST);
    this.redoable = [];
    this.isTyping = true;
    this.store();
  }

  /** Take the last step, as the changes that undo it. @returns {Change[] | undefined} */
  undo() {
    return this.move(this.undoable, this.redoable)?.map(({ name, before, after }) => ({ name, before: after, after: before }));
  }

  /** @returns {Change[] | undefined} */
  redo() {
    return this.move(this.redoable, this.undoable);
  }

  /** @param {Change[][]} from @param {Change[][]} to */
  move(from, to) {
    const step = from.pop();
    if (step) to.push(step);
    this.isTyping = false;
    this.store();
    return step;
  }

  /** Forget a step that can't be taken. @param {boolean} wasUndo */
  drop(wasUndo) {
    (wasUndo ? this.redoable : this.undoable).pop();
    this.store();
  }

  store() {
    try {
      sessionStorage.setItem(this.key, JSON.stringify([this.undoable, this.redoable]));
    } catch {
      // As above.
    }
    this.changed();
  }
}
