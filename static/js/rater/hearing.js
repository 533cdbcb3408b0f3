/**
 * What the browser saw of one clip's playback. It is evidence: the server decides by what it saw itself.
 *
 * It can be kept and taken up again, so that a reload loses no count and no moment.
 *
 * @typedef {{plays: number, played: number, interrupted: number, seeks: number, speeds: number, began: number | null,
 *            ended: number | null}} Past
 *   `began` and `ended` are of the first play and of the first whole one, in milliseconds of the wall clock.
 */
export class Hearing {
  /** @param {Past | null} [past] what was kept */
  constructor(past = null) {
    /** @type {Past} */
    this.past = { plays: 0, played: 0, interrupted: 0, seeks: 0, speeds: 0, began: null, ended: null, ...past };
  }

  begin() {
    this.past.plays += 1;
    this.past.began ??= now();
  }

  interrupt() {
    this.past.interrupted += 1;
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
