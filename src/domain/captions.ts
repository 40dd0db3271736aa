import { type FileRules, kindOf } from "./file-kinds.ts";
import { MAX_NAME } from "./links.ts";
import type { Content, FilePart } from "./message.ts";
import { lengthOf, type TextUnit } from "./split.ts";

type Files = Extract<Content, { files: FilePart[] }>;

/** As in `Capabilities`. */
interface CaptionRules extends FileRules {
  ownCaptions?: true;
  textUnit?: TextUnit;
}

/**
 * Leaves each file's own caption where the messenger shows it, under its file or as the name of its link, and moves all others
 * into the note: a caption may be longer than what fits there, and many messengers have one caption for all.
 */
export const captioned = (content: Content, rules: CaptionRules): Content =>
  "files" in content ? withCaptions(content, rules) : content;

function withCaptions(content: Files, rules: CaptionRules): Files {
  const { type, files, note = "" } = content;
  const isLink = (file: FilePart) => kindOf(type, file, rules, []) === "link";
  const hasRoom = (file: FilePart, caption: string) =>
    isLink(file) ? caption.length <= MAX_NAME : rules.ownCaptions && lengthOf(caption, rules.textUnit) <= rules.caption;
  // It says nothing new.
  const bare = files.map(({ caption, ...file }) => {
    const words = caption?.trim();
    return words && words !== note.trim() && words !== file.name ? { ...file, caption: words } : file;
  }) as FilePart[];
  const loose = bare.filter((file) => file.caption && !hasRoom(file, file.caption));
  const [first] = bare;
  // The note stands under the first file.
  const isTaken = note !== "" || loose.length > 0;
  if (first?.caption && isTaken && !isLink(first) && !loose.includes(first)) loose.unshift(first);
  if (loose.length === 0) return { ...content, files: bare };
  const words = [note, ...loose.map(({ caption }) => caption)].filter(Boolean).join("\n");
  return { ...content, note: words, files: bare.map((file) => (loose.includes(file) ? bareOf(file) : file)) };
}

const bareOf = ({ caption: _, ...file }: FilePart): FilePart => file;
