import { Disc, Tape } from "./deck.js";
import { LineTest } from "./line.js";
import { LONGEST, Outbox, Sounds, call, decided, isBusy, pause, refetch, uuid } from "./network.js";
import { Hearing, Hidden, Memory, Shortcuts, Status, Texts, markedText, panelFor, part, parts, start, volume } from "./page.js";
import { Player } from "./player.js";

/**
 * The trial page: shows what the server says is next, and brings answers to it.
 *
 * `data-state` on the root is one of loading, ready, playing, paused, heard, failed, saving, offline, and the panels
 * that take the place of the trial: line, breath, elsewhere, hold, stopped.
 */
export class TrialPage {
  /**
   * @param {HTMLElement} root
   * @param {new (form: HTMLFormElement) => any} TaskType
   */
  constructor(root, TaskType) {
    const { api, name, end } = root.dataset;
    if (!api || !name || !end) throw new Error("The trial page lacks data-api, data-name or data-end.");
    this.root = root;
    this.api = api;
    this.end = end;
    this.texts = new Texts([part(root, "#texts"), ...root.querySelectorAll("template[data-texts]")]);
    this.form = part(root, "form[data-answer]", HTMLFormElement);
    this.fields = part(root, "[data-fields]");
    this.saveButton = part(root, "#save");
    this.advice = part(root, "#advice");
    this.task = new TaskType(this.form);
    this.sounds = new Sounds();
    /** @type {Player[]} */
    this.players = [];
    this.status = new Status(part(root, "#status"), () => this.players.some((player) => player.isBusy));
    this.draft = new Memory(() => sessionStorage, `earshot:${name}:draft`);
    this.heard = new Memory(() => sessionStorage, `earshot:${name}:heard`);
    this.progress = /** @type {import("./player.js").Progress} */ (JSON.parse(part(root, "#progress").textContent ?? "null"));
    const tab = () => this.progress.tab;
    const replay = (/** @type {import("./network.js").Missing} */ missing) => this.replay(missing);
    this.outbox = new Outbox({ api, name, tab, replay, tell: (mood, seconds) => this.tell(mood, seconds) });
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(`earshot:${name}`) : null;
    this.isSaving = false;
    this.hidden = new Hidden();
    this.listen();
  }

  /** Continue where the server says; an answer that a reload interrupted is sent first. */
  start() {
    this.channel?.postMessage(this.progress.tab);
    const { letter } = this.outbox;
    this.head();
    this.showTrial();
    if (!letter) return;
    if (letter.token === this.progress.trial.token) this.task.restore(letter.body.answer);
    void this.deliver(letter);
  }

