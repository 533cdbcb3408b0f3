/** What pages share: their parts and sentences, what the browser keeps and saw, keys, and the status line. */

/**
 * Return the first element that matches, or say what the page lacks.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Kind} [kind]
 */
export function part(root, selector, kind) {
  const found = root.querySelector(selector);
  if (!(found instanceof (kind ?? HTMLElement))) throw new Error(`The page has no ${selector}.`);
  return /** @type {Kind} */ (found);
}

/**
 * Return all elements that match.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Kind} [kind]
 */
export function parts(root, selector, kind) {
  return /** @type {Kind[]} */ ([...root.querySelectorAll(selector)].filter((found) => found instanceof (kind ?? HTMLElement)));
}

/** Let forms be sent, now that the page's script runs; until then their buttons wait (raters/unloaded.html). */
export function start() {
  document.querySelector("[data-unloaded]")?.remove();
  for (const button of parts(document, "button[data-waits]", HTMLButtonElement)) button.disabled = false;
}

/**
 * Fill {name} in a sentence.
 * @param {string} sentence
 * @param {Record<string, string | number>} [values]
 */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export class Texts {
  /** @param {Iterable<Element>} templates <template>s of elements with data-text; a later one's sentences prevail */
  constructor(templates) {
    /** @type {Map<string, string>} */
    this.sentences = new Map();
    for (const template of templates) {
      if (!(template instanceof HTMLTemplateElement)) throw new Error("Texts come from a <template>.");
      for (const line of parts(template.content, "[data-text]")) this.sentences.set(line.dataset.text ?? "", line.textContent ?? "");
    }
  }

  /**
   * @param {string} name
   * @param {Record<string, string | number>} [values]
   */
  get(name, values) {
    const sentence = this.sentences.get(name);
    if (sentence === undefined) throw new Error(`The page has no text "${name}".`);
    return fill(sentence, values);
  }
}

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

/**
 * Single keys: Space plays, numbers choose; and Ctrl+Enter saves.
 *
 * Single keys are off in text fields, and can be switched off for good: they hurt people who steer by voice.
 */
export class Shortcuts {
  /**
   * @param {HTMLInputElement} box the switch
   * @param {HTMLElement} root
   * @param {{play: () => void, save: () => void, key: (event: KeyboardEvent) => boolean}} actions
   */
  constructor(box, root, actions) {
    if (!(box instanceof HTMLInputElement)) throw new Error("The shortcuts need a checkbox.");
    this.box = box;
    this.actions = actions;
    const memory = new Memory(() => localStorage, "earshot:shortcuts");
    box.checked = memory.get() !== false;
    const apply = () => root.classList.toggle("shortcuts-off", !box.checked);
    box.addEventListener("change", () => {
      memory.set(box.checked);
      apply();
    });
    apply();
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!event.repeat) this.actions.save();
      return;
    }
    if (!this.box.checked || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])")) return;
    // Space presses whatever has the focus, as everywhere else; only an answer already chosen leaves it to us.
    const isTaken = target.matches("button, a, summary, input:not([type=radio]:checked)");
    if (event.key === " " && !isTaken) {
      event.preventDefault();
      this.actions.play();
    } else if (this.actions.key(event)) {
      event.preventDefault();
    }
  }
}

/** A line that screen readers speak. While a clip plays it keeps quiet, since speech would mask the clip. */

const SOON = 400;

export class Status {
  /**
   * @param {HTMLElement} line an element with role=status
   * @param {() => boolean} isPlaying
   */
  constructor(line, isPlaying) {
    if (line.getAttribute("role") !== "status") throw new Error("The status line needs role=status.");
    this.line = line;
    this.isPlaying = isPlaying;
    /** @type {(() => void) | null} */
    this.waiting = null;
    this.timer = 0;
  }

