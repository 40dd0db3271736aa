import type { Loss } from "../delivery/loss.ts";
import type { Content, FilePart, FilesContent } from "./message.ts";

type FileType = FilesContent["type"];

/** What a messenger takes as a picture, a file or a voice message. */
export interface FileRules extends Record<FileType, FileLimits> {
  /** Maximum length of a caption; 0: files have none. */
  caption: number;
  /** Whether the messenger itself fetches pictures from the web. */
  webPictures: boolean;
}
interface FileLimits {
  /** Maximum files in one call; 0: this kind is sent as plain files. */
  most: number;
  /** Maximum length of its caption, where it differs. */
  caption?: number;
  /** Bytes. */
  size: number;
}

export const captionRoom = (type: FileType, rules: FileRules): number => rules[type].caption ?? rules.caption;

/** How much of a message's words may stand under its file, or under its product's picture. */
export const roomUnder = (content: Content, rules: FileRules): number =>
  captionRoom("files" in content ? content.type : "image", rules);

/** Whether the words of a message may stand under a file or picture. */
export function isUnderFile(content: Content, rules: FileRules): boolean {
  const mayStand = "files" in content || (content.type === "product" && content.product.image && rules.webPictures);
  return Boolean(mayStand) && roomUnder(content, rules) > 0;
}

/** As what a file goes. Adds what is lost. */
export function kindOf(type: FileType, file: FilePart, rules: FileRules, losses: Loss[]): FileType | "link" {
  const size = file.size ?? 0;
  const about = file.caption || file.name;
  if (rules[type].most > 0 && size <= rules[type].size) return type;
  if (type !== "file" && rules.file.most > 0 && size <= rules.file.size) {
    if (type === "image") losses.push({ code: "picture-as-file", about });
    return "file";
  }
  losses.push({ code: "file-as-link", about });
  return "link";
}
