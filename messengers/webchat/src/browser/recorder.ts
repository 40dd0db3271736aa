import { button, el, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { strings } from "./strings/strings.ts";

/** Longest voice message, ms: at 32 kbit/s it is far below the largest file. */
const MAX_MS = 10 * 60_000;
/** What browsers record, and how the file is called. */
const TYPES = [
  ["audio/ogg;codecs=opus", "ogg"],
  ["audio/mp4", "m4a"],
  ["audio/webm;codecs=opus", "webm"],
] as const;
const BITS_PER_SECOND = 32_000;

export interface Recorder {
  element: HTMLElement;
  start(): void;
  /** Discards what is being recorded; false if nothing is. */
  cancel(): boolean;
}

export const canRecord = (): boolean =>
  typeof MediaRecorder === "function" && typeof navigator.mediaDevices?.getUserMedia === "function";

/** Records a voice message. `done` gets it, undefined when it is discarded. */
export function createRecorder(done: (file: File | undefined) => void, problem: (text: string) => void): Recorder {
  let recorder: MediaRecorder | undefined;
  let keeps = false;
  let clock: ReturnType<typeof setInterval> | undefined;
  const time = el("span", { class: "record-time", role: "timer" });
  const stop = (keep: boolean) => {
    keeps = keep;
    recorder?.stop();
  };
  const element = el(
    "div",
    { class: "record", hidden: true, "data-part": "record" },
    button({ class: "icon" }, strings.noRecord, () => stop(false), icon(icons.trash)),
    el("span", { class: "record-dot" }),
    el("span", { role: "status" }, strings.recording),
    time,
    button({ class: "send", "data-part": "send-record" }, strings.sendRecord, () => stop(true), icon(icons.send)),
  );
  const finish = (chunks: Blob[], type: string, stream: MediaStream) => {
    for (const track of stream.getTracks()) track.stop();
    clearInterval(clock);
    recorder = undefined;
    element.hidden = true;
    const [mime = type] = type.split(";");
    const ending = TYPES.find(([known]) => known.startsWith(mime))?.[1] ?? "webm";
    done(keeps ? new File(chunks, `${strings.voice}.${ending}`, { type: mime }) : undefined);
  };
  const begin = (stream: MediaStream) => {
    const mimeType = TYPES.map(([type]) => type).find((type) => MediaRecorder.isTypeSupported(type));
    const chunks: Blob[] = [];
    recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND });
    const type = recorder.mimeType || mimeType || "audio/webm";
    recorder.ondataavailable = ({ data }) => void chunks.push(data);
    recorder.onstop = () => finish(chunks, type, stream);
    const began = Date.now();
    const tick = () => {
      const seconds = Math.floor((Date.now() - began) / 1_000);
      time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      if (seconds * 1_000 >= MAX_MS) stop(true);
    };
    tick();
    clock = setInterval(tick, 500);
    element.hidden = false;
    keeps = false;
    recorder.start();
    element.querySelector<HTMLElement>(".send")?.focus();
  };
  return {
    element,
    start: () =>
      void navigator.mediaDevices.getUserMedia({ audio: true }).then(begin, () => problem(strings.noMicrophone)),
    cancel() {
      if (!recorder) return false;
      stop(false);
      return true;
    },
  };
}
