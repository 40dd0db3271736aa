import type { MessengerMessageId } from "./ids.ts";
import type { Content, OutboundAct } from "./message.ts";
import {
  type Capabilities,
  contentText,
  type EditStep,
  emptyStep,
  type Plan,
  planContent,
  type SendStep,
  type SentPart,
  type Step,
  type Work,
  withLines,
} from "./plan.ts";
import { splitText } from "./split.ts";

// How a message that is there becomes another, or none.

type Edited = Extract<OutboundAct, { type: "edited" }>;

/** What has to be done so that a message that is there in parts says something else. */
export function planEdit({ content, suggestions = [] }: Edited, parts: SentPart[], capabilities: Capabilities): Plan {
  const shown = suggestions.filter((each) => capabilities.suggestions.includes(each.type));
  const { words, suggestions: kept } = withLines(contentText(content, capabilities), shown, capabilities);
  const texts = parts.filter(({ holds }) => holds === "text");
  const holders = texts.length > 0 ? texts : parts.filter(({ holds }) => holds === "caption").slice(0, 1);
  const first = holders[0]?.holds === "caption" ? capabilities.caption : capabilities.text;
  const pieces = words.text ? splitText(words, capabilities.text, first) : [];
  const bearer = Math.max(1, pieces.length) - 1;
  const steps: Step[] = holders.map((part, n) => {
    const piece = pieces[n];
    if (!piece && part.holds === "text") return { do: "delete", part };
    const { text, marks } = piece ?? { text: "", marks: [] };
    const anew = anewOf(part, parts, content, capabilities);
    return { do: "edit", part, text, marks, suggestions: n === bearer ? kept : [], ...(anew && { anew }) };
  });
  for (const [n, piece] of pieces.entries())
    if (n >= holders.length) steps.push({ ...emptyStep("text"), ...piece, suggestions: n === bearer ? kept : [] });
  const from = steps.findIndex((step) => step.do === "edit" && isFixed(step, capabilities));
  return { steps: sentAnew(steps, from) ?? steps, losses: [] };
}

const isFixed = ({ part, suggestions }: EditStep, { fixes = () => false }: Capabilities): boolean =>
  part.fixed === true || suggestions.some(fixes);

/** A text is its words; a caption needs its file, which is known where it is the only one. */
function anewOf(part: SentPart, parts: SentPart[], content: Content, capabilities: Capabilities): EditStep["anew"] {
  if (part.holds === "text") return { kind: "text", files: [] };
  if (parts.some(({ holds }) => holds === "media")) return undefined;
  const [head, ...others] = planContent(content, { text: "", marks: [] }, capabilities).steps;
  if (head?.files.length !== 1 || others.length > 0) return undefined;
  return { kind: head.kind, files: head.files };
}

/**
 * The steps with all parts from one on deleted and sent anew, in order: one alone would come to stand behind those that follow
 * it. Undefined where one of them cannot be sent anew.
 */
export function sentAnew(steps: Step[], from: number): Step[] | undefined {
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

export const planDeletion = (parts: SentPart[]): Plan => ({
  steps: parts.map((part) => ({ do: "delete", part })),
  losses: [],
});

/** What an edit has made of a message so far: parts that are new or say something else, and parts that are gone for good. */
export function changesOf({ plan: { steps }, progress }: Work): { parts: SentPart[]; removed: MessengerMessageId[] } {
  const replaced = new Set(
    steps.flatMap((step) => (step.do === "send" ? (step.instead?.messengerMessageId ?? []) : [])),
  );
  const removed = carriedOut({ plan: { steps, losses: [] }, progress }).flatMap((step) =>
    step.do === "delete" && !replaced.has(step.part.messengerMessageId) ? [step.part.messengerMessageId] : [],
  );
  return { parts: progress.parts, removed };
}

const isRefused = ({ refused = [] }: Work["progress"], n: number) => refused.some(({ step }) => step === n);

export const carriedOut = ({ plan, progress }: Work): Step[] =>
  plan.steps.filter((_, n) => n < progress.done && !isRefused(progress, n));
/** Refused, or not come to. */
export const leftUndone = ({ plan, progress }: Work): Step[] =>
  plan.steps.filter((_, n) => n >= progress.done || isRefused(progress, n));
