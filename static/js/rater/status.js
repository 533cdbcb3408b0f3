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
