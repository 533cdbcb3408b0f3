/** Plays files that were chosen on the page before they are sent, one at a time. */

/** @typedef {import("./parts.js").Named} Named */

export class Listening {
  /** @param {DOMStringMap} texts */
  constructor(texts) {
    this.texts = texts;
    this.files = /** @type {Map<string, File>} */ (new Map());
    this.audio = new Audio();
    /** @type {HTMLButtonElement | null} */
    this.playing = null;
    this.audio.addEventListener("ended", () => this.stop());
    this.audio.addEventListener("error", () => this.fail());
  }

  /** @param {Named[]} files those that can be heard from now on */
  use(files) {
    this.stop();
    this.files = new Map(files.map(({ name, file }) => [name.normalize("NFC"), file]));
  }

  /** Return a button that plays a file; null for one that isn't on this machine. @param {string} name */
  button(name) {
    const file = this.files.get(name);
    if (!file) return null;
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button secondary play" });
    button.dataset.file = name;
    button.addEventListener("click", () => {
      const isStopped = this.playing === button;
      this.stop();
      if (!isStopped) this.play(button, file);
    });
    this.label(button, false);
    return button;
  }

  /** @param {HTMLButtonElement} button @param {File} file */
  play(button, file) {
    this.playing = button;
    this.label(button, true);
    this.audio.src = URL.createObjectURL(file);
    // A failure is reported by the event.
    this.audio.play().catch(() => undefined);
  }

  stop() {
    this.audio.pause();
    URL.revokeObjectURL(this.audio.src);
    if (this.playing) this.label(this.playing, false);
    this.playing = null;
  }

  fail() {
    const button = this.playing;
    this.stop();
    if (!button) return;
    button.disabled = true;
    button.setAttribute("aria-label", (this.texts.unplayable ?? "").replace("{file}", button.dataset.file ?? ""));
    button.title = button.getAttribute("aria-label") ?? "";
  }

  /** @param {HTMLButtonElement} button @param {boolean} isPlaying */
  label(button, isPlaying) {
    button.textContent = isPlaying ? "■" : "▶";
    button.setAttribute("aria-label", ((isPlaying ? this.texts.stop : this.texts.play) ?? "").replace("{file}", button.dataset.file ?? ""));
  }
}
