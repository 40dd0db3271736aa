import type { MessengerMessageId } from "./ids.ts";
import type { Language } from "./language.ts";
import type {
  Author,
  FilePart,
  FilesContent,
  Mark,
  Order,
  Product,
  Quote,
  Suggestion,
  TemplateUse,
} from "./message.ts";
import type { TextUnit } from "./text.ts";

/** What fits into one call of a messenger. Lengths count UTF-16 units, or what `textUnit` says. */
export interface Capabilities extends FileRules {
  language: Language;
  /** Maximum length of a text. */
  text: number;
  /** Default: UTF-16 units. */
  textUnit?: TextUnit;
  /** Each file of a call can have a caption of its own, which the adapter sets. */
  ownCaptions?: true;
  marks: boolean;
  /** Formatting that it shows, where that is less than all that marks can say. */
  formats?: Mark["type"][];
  /** Products with a picture go as cards of the messenger's own. Absent: as a picture and text. */
  cards?: CardLimits;
  /** It also takes products and orders as they are, beside the words that say the same. */
  items?: true;
  suggestions: Suggestion["type"][];
  /** Suggestions that cannot be combined with others in one message; next to others they become lines of text. */
  exclusive?(suggestion: Suggestion): boolean;
  /** Of suggestions that share a message, those that do not fit as buttons; they become lines of text. */
  asLines?: AsLines;
  /** Suggestions that make their message uneditable. */
  preventsEditing?(suggestion: Suggestion): boolean;
  albumButtons: boolean;
}

/** A sent part of a message, and where in it the text is. */
export interface SentPart {
  messengerMessageId: MessengerMessageId;
  /** `template`: its words are the messenger's, so they cannot be edited. */
  holds: "text" | "caption" | "media" | "template";
  /** Not editable at the messenger; absent if unknown. */
  fixed?: true;
  /** How its text begins. */
  words?: string;
  /** Of a part made by an edit: the part it replaces. */
  instead?: MessengerMessageId;
}

export interface SendStep {
  do: "send";
  kind: "text" | "image" | "file" | "audio";
  /** With files: the caption. */
  text: string;
  marks: Mark[];
  files: FilePart[];
  /** Files that do not fit: the relay adds a line with the URL of each to `text` before it sends the step. */
  links: FilePart[];
  suggestions: Suggestion[];
  quote?: Quote;
  author?: Author;
  /** A message by template; `text` is what it says, for readers. */
  template?: TemplateUse;
  /** A card of the messenger's own; `text` says the same. */
  card?: Card;
  /** Of a network that takes `items`. */
  item?: { product: Product } | { order: Order };
  /** The part it replaces, deleted by an earlier step. */
  instead?: SentPart;
}

export interface EditStep {
  do: "edit";
  part: SentPart;
  text: string;
  marks: Mark[];
  /** The suggestions that stay under the message. */
  suggestions: Suggestion[];
  /** How to resend the part if it cannot be edited; absent if that is impossible. */
  anew?: Pick<SendStep, "kind" | "files">;
}

/** A difference between what the agent wrote and what the customer gets. */
export interface Loss {
  code: "file-as-link" | "picture-as-file" | "picture-as-link" | "buttons" | "part";
  /** The file's name, the button's title, or the messenger's own message. */
  about?: string;
}

export type FileType = FilesContent["type"];

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

/** `hasFile`: they may stand under a file. */
export type AsLines = (suggestions: Suggestion[], text: string, hasFile: boolean) => Suggestion[];

/** A product as a messenger's own card shows it. */
export interface Card {
  title: string;
  /** May be empty. */
  subtitle: string;
  /** HTTPS addresses. */
  picture: string;
  link?: { title: string; url: string };
}

/** Longest lines, UTF-16 units. */
export interface CardLimits {
  title: number;
  subtitle: number;
}

export interface DeleteStep {
  do: "delete";
  part: SentPart;
}

export interface ReadStep {
  do: "read";
  part: SentPart;
}

export interface ReactStep {
  do: "react";
  part: SentPart;
  reaction: string | null;
}

/** One call to the messenger: the unit that is delivered whole or not at all. */
export type Step = SendStep | EditStep | DeleteStep | ReadStep | ReactStep;

export interface Plan {
  steps: Step[];
  losses: Loss[];
}
