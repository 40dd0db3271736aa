import type { Chat } from "./chat.ts";
import { button, el, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { Busy, Refused, type ShownFile } from "./protocol.ts";
import { words } from "./strings.ts";

interface Attachment {
  file: File;
  /** What stands before the name. */
  sign: Element;
  stop: AbortController;
  kept?: ShownFile;
  failed?: string;
}

export interface Attachments {
  element: HTMLElement;
  add(files: File[]): void;
  busy(): boolean;
  count(): number;
  /** The files that are with the server, in the order they were added; then there are none any more. */
  take(): ShownFile[];
}

const MIB = 1024 * 1024;
const PICTURES = /^image\/(png|jpeg|gif|webp)$/;

/** Files on their way to a message: uploaded at once, so that sending does not wait for them. */
export function createAttachments(chat: Chat, problem: (text: string) => void, changed: () => void): Attachments {
  let all: Attachment[] = [];
  const element = el("div", { class: "extra", hidden: true });
  const draw = () => {
    element.hidden = all.length === 0;
    element.replaceChildren(...all.map((attachment) => chip(attachment, remove, upload)));
    changed();
  };
  const remove = (attachment: Attachment) => {
    attachment.stop.abort();
    all = all.filter((other) => other !== attachment);
    draw();
  };
  const upload = async (attachment: Attachment) => {
    const { file, stop } = attachment;
    attachment.failed = undefined;
    draw();
    try {
      attachment.kept = await chat.upload(file, file.name || "file", stop.signal);
    } catch (error) {
      attachment.failed =
        `${words.notUploaded(file.name)} ${error instanceof Refused || error instanceof Busy ? error.message : ""}`.trim();
      if (!stop.signal.aborted) problem(attachment.failed);
    }
    draw();
  };
  return {
    element,
    add(files) {
      problem("");
      for (const file of files) {
        const fault = faultOf(chat, file, all.length);
        if (fault) {
          problem(fault);
          continue;
        }
        const attachment: Attachment = { file, sign: signOf(file), stop: new AbortController() };
        all.push(attachment);
        void upload(attachment);
      }
    },
    busy: () => all.some(({ kept, failed }) => !kept && !failed),
    count: () => all.length,
    take() {
      const taken = all.flatMap(({ kept }) => (kept ? [kept] : []));
      for (const attachment of all.filter(({ kept }) => kept)) remove(attachment);
      return taken;
    },
  };
}

function faultOf(chat: Chat, file: File, count: number): string | undefined {
  const limits = chat.opened()?.limits;
  if (!limits) return words.offline;
  if (count >= limits.files) return words.tooMany(limits.files);
  const most = PICTURES.test(file.type) ? limits.image : limits.file;
  return file.size > most ? words.tooLarge(file.name, Math.floor(most / MIB)) : undefined;
}

/** Pixels of a preview's side, enough for a dense screen. */
const PREVIEW = 72;

/** A picture is painted, not linked: a page's Content-Security-Policy may forbid `blob:` addresses. */
function signOf(file: File): Element {
  if (!PICTURES.test(file.type) || !globalThis.createImageBitmap) return icon(icons.file);
  const canvas = el("canvas", { width: String(PREVIEW), height: String(PREVIEW) });
  const paint = (bitmap: ImageBitmap) => {
    const side = Math.min(bitmap.width, bitmap.height);
    const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
    canvas.getContext("2d")?.drawImage(bitmap, left, top, side, side, 0, 0, PREVIEW, PREVIEW);
    bitmap.close();
  };
  createImageBitmap(file).then(paint, () => canvas.replaceWith(icon(icons.file)));
  return canvas;
}

function chip(attachment: Attachment, remove: (a: Attachment) => void, upload: (a: Attachment) => void) {
  const { file, sign, kept, failed } = attachment;
  const state = failed ? "failed" : kept ? "ready" : "busy";
  return el(
    "span",
    { class: `chip ${state}`, "data-state": state, title: failed },
    sign,
    el("span", { class: "chip-name", dir: "auto" }, file.name),
    state === "busy" && el("span", { class: "spinner", role: "img", "aria-label": words.uploading(file.name) }),
    failed && button({ class: "link" }, words.again, () => upload(attachment), words.again),
    button({ class: "drop" }, words.removeFile(file.name), () => remove(attachment), icon(icons.close)),
  );
}
