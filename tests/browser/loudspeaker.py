"""What comes out of a page's loudspeaker, measured to the sample beside it."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Page

PATCH = """
(() => {
  window.outputs = [];
  window.starts = [];
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to === this.context.destination) window.outputs.push(this);
    return connect.call(this, to, ...rest);
  };
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (when, offset) {
    window.starts.push({ when, offset, source: this, stop: when + this.buffer.duration - offset });
    start.call(this, when, offset);
  };
  const { stop } = AudioScheduledSourceNode.prototype;
  AudioBufferSourceNode.prototype.stop = function (when) {
    window.starts.find((play) => play.source === this).stop = when;
    stop.call(this, when);
  };
})();
"""
WORKLET = """
registerProcessor("loudspeaker", class extends AudioWorkletProcessor {
  constructor() {
    super();
    this.last = this.step = this.overlap = this.loud = 0;
    this.port.onmessage = () => this.port.postMessage({ step: this.step, overlap: this.overlap, loud: this.loud });
  }
  process(inputs) {
    for (let n = 0; n < 128; n += 1) {
      const heard = inputs.map((input) => input[0]?.[n] ?? 0);
      const sum = heard.reduce((total, sample) => total + sample, 0);
      const sounding = heard.filter((sample) => Math.abs(sample) > 1e-6).length;
      if (sounding > 1) this.overlap += 1;
      if (sounding > 0) this.loud += 1;
      this.step = Math.max(this.step, Math.abs(sum - this.last));
      this.last = sum;
    }
    return true;
  }
});
"""
LISTEN = """
async (worklet) => {
  const { context } = outputs[0];
  const sources = [...outputs];
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([worklet], { type: "text/javascript" })));
  window.ear = new AudioWorkletNode(context, "loudspeaker", { numberOfInputs: sources.length });
  sources.forEach((source, input) => source.connect(ear, 0, input));
  ear.connect(context.destination);
}
"""
ASK = """
() => new Promise((resolve) => {
  ear.port.onmessage = ({ data }) => resolve(data);
  ear.port.postMessage("");
})
"""


@dataclass(frozen=True, slots=True)
class Play:
    """A stretch of a clip as it was scheduled: on the loudspeaker's clock, and from where in the clip; in seconds."""

    start: float
    stop: float
    offset: float


@dataclass(frozen=True, slots=True)
class Heard:
    """The largest jump from sample to sample, and how many samples sounded and held more than one clip."""

    step: float
    overlap: int
    loud: int


def prepare(page: Page) -> None:
    """Arrange the measuring, before the page is loaded, in a context without a policy on scripts."""
    page.add_init_script(PATCH)


def listen(page: Page) -> None:
    """Begin to measure every clip that the page has loaded."""
    page.evaluate(LISTEN, WORKLET)


def heard(page: Page) -> Heard:
    """Return what was measured so far."""
    return Heard(**page.evaluate(ASK))


def plays(page: Page) -> list[Play]:
    """Return what was played, in the order of the starts."""
    found = page.evaluate("starts.map(({ when, stop, offset }) => [when, stop, offset])")
    return [Play(*play) for play in found]
