import type { Job, Task } from "../../../domain/delivery/delivery.ts";
import { excerptOf } from "../../../domain/delivery/plan.ts";
import type { Work } from "../../../domain/delivery/work.ts";
import { wordsIn } from "../../../domain/message/content.ts";
import type { Customer } from "../../../domain/message/message.ts";
import type { MessageRow } from "../schema.ts";

// What the row of a message holds.

type ContentRow = Pick<MessageRow, "direction" | "payload" | "work">;

/** A message's task and progress; undefined when the row is damaged. */
export function contentOf({ direction, payload, work }: ContentRow): Pick<Job, "task" | "work"> | undefined {
  try {
    const subject = JSON.parse(payload ?? "");
    const task = (direction === "inbound" ? { direction, event: subject } : { direction, act: subject }) as Task;
    const content = { task, work: work === null ? undefined : (JSON.parse(work) as Work) };
    return isSubject(subject) && isWork(content.work) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** The customer that a message is from; undefined for anything else. */
export function customerOf(row: ContentRow): Customer | undefined {
  if (row.direction !== "inbound") return undefined;
  const task = contentOf(row)?.task;
  return task?.direction === "inbound" && task.event.type === "message" ? task.event.customer : undefined;
}

/** How a message's text begins. */
export function beginningOf(row: ContentRow): string | undefined {
  const task = contentOf(row)?.task;
  if (!task || task.direction === "ack") return undefined;
  const subject = task.direction === "inbound" ? task.event : task.act;
  if (subject.type === "message") return excerptOf(wordsIn(subject.content).text);
  return excerptOf("text" in subject && typeof subject.text === "string" ? subject.text : "");
}

/** Minimal, because it runs for every claim. May throw TypeError on other JSON. */
function isSubject(subject: { type: unknown; chat: unknown; content: { type: unknown; files?: unknown } }): boolean {
  if (typeof subject.type !== "string" || typeof subject.chat !== "string") return false;
  if (subject.type !== "message") return true;
  const { content } = subject;
  return typeof content.type === "string" && (!("files" in content) || Array.isArray(content.files));
}

const isWork = (work: Work | undefined): boolean =>
  work === undefined || (Array.isArray(work.plan.steps) && typeof work.progress.done === "number");

/** Failed tries kept: the first and the latest. */
export const MAX_TRIES = 10;

/** A column of tries with one more. */
export function oneMore(tries: string | null, at: number, error: string): string {
  const all = JSON.parse(tries ?? "[]") as unknown[];
  if (all.length >= MAX_TRIES) all.splice(1, 1);
  return JSON.stringify([...all, [at, error]]);
}
