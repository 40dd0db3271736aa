import { type CardLanguage, type MarkedText, orderCard, productCard } from "./card.ts";
import type { MessengerMessageId } from "./ids.ts";
import { buttonLine, linkRoom } from "./links.ts";
import type { Loss } from "./loss.ts";
import type {
  Author,
  Content,
  FilePart,
  Hindrance,
  Mark,
  OutboundMessage,
  Product,
  Quote,
  Suggestion,
} from "./message.ts";
import { splitText } from "./split.ts";

/** How a messenger takes a message: what fits into one call. Lengths count UTF-16 units. */
export interface Capabilities {
  language: CardLanguage;
  /** Most units of a text; of a text that goes with files, 0 where files go without. */
  text: number;
  caption: number;
  /** Whether texts can be formatted. */
  marks: boolean;
  image: FileLimits;
  file: FileLimits;
  audio: FileLimits;
  /** Whether the messenger itself fetches a picture from an address of the web. */
  webPictures: boolean;
  suggestions: Suggestion["type"][];
  /** Which of them cannot stand in one message with the others: beside those they are lines of the text. */
  apart?(suggestion: Suggestion): boolean;
  /** Which of them keep a message that bears them from being edited. */
  fixes?(suggestion: Suggestion): boolean;
  /** Whether buttons can stand under several files. */
  albumButtons: boolean;
}
interface FileLimits {
  /** Most files in one call; 0: this kind goes as plain files. */
  most: number;
  /** Bytes. */
  size: number;
}

/** A part of a message that the messenger holds, and where in it the words are. */
export interface SentPart {
  messengerMessageId: MessengerMessageId;
  holds: "text" | "caption" | "media";
  /** The messenger does not let it be edited; absent where that is not known. */
  fixed?: true;
  /** How its words begin. */
  words?: string;
  /** Of a part that an edit has made: the part in whose place it is. */
  instead?: MessengerMessageId;
}

/** Most characters of a message that are kept to name it. */
const NAMED_BY = 80;
export const namedBy = (words: string): string | undefined => [...words].slice(0, NAMED_BY).join("") || undefined;

