import { cardOf, orderCard, productCard } from "./card.ts";
import type {
  Author,
  Content,
  FilePart,
  FilesContent,
  MarkedText,
  Product,
  Quote,
  Suggestion,
  TemplateUse,
} from "./message.ts";
import type {
  AsLines,
  Capabilities,
  EditStep,
  FileRules,
  FileType,
  Loss,
  Plan,
  SendStep,
  SentPart,
  Step,
} from "./plan.ts";
import { buttonLine, lengthOf, linkRoom, MAX_NAME, splitText, type TextUnit } from "./text.ts";

/** An agent's message, as far as its plan depends on it. */
export interface ToSend {
  content: Content;
  suggestions: Suggestion[];
  quote?: Quote;
  author?: Author;
  /** Sent in place of the content. */
  template?: TemplateUse;
}

/** The steps that send a message, in order, and what is lost. Never empty. */
export function planMessage(message: ToSend, capabilities: Capabilities): Plan {
  if (message.template) return planTemplate(message, message.template, capabilities);
  const content = captioned(message.content, capabilities);
  const isSupported = ({ type }: Suggestion) => capabilities.suggestions.includes(type);
  const supported = message.suggestions.filter(isSupported);
  const unsupported = message.suggestions.filter((each) => !isSupported(each));
  const { words, suggestions: buttons } = withLinkLines(
    contentText(content, capabilities),
    supported,
    capabilities,
    isUnderFile(content, capabilities),
  );
  const { steps, losses } = planContent(content, words, capabilities);
  for (const { title } of unsupported) losses.push({ code: "buttons", about: title });
  const buttonStep = buttons.length > 0 ? buttonStepOf(steps, capabilities) : undefined;
  if (buttonStep) buttonStep.suggestions = buttons;
  else for (const { title } of buttons) losses.push({ code: "buttons", about: title });
  for (const step of steps) step.author = message.author;
  const [first] = steps;
  if (first) first.quote = message.quote;
  const item = capabilities.items && itemOf(content);
  if (first && item) first.item = item;
  return { steps, losses };
}

function itemOf(content: Content): SendStep["item"] {
  if (content.type === "product") return { product: content.product };
  return content.type === "order" ? { order: content.order } : undefined;
}

/** The messenger puts the text together. */
function planTemplate(
  { content, suggestions, author, quote }: ToSend,
  template: TemplateUse,
  capabilities: Capabilities,
): Plan {
  const { text } = contentText(content, capabilities);
  const losses = suggestions.map(({ title }): Loss => ({ code: "buttons", about: title }));
  return { steps: [{ ...emptyStep("text"), text, template, author, quote }], losses };
}

/** The step that carries the buttons: the last; if that is an album, its text becomes a step of its own. */
function buttonStepOf(steps: SendStep[], capabilities: Capabilities): SendStep | undefined {
  const last = steps.at(-1);
  if (!last || capabilities.albumButtons || last.files.length < 2) return last;
  const textStep = steps.find((step) => step.text);
  if (!textStep) return undefined;
  const buttonStep = { ...emptyStep("text"), text: textStep.text, marks: textStep.marks };
  Object.assign(textStep, { text: "", marks: [] });
  steps.push(buttonStep);
  return buttonStep;
}

interface ContentPlan {
  steps: SendStep[];
  losses: Loss[];
}

export function planContent(content: Content, words: MarkedText, capabilities: Capabilities): ContentPlan {
  if (content.type === "product")
    return planCard(content, words, capabilities) ?? planProduct(content.product, words, capabilities);
  if (!("files" in content)) return textPlan(words, capabilities);
  const losses: Loss[] = [];
  const calls = filesByCall(content, capabilities, losses);
  const [head] = calls;
  if (!head) return textPlan(words, capabilities);
  // The text is the first files' caption; if it does not fit, it follows as texts of its own.
  if (head.kind !== "text" && lengthOf(words.text, capabilities.textUnit) <= captionRoom(head.kind, capabilities)) {
    Object.assign(head, words);
    return { steps: calls, losses };
  }
  const texts = textPlan(words, capabilities).steps.filter((step) => step.text);
  return { steps: [...calls, ...texts], losses };
}

