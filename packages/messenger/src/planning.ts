import { cardOf, orderCard, productCard } from "./card.ts";
import { captioned, captionRoom, isUnderFile, kindOf, roomUnder, withLinkLines } from "./content.ts";
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
import type { Capabilities, EditStep, Loss, Plan, SendStep, SentPart, Step } from "./plan.ts";
import { lengthOf, linkRoom, splitText } from "./text.ts";

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

/** Without a page of its own it has the address of its picture, unless that is shown. */
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
