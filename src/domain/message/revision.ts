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
} from "../delivery/plan.ts";
import type { Work } from "../delivery/work.ts";
import type { MessengerMessageId } from "../ids.ts";
import { splitText } from "../text/split.ts";
import { withLinkLines } from "./button-lines.ts";
import { captioned } from "./captions.ts";
import { roomUnder } from "./file-kinds.ts";
import type { Content, OutboundAct } from "./message.ts";

// Edits and deletions of sent messages.

type Edited = Extract<OutboundAct, { type: "edited" }>;

/** The steps that give a message, sent in parts, its new content. */
export function planEdit(
  { content: edited, suggestions = [] }: Edited,
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

export const planDeletion = (parts: SentPart[]): Plan => ({
  steps: parts.map((part) => ({ do: "delete", part })),
  losses: [],
});

/** The result of an edit so far: new or changed parts, and parts deleted for good. */
export function changesOf({ plan: { steps }, progress }: Work): { parts: SentPart[]; removed: MessengerMessageId[] } {
  const replaced = new Set(
    steps.flatMap((step) => (step.do === "send" ? (step.instead?.messengerMessageId ?? []) : [])),
  );
  const removed = appliedSteps({ plan: { steps, losses: [] }, progress }).flatMap((step) =>
    step.do === "delete" && !replaced.has(step.part.messengerMessageId) ? [step.part.messengerMessageId] : [],
  );
  return { parts: progress.parts, removed };
}

const isRefused = ({ refused = [] }: Work["progress"], n: number) => refused.some(({ step }) => step === n);

export const appliedSteps = ({ plan, progress }: Work): Step[] =>
  plan.steps.filter((_, n) => n < progress.done && !isRefused(progress, n));
/** Steps refused or not reached. */
export const unappliedSteps = ({ plan, progress }: Work): Step[] =>
  plan.steps.filter((_, n) => n >= progress.done || isRefused(progress, n));