  listen() {
    this.sounds.addEventListener("progress", () => this.root.dataset.state === "loading" && this.refresh());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.save();
    });
    this.form.addEventListener("input", () => {
      if (!this.isSaving) this.keepDraft();
    });
    part(this.root, "[data-stuck] p").textContent = this.texts.get("stuck");
    part(this.root, "[data-go-on]").addEventListener("click", () => this.showTrial());
    part(this.root, "[data-skip]").addEventListener("click", () => void this.skip());
    for (const button of this.root.querySelectorAll("[data-reload]")) button.addEventListener("click", () => location.reload());
    this.channel?.addEventListener("message", (event) => {
      if (event.data !== this.progress.tab && !this.isSaving) this.panel("elsewhere");
    });
    addEventListener("pagehide", () => {
      this.players.forEach((player) => player.pass());
      this.remember();
      if (this.draft.get()?.token === this.progress.trial.token && !this.isSaving) this.keepDraft();
    });
    // A page that the browser kept alive behind Back is older than what was saved since.
    addEventListener("pageshow", (event) => event.persisted && location.reload());
  }

  /** @param {import("./player.js").Progress | {state: "ended"}} progress */
  apply(progress) {
    if (progress.state === "ended") {
      this.players.forEach((player) => player.stop());
      location.replace(this.end);
      return;
    }
    const isNewSet = progress.set !== this.progress.set;
    this.progress = progress;
    this.head();
    if (isNewSet) this.panel("breath");
    else this.showTrial();
    if (isNewSet) this.sounds.want(progress.trial.clips);
  }

  head() {
    const { position, size, set, sets, minutes_left: minutes } = this.progress;
    const facts = [this.texts.get("where", { position, size })];
    if (sets > 1) facts.push(this.texts.get("set", { set, sets }));
    if (minutes !== null) facts.push(this.texts.get("minutes", { minutes }));
    part(document, "#where").textContent = facts.join(" · ");
    part(this.root, "#sofar", HTMLProgressElement).value = (position - 1) / size;
  }

  showTrial() {
    const { trial, next } = this.progress;
    this.panel("trial");
    this.task.reset(trial);
    scrollTo({ top: 0, behavior: "instant" }); // from Save, at the foot of the last one
    const draft = this.draft.get();
    if (draft?.token === trial.token) this.task.resume(draft);
    const past = this.heard.get()?.clips ?? {};
    this.hidden.reset();
    this.sounds.want(trial.clips, next);
    this.seat(trial.clips.length);
    const isVoidedByInterruption = trial.interruption === "void";
    // A play that must run whole begins at the beginning.
    const place = this.task.isInStep && !isVoidedByInterruption ? { seconds: 0 } : null;
    const rules = { maxPlays: trial.max_plays, isVoidedByInterruption, place };
    trial.clips.forEach((clip, index) => void this.players[index].show(clip, rules, new Hearing(past[clip.key])));
    this.players[0].button.focus({ preventScroll: true });
  }

  /** Have as many players as the trial has clips, each at its place. @param {number} wanted */
  seat(wanted) {
    const loudness = this.players[0]?.deck.volume ?? volume.get() ?? 1;
    while (this.players.length > wanted) this.players.pop()?.leave();
    while (this.players.length < wanted) this.players.push(this.player(wanted === 1 ? new Disc() : new Tape()));
    this.players.forEach((player, index) => {
      const place = this.task.place(index) ?? part(this.root, "[data-players]");
      if (player.root.parentElement !== place) place.append(player.root);
      const letter = wanted > 1 ? this.texts.get("name", { letter: String.fromCharCode(65 + index) }) : "";
      player.name(this.task.called(index) ?? letter);
      player.setVolume(loudness, index === 0 && !("volumeIsSet" in this.root.dataset));
    });
  }

  /** @param {Disc | Tape} deck */
  player(deck) {
    const template = part(this.root, "#player", HTMLTemplateElement);
    const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
    const player = new Player(part(copy, ".player"), deck, this.sounds, this.texts);
    player.addEventListener("change", () => {
      this.remember();
      this.refresh();
    });
    player.addEventListener("starting", () => this.players.forEach((other) => other !== player && other.giveWay()));
    player.addEventListener("began", () => void this.played(player));
    player.addEventListener("voided", () => this.advise("voided", true));
    player.addEventListener("volume", () => {
      this.players.forEach((other) => (other.deck.volume = player.deck.volume));
      volume.set(player.deck.volume);
    });
    return player;
  }

  /** Keep what was filled in, and how, for a reload. */
  keepDraft() {
    this.draft.set({ token: this.progress.trial.token, ...this.task.draft });
  }

  /** The player that sounds, else the first that is still to be heard. */
  nextPlayer() {
    const { players } = this;
    return players.find((player) => player.isBusy) ?? players.find((player) => !player.wasHeard) ?? players[0];
  }

  /** Keep what was heard, for a reload. */
  remember() {
    if (this.players.some((player) => !player.clip)) return;
    this.heard.set({ clips: Object.fromEntries(this.players.map(({ clip, hearing }) => [clip?.key ?? "", hearing.past])) });
  }

  /** Show the players' state in words. */
  refresh() {
    if (this.isSaving || part(this.root, "[data-panel=trial]").hidden) return;
    this.task.listening(this.players);
    const states = this.players.map((player) => player.state);
    const isHeard = this.players.every((player) => player.wasHeard);
    const state = /** @type {const} */ (["failed", "playing", "loading", "paused"]).find((each) => states.includes(each)) ?? (isHeard ? "heard" : "ready");
    this.root.dataset.state = state;
    this.offerToSkip(this.players.some((player) => player.isStuck));
    const isUsedUp = state === "heard" && this.players.every((player) => player.isUsedUp);
    // While others are still on their way, the first clips can be played.
    const fault = this.players.find((player) => player.state === "failed")?.fault;
    const advice = state === "loading" && states.includes("ready") ? "ready" : (fault ?? state);
    this.advise(isUsedUp ? "used" : advice, state === "failed");
    this.saveButton.setAttribute("aria-disabled", String(!isHeard && this.progress.trial.playback === "enforce"));
    this.status.flush();
  }

  /** @param {boolean} isOffered */
  offerToSkip(isOffered) {
    const offer = part(this.root, "[data-stuck]");
    const said = isOffered && offer.hidden && part(offer, "p").textContent;
    offer.hidden = !isOffered;
    if (said) this.status.say(said, { isAlarm: true, isSpokenOnly: true });
  }

  /**
   * @param {string} name
   * @param {boolean} isProblem
   */
  advise(name, isProblem = false) {
    const heard = this.players.filter((player) => player.wasHeard).length;
    const retry = Math.min(...this.players.map((player) => player.secondsLeft || Infinity));
    const seconds = name === "failed" ? retry : this.sounds.secondsLeft;
    this.advice.textContent = this.texts.get(name === "loading" && seconds ? "slow" : name, { heard, clips: this.players.length, seconds });
    this.advice.classList.toggle("problem", isProblem);
  }

  /** Tell the server that a play began, until it has heard. @param {Player} player */
  async played(player) {
    const { clip, hearing } = player;
    const { voided } = hearing.past;
    for (let failures = 0; clip && player.clip === clip; failures += 1) {
      const reply = await call(`${this.api}played/${clip.key}`, { tab: this.progress.tab, voided });
      if ((reply?.status === 200 && reply.body !== null) || player.clip !== clip) return;
      const refusal = decided(reply);
      if (refusal !== null && !isBusy(refusal)) {
        if (refusal.body.error === "plays_used_up") player.useUp();
        else if (refusal.status === 409) void this.catchUp();
        return;
      }
      await pause(Math.min(LONGEST, 2 ** failures), true);
    }
  }

  /** Fetch what the server lacks of the clips, and say once more that they began. @param {import("./network.js").Missing} missing */
  async replay(missing) {
    for (const clip of this.progress.trial.clips) {
      for (const [start, stop] of missing[clip.key] ?? []) await refetch(clip.url, start, stop).catch(() => undefined);
      await call(`${this.api}played/${clip.key}`, { tab: this.progress.tab });
    }
  }

  async save() {
    if (this.isSaving || part(this.root, "[data-panel=trial]").hidden) return;
    const { trial, position } = this.progress;
    const isHeard = this.players.every((player) => player.wasHeard);
    if (trial.playback === "enforce" && !isHeard) {
      this.advise("unheard", true);
      this.status.say(this.texts.get("unheard"), { isAlarm: true, isSpokenOnly: true });
      (this.players.find((player) => !player.wasHeard) ?? this.players[0]).button.focus();
      return;
    }
    const problems = this.task.check();
    if (Object.keys(problems).length > 0) {
      this.complain(problems);
      return;
    }
    this.task.problems({});
    this.players.forEach((player) => player.isBusy && player.press());
    if (this.task.isBeforeLast) return this.nextStep();
    await this.deliver({ token: trial.token, position, body: { key: uuid(), answer: this.task.answer(), evidence: this.evidence() } });
  }

  /** Show the next step of the form; clips that must be heard are to be heard again for it. */
  nextStep() {
    this.task.advance(this.progress.trial.playback === "enforce" ? this.players : []);
    this.keepDraft();
    this.status.say(this.texts.get("step"));
    this.players[0].button.focus();
  }

  /**
   * Say what is wrong with the answer: beside its fields, or in the status line where the form has no such field.
   * @param {Record<string, string>} problems
   */
  complain(problems) {
    const elsewhere = this.task.problems(problems);
    this.status.say(elsewhere.join(" ") || this.texts.get(markedText(problems)), { isAlarm: true });
  }

  evidence() {
    const clips = Object.fromEntries(this.players.map(({ clip, hearing }) => [clip?.key ?? "", hearing.evidence]));
    return { clips, hidden_ms: this.hidden.milliseconds, ...this.task.evidence() };
  }

  /** @param {import("./network.js").Letter} letter */
  async deliver(letter) {
    this.lock(true);
    const reply = await this.outbox.send(letter);
    this.lock(false);
    const { status, body } = reply;
    // A study that was paused keeps the answer, and shows nothing more for now.
    if (status === 200 || ["already_answered", "paused"].includes(body.error)) {
      this.draft.set(null);
      this.heard.set(null);
      // A preview keeps nothing.
      this.status.say("isPreview" in this.root.dataset ? "" : this.texts.get("saved", { position: letter.position }));
    }
    if (status === 200) {
      this.apply(body);
    } else if (body.error === "already_answered") {
      this.apply(body.progress);
    } else if (body.error === "not_current") {
      await this.catchUp();
    } else if (status === 410) {
      location.replace(this.end);
    } else if (status === 422) {
      this.refresh();
      this.complain(Object.keys(body.problems ?? {}).length > 0 ? body.problems : { "": body.message });
    } else {
      this.panel(panelFor(body.error));
    }
  }

  /** Ask what this tab should show. */
  async catchUp() {
    const address = `${this.api}current?tab=${encodeURIComponent(this.progress.tab)}`;
    for (let failures = 0; ; failures += 1) {
      const reply = decided(await call(address));
      if (reply !== null && !isBusy(reply)) {
        this.follow(reply);
        return;
      }
      this.tell(reply === null ? "offline" : "busy", 0);
      await pause(Math.min(LONGEST, 2 ** failures), true);
    }
  }

  /** Show what the server says comes next. @param {import("./network.js").Reply} reply */
  follow({ status, body }) {
    if (status === 200) this.apply(body);
    else this.panel(panelFor(body.error));
  }

  /** Report a clip that can't be played, and go on without it. */
  async skip() {
    const clip = this.players.find((player) => player.isStuck)?.clip;
    if (!clip || this.isSaving) return;
    this.lock(true);
    const reply = decided(await call(`${this.api}failed/${clip.key}`, { tab: this.progress.tab }));
    this.lock(false);
    // It may be the line after all: then the clip may come once it is back.
    if (reply === null || isBusy(reply)) return this.status.say(this.texts.get("unreported"), { isAlarm: true });
    if (reply.status === 200) {
      this.draft.set(null);
      this.heard.set(null);
      this.status.say(this.texts.get("skipped"));
    }
    this.follow(reply);
  }

  /**
   * @param {import("./network.js").Mood} mood
   * @param {number} seconds
   */
  tell(mood, seconds) {
    this.root.dataset.state = mood === "offline" ? "offline" : "saving";
    if (mood === "sending") this.status.say(this.texts.get("saving"), { isPatient: true });
    else this.status.say(this.texts.get(mood, { seconds: Math.ceil(seconds) }), { isAlarm: true });
  }

  /** While an answer is on its way, its fields keep still and no clip takes up the line. @param {boolean} isOn */
  lock(isOn) {
    this.isSaving = isOn;
    this.sounds.hold(isOn);
    this.fields.inert = isOn;
    this.saveButton.setAttribute("aria-disabled", String(isOn));
  }

  /** @param {"trial" | "breath" | "elsewhere" | "hold" | "stopped"} name */
  panel(name) {
    for (const panel of parts(this.root, "[data-panel]")) panel.hidden = panel.dataset.panel !== name;
    if (name === "trial") return;
    this.players.forEach((player) => player.stop());
    this.sounds.want([]);
    this.root.dataset.state = name;
    part(this.root, `[data-panel=${name}] button`).focus();
  }
}

/** Put the trial page together: the task type's own module is named by the page. */
const root = part(document, "#trial");
const { default: TaskType } = await import(root.dataset.module ?? "");
const page = new TrialPage(root, TaskType);

const box = part(root, "#shortcuts", HTMLInputElement);
const trial = part(root, "[data-panel=trial]");
new Shortcuts(box, root, {
  play: () => trial.hidden || page.nextPlayer()?.press(),
  save: () => page.form.requestSubmit(),
  key: (event) => !trial.hidden && page.root.dataset.state !== "saving" && page.task.key(event),
});

// Speech waits for the clip to end.
page.form.addEventListener("corrected", (event) => {
  event.preventDefault();
  page.status.say(/** @type {CustomEvent} */ (event).detail, { isSpokenOnly: true });
});

const help = part(root, "dialog#help", HTMLDialogElement);
part(root, "[data-open=help]").addEventListener("click", () => help.showModal());

page.start();
new LineTest(page);
start();
