"""What comes out of a page's loudspeaker, to the sample: its sound is rendered, not played, and stops for each press.

A browser that plays may fall behind on a busy machine, and then clicks whatever the page asks of it. Rendering waits:
at each of the moments that a test names it stands still until the button was pressed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from playwright.sync_api import ElementHandle, Page

RATE = 44_100
PATCH = """
(() => {
  window.outputs = [];
  window.starts = [];
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to !== this.context.destination) return connect.call(this, to, ...rest);
    window.outputs.push(this);
    const { stage } = this.context;
    return stage ? connect.call(this, stage, 0, window.outputs.length - 1) : connect.call(this, to, ...rest);
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
STUDIO = """
(() => {
  const channels = 8;
  window.AudioContext = class extends OfflineAudioContext {
    constructor() {
      super({ numberOfChannels: channels, length: 8 * 44100, sampleRate: 44100 });
      const merger = new ChannelMergerNode(this, { numberOfInputs: channels });
      merger.connect(this.destination);
      window.outputs.length = 0;
      this.stage = merger;
      window.studio = this;
    }
    get state() {
      return "running";
    }
  };
})();
"""
RENDER = """
async (presses) => {
  const task = () => new Promise((resolve) => setTimeout(resolve));
  for (const { button, seconds } of presses) {
    studio.suspend(seconds).then(async () => {
      button.click();
      await task();
      await task();
      studio.resume();
    });
  }
  const rendered = await studio.startRendering();
  const channels = outputs.map((_, channel) => rendered.getChannelData(channel));
  let [step, overlap, loud, last] = [0, 0, 0, 0];
  for (let n = 0; n < rendered.length; n += 1) {
    let [sum, sounding] = [0, 0];
    for (const channel of channels) {
      sum += channel[n];
      if (Math.abs(channel[n]) > 1e-6) sounding += 1;
    }
    if (sounding > 1) overlap += 1;
    if (sounding > 0) loud += 1;
    step = Math.max(step, Math.abs(sum - last));
    last = sum;
  }
  return { step, overlap, loud };
}
"""


@dataclass(frozen=True, slots=True)
class Press:
    """A button, and the second of the rendered sound at which it is pressed: no two within 3 ms."""

    button: ElementHandle
    seconds: float


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


def watch(page: Page) -> None:
    """Arrange, before the page is loaded, that its outputs and plays are known; it sounds as it would."""
    page.add_init_script(PATCH)


def prepare(page: Page) -> None:
    """Arrange, before the page is loaded, that its sound is rendered: eight seconds of at most eight clips."""
    watch(page)
    page.add_init_script(STUDIO)


def render(page: Page, presses: Iterable[Press]) -> Heard:
    """Return what is heard when these buttons are pressed."""
    told = [{"button": press.button, "seconds": press.seconds} for press in presses]
    return Heard(**page.evaluate(RENDER, told))


def plays(page: Page) -> list[Play]:
    """Return what was played, in the order of the starts."""
    found = page.evaluate("starts.map(({ when, stop, offset }) => [when, stop, offset])")
    return [Play(*play) for play in found]