  /**
   * @param {string} text
   * @param {{isAlarm?: boolean, isPatient?: boolean, isSpokenOnly?: boolean}} [how]
   *   patient: only if nothing else is said within a moment; spoken only: it stands on the page elsewhere
   */
  say(text, { isAlarm = false, isPatient = false, isSpokenOnly = false } = {}) {
    clearTimeout(this.timer);
    const speak = () => {
      this.line.textContent = text;
      this.line.classList.toggle("alarm", isAlarm);
      this.line.classList.toggle("unseen", isSpokenOnly);
    };
    this.waiting = null;
    if (isPatient) this.timer = setTimeout(speak, SOON);
    else if (this.isPlaying()) this.waiting = speak;
    else speak();
  }

  /** Say what had to wait for the clip to end. */
  flush() {
    if (this.isPlaying() || !this.waiting) return;
    this.waiting();
    this.waiting = null;
  }
}

/**
 * What the browser saw of one clip's playback. It is evidence: the server decides by what it saw itself.
 *
 * It can be kept and taken up again, so that a reload loses no count and no moment.
 *
 * @typedef {{plays: number, played: number, interrupted: number, voided: number, seeks: number, speeds: number,
 *            began: number | null, ended: number | null}} Past
 *   `voided`: the plays that were given back since an interruption voided them.
 *   `began` and `ended` are of the first play and of the first whole one, in milliseconds of the wall clock.
 */
export class Hearing {
  /** @param {Past | null} [past] what was kept */
  constructor(past = null) {
    /** @type {Past} */
    this.past = { plays: 0, played: 0, interrupted: 0, voided: 0, seeks: 0, speeds: 0, began: null, ended: null, ...past };
  }

  begin() {
    this.past.plays += 1;
    this.past.began ??= now();
  }

  interrupt() {
    this.past.interrupted += 1;
  }

  /** Give a play back that an interruption voided, unless that happened too often. */
  giveBack() {
    if (this.past.voided < GIVEN_BACK) this.past.voided += 1;
  }

  /** Somebody, or something of theirs, jumped within the clip; it was taken back. */
  seek() {
    this.past.seeks += 1;
  }

  /** It was to run at another speed; that was set right. */
  speed() {
    this.past.speeds += 1;
  }

  end() {
    this.past.ended ??= now();
  }

  /** Another whole play is needed. */
  again() {
    this.past.ended = null;
  }

  /** Note which share of the clip was played. @param {number} played */
  measure(played) {
    this.past.played = Math.max(this.past.played, played);
  }

  /** As it stands now; times in seconds. */
  get evidence() {
    const { plays, played, interrupted, seeks, speeds, began, ended } = this.past;
    return {
      plays,
      played: Math.round(played * 1000) / 1000,
      first_end: seconds(began, ended),
      since_end: seconds(ended, now()),
      interrupted,
      seeks,
      speeds,
    };
  }
}

const GIVEN_BACK = 5; // as many as the server gives back
const WEEK = 7 * 24 * 3600; // seconds; the server takes no more

/** The wall clock as it stood when the page was loaded, going on evenly since: nobody sets it in between. */
function now() {
  return performance.timeOrigin + performance.now();
}

/**
 * @param {number | null} from
 * @param {number | null} to
 * @returns {number | null}
 */
function seconds(from, to) {
  return from === null || to === null ? null : Math.min(WEEK, Math.max(0, Math.round(to - from) / 1000));
}

/** How long the page was hidden since it showed something: evidence. */
export class Hidden {
  constructor() {
    this.total = 0;
    this.since = performance.now();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.since = performance.now();
      else this.total += performance.now() - this.since;
    });
  }

  reset() {
    this.total = 0;
    this.since = performance.now();
  }

  /** In milliseconds; the server takes no more than a week. */
  get milliseconds() {
    return Math.min(Math.round(this.total), 7 * 24 * 3_600_000);
  }
}

/** What to show when the server shows no trial for now; anything else is a page that lost its place. */
const PANELS = /** @type {const} */ ({ other_tab: "elsewhere", paused: "hold" });

/** @param {string} error @returns {"elsewhere" | "hold" | "stopped"} */
export function panelFor(error) {
  return error in PANELS ? PANELS[/** @type {keyof typeof PANELS} */ (error)] : "stopped";
}

/** Return which text asks to look at what is marked. @param {Record<string, string>} problems */
export function markedText(problems) {
  return Object.keys(problems).length > 1 ? "check_several" : "check";
}
