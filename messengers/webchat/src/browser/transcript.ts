import type { Chat } from "./chat.ts";
import { el } from "./dom.ts";
import type { Format } from "./format.ts";
import type { ShownMessage } from "./history.ts";
import { Busy, type ShownFile } from "./protocol.ts";
import { strings } from "./strings/strings.ts";

/** How often a busy server is asked again. */
const MAX_TRIES = 5;

/** Loads the chat up to its first message. Rejects as the server does. */
export async function readAll(chat: Chat): Promise<void> {
  for (let tries = 0; chat.hasOlder(); ) {
    try {
      if ((await chat.readBack()) === 0 && chat.hasOlder()) throw new Error("the chat is not open");
    } catch (error) {
      tries += 1;
      if (!(error instanceof Busy) || tries > MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.afterMs));
    }
  }
}

type FileUrl = (file: ShownFile) => string;

function lineOf(message: ShownMessage, format: Format, fileUrl: FileUrl): string {
  const { from, author, at, text, files, deleted } = message;
  const who = from === "visitor" ? strings.you : (author?.name ?? "");
  const said = deleted ? [strings.deleted] : [text ?? "", ...files.map((file) => `${file.name} ${fileUrl(file)}`)];
  return `[${format.moment(at)}] ${who}: ${said.filter(Boolean).join("\n  ")}`;
}

/** Saves the whole conversation as a text file. Rejects as the server does. */
export async function saveTranscript(chat: Chat, title: string, format: Format, fileUrl: FileUrl): Promise<void> {
  await readAll(chat);
  const lines = chat.messages().map((message) => lineOf(message, format, fileUrl));
  // The byte order mark tells editors the encoding.
  const file = new Blob([`\ufeff${title}\n\n${lines.join("\n")}\n`], { type: "text/plain;charset=utf-8" });
  const href = URL.createObjectURL(file);
  el("a", { href, download: `${title.replace(/[^\p{L}\p{N}]+/gu, "-") || "chat"}.txt` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