export interface SendStep {
  do: "send";
  kind: "text" | "image" | "file" | "audio";
  /** Of files: the caption. */
  text: string;
  marks: Mark[];
  files: FilePart[];
  /** Files that do not fit are named here, for a line with their address in it. */
  links: FilePart[];
  suggestions: Suggestion[];
  quote?: Quote;
  author?: Author;
  /** The part that it is sent in place of, which a step before has deleted. */
  instead?: SentPart;
}
/** Puts other words into a part. */
export interface EditStep {
  do: "edit";
  part: SentPart;
  text: string;
  marks: Mark[];
  /** Those that stay under the message. */
  suggestions: Suggestion[];
  /** What the part is sent anew with where it cannot be edited; absent where that cannot be done, either. */
  anew?: Pick<SendStep, "kind" | "files">;
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
/** One call to the messenger: the smallest thing that is delivered whole or not at all. */
export type Step = SendStep | EditStep | DeleteStep | ReadStep | ReactStep;

export interface Plan {
  steps: Step[];
  losses: Loss[];
}

/** How far a plan has been carried out; kept with it, so that a crash repeats one step at most. */
export interface Progress {
  /** Steps that are behind us. */
  done: number;
  /** The next step was perhaps carried out, at this time at the earliest; ms. */
  since?: number;
  /** What the messenger made of them. */
  parts: SentPart[];
  losses: Loss[];
  /** Those of a change that the messenger refused, by number. */
  refused?: RefusedStep[];
}
export interface RefusedStep {
  step: number;
  /** The messenger's words. */
  said: string;
  hindrance?: Hindrance;
}
export interface Work {
  plan: Plan;
  progress: Progress;
}

export const beginning = (plan: Plan): Work => ({ plan, progress: { done: 0, parts: [], losses: plan.losses } });

/** What has to be sent for a message, in order, and what is lost on the way. Never empty. */
export function planMessage(message: OutboundMessage, capabilities: Capabilities): Plan {
  const [shown, dropped] = sorted(message.suggestions, (each) => capabilities.suggestions.includes(each.type));
  const { words, suggestions: kept } = withLines(contentText(message.content, capabilities), shown, capabilities);
  const { steps, losses } = planContent(message.content, words, capabilities);
  for (const { title } of dropped) losses.push({ code: "buttons", about: title });
  const bearer = kept.length > 0 ? bearerOf(steps, capabilities) : undefined;
  if (bearer) bearer.suggestions = kept;
  else for (const { title } of kept) losses.push({ code: "buttons", about: title });
  for (const step of steps) step.author = message.author;
  const [first] = steps;
  if (first) first.quote = message.quote;
  return { steps, losses };
}

/** Before the text is split: with the lines it may need one message more. */
export function withLines(words: MarkedText, suggestions: Suggestion[], { apart = () => false }: Capabilities) {
  const [links, keys] = sorted(suggestions, apart);
  if (links.length === 0 || keys.length === 0) return { words, suggestions };
  const text = [words.text, ...links.map(buttonLine)].filter(Boolean).join("\n");
  return { words: { ...words, text }, suggestions: keys };
}

/** The step that the buttons stand under: the last; where that is an album, its words become a step of their own. */
function bearerOf(steps: SendStep[], capabilities: Capabilities): SendStep | undefined {
  const last = steps.at(-1);
  if (!last || capabilities.albumButtons || last.files.length < 2) return last;
  const worded = steps.find((step) => step.text);
  if (!worded) return undefined;
  const bearer = { ...emptyStep("text"), text: worded.text, marks: worded.marks };
  Object.assign(worded, { text: "", marks: [] });
  steps.push(bearer);
  return bearer;
}

interface ContentPlan {
  steps: SendStep[];
  losses: Loss[];
}

export function planContent(content: Content, words: MarkedText, capabilities: Capabilities): ContentPlan {
  if (content.type === "product") return planProduct(content.product, words, capabilities);
  if (!("files" in content)) return textPlan(words, capabilities);
  const losses: Loss[] = [];
  const calls = filesByCall(content, capabilities, losses);
  const [head] = calls;
  if (!head) return textPlan(words, capabilities);
  // The words stand with the first files; those that do not fit there follow as texts of their own.
  if (head.kind !== "text" && words.text.length <= capabilities.caption) {
    Object.assign(head, words);
    return { steps: calls, losses };
  }
  const texts = textPlan(words, capabilities).steps.filter((step) => step.text);
  return { steps: [...calls, ...texts], losses };
}

/** The words of a message that is no file. */
export function contentText(content: Content, capabilities: Pick<Capabilities, "language" | "marks">): MarkedText {
  const text = ((): MarkedText => {
    switch (content.type) {
      case "text":
        return { text: content.text, marks: [] };
      case "product":
        return productCard(content.product, capabilities.language, content.text);
      case "order":
        return orderCard(content.order, capabilities.language, content.text);
      default:
        return { text: content.note ?? "", marks: [] };
    }
  })();
  // On a card the agent's own words come first.
  text.marks.unshift(...(content.marks ?? []));
  return capabilities.marks ? text : { ...text, marks: [] };
}

export const emptyStep = (kind: SendStep["kind"]): SendStep => ({
  do: "send",
  kind,
  text: "",
  marks: [],
  files: [],
  links: [],
  suggestions: [],
});

function textPlan(text: MarkedText, capabilities: Capabilities): ContentPlan {
  const steps = splitText(text, capabilities.text).map((piece) => ({ ...emptyStep("text"), ...piece }));
  return { steps, losses: [] };
}

/** A product is its picture with the card under it, where the messenger fetches pictures and the card fits. */
function planProduct({ image, name }: Product, card: MarkedText, capabilities: Capabilities): ContentPlan {
  if (!image || !/^https:\/\//.test(image)) return textPlan(card, capabilities);
  if (!capabilities.webPictures || capabilities.image.most === 0 || card.text.length > capabilities.caption) {
    const plan = textPlan(card, capabilities);
    return { ...plan, losses: [{ code: "picture-as-link", about: name }] };
  }
  const step = { ...emptyStep("image"), ...card, files: [{ file: { at: "web" as const, url: image } }] };
  return { steps: [step], losses: [] };
}

type Files = Extract<Content, { files: FilePart[] }>;

/** Files in calls of one kind each, in their order; one that is too large becomes a link. */
function filesByCall(content: Files, capabilities: Capabilities, losses: Loss[]): SendStep[] {
  const calls: SendStep[] = [];
  for (const file of content.files) {
    const kind = kindOf(content.type, file, capabilities, losses);
    const before = calls.at(-1);
    const call =
      before && takes(before, kind, file, capabilities) ? before : emptyStep(kind === "link" ? "text" : kind);
    if (call !== before) calls.push(call);
    (kind === "link" ? call.links : call.files).push(file);
  }
  return calls;
}

function takes(
  { kind, files, links }: SendStep,
  as: Files["type"] | "link",
  file: FilePart,
  capabilities: Capabilities,
): boolean {
  if (as === "link") return kind === "text" && linkRoom([...links, file]) <= capabilities.text;
  return kind === as && files.length < capabilities[as].most;
}

function kindOf(
  type: Files["type"],
  file: FilePart,
  capabilities: Capabilities,
  losses: Loss[],
): Files["type"] | "link" {
  const size = file.size ?? 0;
  const about = file.caption || file.name;
  if (capabilities[type].most > 0 && size <= capabilities[type].size) return type;
  if (type !== "file" && capabilities.file.most > 0 && size <= capabilities.file.size) {
    if (type === "image") losses.push({ code: "picture-as-file", about });
    return "file";
  }
  losses.push({ code: "file-as-link", about });
  return "link";
}

function sorted<T>(all: T[], fits: (one: T) => boolean): [T[], T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}
