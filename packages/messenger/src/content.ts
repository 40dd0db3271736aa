import type { Content, FilePart, FilesContent, MarkedText, Suggestion } from "./message.ts";
import type { AsLines, FileRules, FileType, Loss } from "./plan.ts";
import { buttonLine, lengthOf, MAX_NAME, type TextUnit } from "./text.ts";

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

/** As in `Capabilities`. */
interface ButtonRules {
  exclusive?(suggestion: Suggestion): boolean;
  asLines?: AsLines;
}

/** Moves suggestions into the text if they cannot be combined or do not fit. Before the split: it may add a message. */
export function withLinkLines(
  words: MarkedText,
  suggestions: Suggestion[],
  { exclusive = () => false, asLines = () => [] }: ButtonRules,
  hasFile: boolean,
) {
  if (suggestions.length === 0) return { words, suggestions };
  const keys = suggestions.filter((each) => !exclusive(each));
  const isMixed = keys.length > 0 && keys.length < suggestions.length;
  const alone = isMixed ? keys : suggestions;
  const unfit = asLines(alone, words.text, hasFile);
  const lines = suggestions.filter((each) => !alone.includes(each) || unfit.includes(each));
  if (lines.length === 0) return { words, suggestions };
  const text = [words.text, ...lines.map(buttonLine)].filter(Boolean).join("\n");
  return { words: { ...words, text }, suggestions: alone.filter((each) => !unfit.includes(each)) };
}
