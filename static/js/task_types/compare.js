import { fill, part } from "../rater/page.js";
import Task from "../rater/task.js";

/** Two clips next to each other, or after a third one, X. */
export default class Compare extends Task {
  /** @param {number} index */
  called(index) {
    const { x } = part(this.form, "[data-field=preference]").dataset;
    return x ? fill(x, { letter: "XAB"[index] }) : null;
  }
}