/** The text of a message, or the note of its files. */
export function contentText(content: Content, capabilities: Capabilities): MarkedText {
  const text = ((): MarkedText => {
    switch (content.type) {
      case "text":
        return { text: content.text, marks: [] };
      case "product":
        return productCard(addressed(content.product, capabilities), capabilities.language, content.text);
      case "order":
        return orderCard(content.order, capabilities.language, content.text);
      default:
        return { text: content.note ?? "", marks: [] };
    }
  })();
  // On a card the agent's own text comes first.
  text.marks.unshift(...(content.marks ?? []));
  return capabilities.marks ? text : { ...text, marks: [] };
}

/** Whether the customer sees the product's picture itself. */
const isPictured = ({ image }: Product, { webPictures, image: pictures }: Capabilities): boolean =>
  webPictures === true && pictures.most > 0 && /^https:\/\//.test(image ?? "");

/** Without a page of its own the product is linked by its picture's address, unless the picture is shown. */
const addressed = (product: Product, capabilities: Capabilities): Product =>
  product.url || isPictured(product, capabilities) ? product : { ...product, url: product.image };

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
  const steps = splitText(text, capabilities.text, { unit: capabilities.textUnit }).map((piece) => ({
    ...emptyStep("text"),
    ...piece,
  }));
  return { steps, losses: [] };
}

type ProductContent = Extract<Content, { type: "product" }>;

/** The agent's own words, then the card. Undefined: buttons have become lines of the words, or it does not fit. */
function planCard(content: ProductContent, words: MarkedText, capabilities: Capabilities): ContentPlan | undefined {
  const { cards, language, text: most, textUnit } = capabilities;
  const card = cards && cardOf(content.product, language, cards);
  const { text } = productCard(content.product, language);
  const isWhole = words.text === contentText(content, capabilities).text;
  if (!card || !isWhole || lengthOf(`${text}\n${card.picture}`, textUnit) > most) return undefined;
  const files = [{ file: { at: "web" as const, url: card.picture } }];
  const own = content.text ? textPlan({ text: content.text, marks: content.marks ?? [] }, capabilities).steps : [];
  return { steps: [...own, { ...emptyStep("image"), text, files, card }], losses: [] };
}

