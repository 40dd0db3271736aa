import { button, el, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { strings } from "./strings/strings.ts";

/** Longest voice message, ms: at 32 kbit/s it is far below the largest file. */
const MAX_MS = 10 * 60_000;
/** Formats that browsers record, and the file's name. */
const TYPES = [
  ["audio/ogg;codecs=opus", "ogg"],
  ["audio/mp4", "m4a"],
  ["audio/webm;codecs=opus", "webm"],
] as const;
const BITS_PER_SECOND = 32_000;

export interface Recorder {
  element: HTMLElement;
  /** Asks for the microphone first. Does nothing while it asks or records. */
  start(): void;
  /** Discards what is being recorded, or is about to be; false if nothing is. */
  cancel(): boolean;
}

export const canRecord = (): boolean =>
  typeof MediaRecorder === "function" && typeof navigator.mediaDevices?.getUserMedia === "function";

interface Listeners {
  begun(): void;
  /** `file`: undefined when it is discarded. */
  done(file: File | undefined): void;
  problem(text: string): void;
}

const release = (stream: MediaStream) => {
  for (const track of stream.getTracks()) track.stop();
};

/** Records a voice message. */
export function createRecorder({ begun, done, problem }: Listeners): Recorder {
  let recorder: MediaRecorder | undefined;
  /** The pending request for the visitor's permission. */
  let pending: object | undefined;
  let keeps = false;
  let clock: ReturnType<typeof setInterval> | undefined;
  const time = el("span", { class: "record-time", role: "timer" });
  const stop = (keep: boolean) => {
    keeps = keep;
    if (recorder?.state === "recording") recorder.stop();
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
    release(stream);
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
    begun();
    element.querySelector<HTMLElement>(".send")?.focus();
  };
  const start = async () => {
    if (pending || recorder) return;
    const asked = {};
    pending = asked;
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => undefined);
    if (pending !== asked) return stream && release(stream);
    pending = undefined;
    if (stream) begin(stream);
    else problem(strings.noMicrophone);
  };
  return {
    element,
    start: () => void start(),
    cancel() {
      const isOn = pending !== undefined || recorder !== undefined;
      pending = undefined;
      stop(false);
      return isOn;
    },
  };
}
