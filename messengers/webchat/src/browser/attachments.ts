import type { Chat } from "./chat.ts";
import { button, el, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { Busy, type Opened, Refused, type ShownFile } from "./protocol.ts";
import { fill, strings } from "./strings/strings.ts";

interface Attachment {
  file: File;
  /** Shown before the file's name. */
  preview: Element;
  progress: HTMLProgressElement;
  abort: AbortController;
  /** Not known until the chat is open: whether the file may be sent. */
  waits: boolean;
  uploaded?: ShownFile;
  failed?: string;
}

export interface Attachments {
  element: HTMLElement;
  add(files: File[]): void;
  /** Uploads what was added before the chat was open. */
  begin(): void;
  busy(): boolean;
  count(): number;
  /** Removes and returns the uploaded files, in the order they were added. */
  take(): ShownFile[];
}

const MIB = 1024 * 1024;
const PICTURES = /^image\/(png|jpeg|gif|webp)$/;

/** Files for the next message. The upload starts at once, or once the chat is open, so that sending need not wait. */
export function createAttachments(chat: Chat, problem: (text: string) => void, changed: () => void): Attachments {
  let all: Attachment[] = [];
  const element = el("div", { class: "extra", hidden: true });
  const draw = () => {
    element.hidden = all.length === 0;
    element.replaceChildren(...all.map((attachment) => chip(attachment, remove, upload)));
    changed();
  };
  const remove = (attachment: Attachment) => {
    attachment.abort.abort();
    all = all.filter((other) => other !== attachment);
    draw();
  };
  const upload = async (attachment: Attachment) => {
    const { file, abort } = attachment;
    attachment.failed = undefined;
    draw();
    try {
      attachment.uploaded = await chat.upload(file, file.name || "file", abort.signal, (share) => {
        attachment.progress.value = share;
      });
    } catch (error) {
      attachment.failed =
        `${fill(strings.notUploaded, { name: file.name })} ${error instanceof Refused || error instanceof Busy ? error.message : ""}`.trim();
      if (!abort.signal.aborted) problem(attachment.failed);
    }
    draw();
  };
  const begin = () => {
    const limits = chat.opened()?.limits;
    if (!limits) return;
    for (const attachment of all.filter(({ waits }) => waits)) {
      attachment.waits = false;
      const fault = faultOf(limits, attachment.file, all.indexOf(attachment));
      if (fault) {
        problem(fault);
        remove(attachment);
      } else void upload(attachment);
    }
  };
  return {
    element,
    add(files) {
      problem("");
      const limits = chat.opened()?.limits;
      for (const file of files) {
        const fault = limits && faultOf(limits, file, all.length);
        if (fault) {
          problem(fault);
          continue;
        }
        const label = fill(strings.uploading, { name: file.name });
        const progress = el("progress", { max: "1", value: "0", "aria-label": label });
        const known = { file, preview: previewOf(file), progress, abort: new AbortController() };
        const attachment: Attachment = { ...known, waits: !limits };
        all.push(attachment);
        if (limits) void upload(attachment);
      }
      if (!limits) draw();
    },
    begin,
    busy: () => all.some(({ uploaded, failed }) => !uploaded && !failed),
    count: () => all.length,
    take() {
      const taken = all.flatMap(({ uploaded }) => (uploaded ? [uploaded] : []));
      for (const attachment of all.filter(({ uploaded }) => uploaded)) remove(attachment);
      return taken;
    },
  };
}

function faultOf(limits: Opened["limits"], file: File, count: number): string | undefined {
  if (count >= limits.files) return fill(strings.tooMany, { most: limits.files });
  const maxBytes = PICTURES.test(file.type) ? limits.image : limits.file;
  return file.size > maxBytes
    ? fill(strings.tooLarge, { name: file.name, mib: Math.floor(maxBytes / MIB) })
    : undefined;
}

/** Side of a preview, pixels; enough for a dense screen. */
const PREVIEW_PX = 72;

/** Draws the picture on a canvas: the page's CSP may forbid `blob:` URLs. */
function previewOf(file: File): Element {
  if (!PICTURES.test(file.type) || !globalThis.createImageBitmap) return icon(icons.file);
  const canvas = el("canvas", { width: String(PREVIEW_PX), height: String(PREVIEW_PX) });
  const paint = (bitmap: ImageBitmap) => {
    const side = Math.min(bitmap.width, bitmap.height);
    const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
    canvas.getContext("2d")?.drawImage(bitmap, left, top, side, side, 0, 0, PREVIEW_PX, PREVIEW_PX);
    bitmap.close();
  };
  createImageBitmap(file).then(paint, () => canvas.replaceWith(icon(icons.file)));
  return canvas;
}

function chip(attachment: Attachment, remove: (a: Attachment) => void, upload: (a: Attachment) => void) {
  const { file, preview, progress, uploaded, failed } = attachment;
  const state = failed ? "failed" : uploaded ? "ready" : "busy";
  return el(
    "span",
    { class: `chip ${state}`, "data-state": state, title: failed },
    preview,
    el("span", { class: "chip-name", dir: "auto" }, file.name),
    state === "busy" && progress,
    failed && button({ class: "link" }, strings.again, () => upload(attachment), strings.again),
    button(
      { class: "drop" },
      fill(strings.removeFile, { name: file.name }),
      () => remove(attachment),
      icon(icons.close),
    ),
  );
}
