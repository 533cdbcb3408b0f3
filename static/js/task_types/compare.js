import { fill, part, parts } from "../rater/page.js";
import Task from "../rater/task.js";

const MORE = "more.";

/** Two clips next to each other, or after a third one, X: one question, and others in the order drawn. */
export default class Compare extends Task {
  /** @param {number} index */
  called(index) {
    const { x } = part(this.form, "[data-field=preference]").dataset;
    return x ? fill(x, { letter: "XAB"[index] }) : null;
  }

  /** @param {import("../rater/task.js").Trial} trial */
  reset(trial) {
    /** @type {string[]} */
    const order = trial.shown.more ?? [];
    const questions = parts(this.form, "[data-question]");
    questions.sort((one, other) => order.indexOf(one.dataset.question ?? "") - order.indexOf(other.dataset.question ?? ""));
    questions[0]?.parentElement?.append(...questions);
    super.reset(trial);
  }

  /** @returns {Record<string, any>} */
  answer() {
    const all = Object.entries(super.answer());
    const more = all.filter(([name]) => name.startsWith(MORE)).map(([name, value]) => [name.slice(MORE.length), Number(value)]);
    const first = Object.fromEntries(all.filter(([name]) => !name.startsWith(MORE)));
    return more.length ? { ...first, more: Object.fromEntries(more) } : first;
  }

  /** @param {Record<string, any>} answer */
  restore({ more = {}, ...answer }) {
    const others = Object.entries(more).map(([name, value]) => [`${MORE}${name}`, value]);
    super.restore({ ...answer, ...Object.fromEntries(others) });
  }

  /** Digits choose on the question that has the focus, else on the first without an answer. @param {KeyboardEvent} event */
  key(event) {
    const questions = parts(this.form, "fieldset.choice");
    if (questions.length < 2) return super.key(event);
    if (!/^[1-9]$/.test(event.key)) return false;
    const open =
      questions.find((each) => each.contains(document.activeElement)) ??
      questions.find((each) => !each.querySelector(":checked")) ??
      questions[0];
    const chosen = parts(open, "input[type=radio]", HTMLInputElement)[Number(event.key) - 1];
    if (!chosen) return false;
    chosen.focus();
    chosen.click();
    return true;
  }
}