/** The picture, if the messenger fetches pictures; the card is its caption, or follows where it does not fit. */
function planProduct(product: Product, card: MarkedText, capabilities: Capabilities): ContentPlan {
  const { image, name } = product;
  if (!image || !/^https:\/\//.test(image)) return textPlan(card, capabilities);
  const isTooLong = lengthOf(card.text, capabilities.textUnit) > captionRoom("image", capabilities);
  if (!isPictured(product, capabilities)) {
    const plan = textPlan(card, capabilities);
    return { ...plan, losses: [{ code: "picture-as-link", about: name }] };
  }
  const picture = { ...emptyStep("image"), files: [{ file: { at: "web" as const, url: image } }] };
  if (isTooLong) return { steps: [picture, ...textPlan(card, capabilities).steps], losses: [] };
  return { steps: [{ ...picture, ...card }], losses: [] };
}

/** Groups files into calls of one kind each, in order; an oversized file becomes a link. */
function filesByCall(content: FilesContent, capabilities: Capabilities, losses: Loss[]): SendStep[] {
  const calls: SendStep[] = [];
  for (const file of content.files) {
    const kind = kindOf(content.type, file, capabilities, losses);
    const before = calls.at(-1);
    const call = before && fits(before, kind, file, capabilities) ? before : emptyStep(kind === "link" ? "text" : kind);
    if (call !== before) calls.push(call);
    (kind === "link" ? call.links : call.files).push(file);
  }
  return calls;
}

function fits(
  { kind, files, links }: SendStep,
  as: FilesContent["type"] | "link",
  file: FilePart,
  capabilities: Capabilities,
): boolean {
  if (as === "link") return kind === "text" && linkRoom([...links, file]) <= capabilities.text;
  return kind === as && files.length < capabilities[as].most;
}

// Edits and deletions of sent messages.

/** The steps that give a message, sent in parts, its new content. */
export function planEdit(
  { content: edited, suggestions = [] }: Pick<ToSend, "content" | "suggestions">,
  parts: SentPart[],
  capabilities: Capabilities,
): Plan {
  const content = captioned(edited, capabilities);
  const supported = suggestions.filter((each) => capabilities.suggestions.includes(each.type));
  const hasFile = parts.some(({ holds }) => holds === "caption" || holds === "media");
  const text = contentText(content, capabilities);
  const { words, suggestions: kept } = withLinkLines(text, supported, capabilities, hasFile);
  const texts = parts.filter(({ holds }) => holds === "text");
  const holders = texts.length > 0 ? texts : parts.filter(({ holds }) => holds === "caption").slice(0, 1);
  const first = holders[0]?.holds === "caption" ? roomUnder(content, capabilities) : capabilities.text;
  const pieces = words.text ? splitText(words, capabilities.text, { first, unit: capabilities.textUnit }) : [];
  const last = Math.max(1, pieces.length) - 1;
  const steps: Step[] = holders.map((part, n) => {
    const piece = pieces[n];
    if (!piece && part.holds === "text") return { do: "delete", part };
    const { text, marks } = piece ?? { text: "", marks: [] };
    const anew = resendOf(part, parts, content, capabilities);
    return { do: "edit", part, text, marks, suggestions: n === last ? kept : [], ...(anew && { anew }) };
  });
  for (const [n, piece] of pieces.entries())
    if (n >= holders.length) steps.push({ ...emptyStep("text"), ...piece, suggestions: n === last ? kept : [] });
  const from = steps.findIndex((step) => step.do === "edit" && isUneditable(step, capabilities));
  return { steps: resendFrom(steps, from) ?? steps, losses: [] };
}

const isUneditable = ({ part, suggestions }: EditStep, { preventsEditing = () => false }: Capabilities): boolean =>
  part.fixed === true || suggestions.some(preventsEditing);

/** How to resend a part. A caption needs its file, which is known only if it is the only one. */
function resendOf(part: SentPart, parts: SentPart[], content: Content, capabilities: Capabilities): EditStep["anew"] {
  if (part.holds === "text") return { kind: "text", files: [] };
  if (parts.some(({ holds }) => holds === "media")) return undefined;
  const [head, ...others] = planContent(content, { text: "", marks: [] }, capabilities).steps;
  if (head?.files.length !== 1 || others.length > 0) return undefined;
  return { kind: head.kind, files: head.files };
}

/**
 * The steps with all parts from `from` on deleted and resent, in order: a part resent alone would land after those that
 * follow it. Undefined if one of them cannot be resent.
 */
export function resendFrom(steps: Step[], from: number): Step[] | undefined {
  if (from < 0) return undefined;
  const rest = steps.slice(from);
  if (rest.some((step) => step.do === "edit" && !step.anew)) return undefined;
  const deletions = rest.flatMap((step): Step[] =>
    step.do === "edit" || step.do === "delete" ? [{ do: "delete", part: step.part }] : [],
  );
  const sends = rest.flatMap((step): SendStep[] => {
    if (step.do === "send") return [step];
    if (step.do !== "edit" || !step.anew) return [];
    const { part, text, marks, suggestions, anew } = step;
    return [{ ...emptyStep(anew.kind), files: anew.files, text, marks, suggestions, instead: part }];
  });
  return [...steps.slice(0, from), ...deletions, ...sends];
}

// Positions: captions, words under a file, suggestions.

const captionRoom = (type: FileType, rules: FileRules): number => rules[type].caption ?? rules.caption;

/** How many of a message's words fit under its file, or under its product's picture. */
const roomUnder = (content: Content, rules: FileRules): number =>
  captionRoom("files" in content ? content.type : "image", rules);

/** Whether the words of a message may stand under a file or picture. */
function isUnderFile(content: Content, rules: FileRules): boolean {
  const mayStand = "files" in content || (content.type === "product" && content.product.image && rules.webPictures);
  return Boolean(mayStand) && roomUnder(content, rules) > 0;
}

/** Decides as what kind a file is sent. Adds what is lost. */
function kindOf(type: FileType, file: FilePart, rules: FileRules, losses: Loss[]): FileType | "link" {
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
const captioned = (content: Content, rules: CaptionRules): Content =>
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

/** Where nobody has written a caption, the gateway gives the file's name. */
const FILE_NAME =
  /^[^\n/\\]+\.(jpe?g|png|gif|webp|heic|bmp|tiff?|svg|mp4|mov|avi|mkv|webm|3gp|mp3|m4a|ogg|oga|opus|wav|aac|amr|pdf|docx?|xlsx?|pptx?|odt|ods|rtf|txt|csv|zip|rar|7z|html?|xml|json)$/i;

/** Drops a caption that says nothing new. */
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
function withLinkLines(
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
