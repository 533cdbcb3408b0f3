"""espeak-ng by ctypes. Its licence is the GPL: only the process that makes the demo's clips loads it."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from demo.material import Voice

Samples = npt.NDArray[np.float64]

# Constants of espeak-ng's speak_lib.h.
SYNCHRONOUS = 2
DONT_EXIT = 0x8000
UTF8 = 1
RATE, PITCH, RANGE = 1, 3, 4
Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class SpeechError(Exception):
    """An error of the synthesiser."""


class Espeak:
    """The synthesiser, loaded once for a process."""

    def __init__(self) -> None:
        import espeakng_loader

        self.library: Any = ctypes.CDLL(espeakng_loader.get_library_path())
        self.library.espeak_SetVoiceByName.argtypes = [ctypes.c_char_p]
        self.library.espeak_Synth.argtypes = [
            ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_int,
            ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p,
        ]  # fmt: skip
        path = str(espeakng_loader.get_data_path()).encode()
        self.rate = int(self.library.espeak_Initialize(SYNCHRONOUS, 0, path, DONT_EXIT))
        if self.rate <= 0:
            raise SpeechError(f"espeak-ng could not start: it returned {self.rate}.")
        self.heard: list[Samples] = []
        # An attribute: otherwise ctypes frees it while the library still calls it.
        self.callback = Callback(self.take)
        self.library.espeak_SetSynthCallback(self.callback)

    def take(self, samples: Any, count: int, events: Any) -> int:
        """Copy the samples that the library just made; return 0 so that it continues."""
        if samples and count > 0:
            self.heard.append(np.ctypeslib.as_array(samples, (count,)) / 32768.0)
        return 0

    def say(self, text: str, voice: Voice) -> Samples:
        """Return `text` in `voice` as samples between −1 and 1 at `rate`; raises `SpeechError`."""
        self.check(self.library.espeak_SetVoiceByName(voice.voice.encode()), f"the voice {voice.voice}")
        for parameter, value in ((RATE, voice.pace), (PITCH, voice.pitch), (RANGE, voice.pitch_range)):
            self.check(self.library.espeak_SetParameter(parameter, value, 0), f"parameter {parameter} = {value}")
        # Some voices add noise; the same seed makes the same clip every time.
        self.library.espeak_ng_SetRandSeed(1)
        self.heard.clear()
        raw = text.encode()
        self.check(self.library.espeak_Synth(raw, len(raw) + 1, 0, 1, 0, UTF8, None, None), "the text")
        self.check(self.library.espeak_Synchronize(), "to finish")
        if not self.heard:
            raise SpeechError(f"espeak-ng made no sound of {text!r}.")
        return np.concatenate(self.heard)

    def check(self, code: int, what: str) -> None:
        if code != 0:
            raise SpeechError(f"espeak-ng refused {what}: it returned {code}.")
