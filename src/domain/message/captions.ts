import { MAX_NAME } from "../text/links.ts";
import { lengthOf, type TextUnit } from "../text/split.ts";
import { captionRoom, type FileRules, kindOf } from "./file-kinds.ts";
import type { Content, FilePart, FilesContent } from "./message.ts";

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

function withCaptions(content: FilesContent, rules: CaptionRules): FilesContent {
  const { type, files, note = "" } = content;
  const isLink = (file: FilePart) => kindOf(type, file, rules, []) === "link";
  const hasRoom = (file: FilePart, caption: string) => {
    const kind = kindOf(type, file, rules, []);
    if (kind === "link") return caption.length <= MAX_NAME;
    return rules.ownCaptions && lengthOf(caption, rules.textUnit) <= captionRoom(kind, rules);
  };
  const bare = files.map((file) => withWords(file, note));
  const loose = bare.filter((file) => file.caption && !hasRoom(file, file.caption));
  const [first] = bare;
  // The note stands under the first file.
  const isTaken = note !== "" || loose.length > 0;
  if (first?.caption && isTaken && !isLink(first) && !loose.includes(first)) loose.unshift(first);
  if (loose.length === 0) return { ...content, files: bare };
  const words = [note, ...loose.map(({ caption }) => caption)].filter(Boolean).join("\n");
  return { ...content, note: words, files: bare.map((file) => (loose.includes(file) ? bareOf(file) : file)) };
}

/** The gateway gives a file's name as its caption where nobody has written one. */
const FILE_NAME =
  /^[^\n/\\]+\.(jpe?g|png|gif|webp|heic|bmp|tiff?|svg|mp4|mov|avi|mkv|webm|3gp|mp3|m4a|ogg|oga|opus|wav|aac|amr|pdf|docx?|xlsx?|pptx?|odt|ods|rtf|txt|csv|zip|rar|7z|html?|xml|json)$/i;

/** Without a caption that says nothing new. */
function withWords({ caption, ...file }: FilePart, note: string): FilePart {
  const words = caption?.trim();
  if (!words || words === note.trim() || words === file.name) return file;
  return FILE_NAME.test(words) ? { ...file, name: file.name ?? words } : { ...file, caption: words };
}

const bareOf = ({ caption: _, ...file }: FilePart): FilePart => file;
