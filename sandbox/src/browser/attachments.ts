import { at, el, icon, iconButton } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "./api.ts";
import type { KeptFile } from "./drafts.ts";
import { icons } from "./icons.ts";
import { type Channel, may } from "./model.ts";
import { sizeWords } from "./names.ts";

export type FileType = "image" | "audio" | "file";

/** The message type for a file: its own kind if the channel supports it, else `file`. */
export function fileTypeIn(channel: Channel | undefined, kind: string, note: boolean): FileType {
  if (kind !== "image" && kind !== "audio") return "file";
  return note || may(channel, kind, "creating") || !may(channel, "file", "creating") ? kind : "file";
}

const kindOf = (file: File): string => /^(image|audio)\//.exec(file.type)?.[1] ?? "file";

/** Why the channel refuses the file. */
export function fileFault(channel: Channel | undefined, kind: string, size: number, note: boolean): string | undefined {
  if (size === 0) return "it is empty";
  if (note) return undefined;
  const type = fileTypeIn(channel, kind, note);
  if (!may(channel, type, "creating")) return `the channel takes no ${type === "audio" ? "audio" : `${type}s`}`;
  const max = channel?.settings[type]?.max_item_size;
  return max && size > max ? `it is larger than ${sizeWords(max)}` : undefined;
}

interface Attachment {
  name: string;
  size: number;
  kind: string;
  kept?: KeptFile;
}
/** The draft's files, uploaded as soon as chosen. */
export interface Attachments {
  show(chatId: number, files: KeptFile[]): void;
  add(files: Iterable<File>): void;
  kept(): KeptFile[];
  busy(): boolean;
}

export interface AttachmentsParts {
  api: Api;
  faultOf(kind: string, size: number): string | undefined;
  problem(error: unknown): void;
  changed(): void;
  /** The upload finished after another chat was opened. */
  late(chatId: number, file: KeptFile): void;
}

export function createAttachments({ api, faultOf, problem, changed, late }: AttachmentsParts): Attachments {
  const list = at("files");
  const count = at("attached");
  let chat = 0;
  let all: Attachment[] = [];
  const draw = () => {
    const ready = all.filter(({ kept }) => kept).length;
    count.textContent = all.length === 0 ? "" : ready < all.length ? "Uploading …" : `${ready} attached`;
    list.replaceChildren(...all.map((attachment) => chipOf(attachment, () => drop(attachment))));
    list.hidden = all.length === 0;
  };
  const drop = (attachment: Attachment) => {
    all = all.filter((each) => each !== attachment);
    draw();
    changed();
    at("reply").focus();
  };
  const upload = async (file: File, attachment: Attachment) => {
    const to = chat;
    try {
      const { id, size, type } = await api.upload(file);
      attachment.kept = { id, size, name: attachment.name, kind: type };
      if (chat !== to) return late(to, attachment.kept);
    } catch (error) {
      all = all.filter((each) => each !== attachment);
      problem(new Error(`${attachment.name} was not attached: ${error instanceof Error ? error.message : error}`));
    }
    draw();
    changed();
  };
  return {
    show(chatId, files) {
      chat = chatId;
      all = files.map((kept) => ({ ...kept, kept }));
      draw();
    },
    add(files) {
      for (const file of files) {
        const attachment = { name: file.name || "file", size: file.size, kind: kindOf(file) };
        const fault = faultOf(attachment.kind, file.size);
        if (fault) {
          problem(new Error(`${attachment.name} was not attached: ${fault}.`));
          continue;
        }
        all.push(attachment);
        void upload(file, attachment);
      }
      draw();
    },
    kept: () => all.flatMap(({ kept }) => kept ?? []),
    busy: () => all.some(({ kept }) => !kept),
  };
}

function chipOf({ name, size, kept }: Attachment, drop: () => void): HTMLElement {
  return el(
    "li",
    { class: "chip", "aria-busy": String(!kept) },
    icon(icons.file),
    el("span", { class: "file-name" }, name),
    el("small", {}, sizeWords(size)),
    iconButton(icons.close, `Remove ${name}`, drop),
  );
}
