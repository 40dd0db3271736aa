import { type Clock, deadline, pause } from "gangway-messenger/clock";
import { singleFlight } from "gangway-messenger/concurrency";
import { DeliveryError, type ErrorCode, errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { Templates } from "gangway-messenger/port";
import { STATUSES, type Template, type TemplateDraft, type TemplateStatus } from "gangway-messenger/template";
import * as z from "zod";
import type { Channel } from "../../domain/channel.ts";
import { sameWords } from "../../domain/message.ts";
import type { TemplateWebhook } from "../../gateway/webhook.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import { readTemplates, type Sessions } from "../sessions/sessions.ts";

/** Carries out an agent's act at the messenger, while the gateway waits for the answer. A repeat gets the same answer. */
export type ActOnTemplate = (channel: Channel, webhook: TemplateWebhook, refuse: Refuse) => Promise<WebhookAnswer>;

interface Parts {
  store: Pick<Store, "notes">;
  sessions: Pick<Sessions, "of" | "featuresOf">;
  /** Templates being created, by channel: the gateway does not know their codes yet. */
  creating: Creating;
  clock: Clock;
  /** Called after an act, and after one whose outcome is unknown. */
  changed(channel: Channel): void;
  log: Log;
}

/** Key prefix of our notes, for every kind of channel. */
export const TEMPLATE_NOTES = "template-act:";
/** Time for the messenger, ms: the gateway's page waits 10 s. */
const ANSWER_MS = 8_000;
const SLACK_MS = 500;

const templateAnswer = z.object({ code: z.string(), status: z.enum(STATUSES) });
/** Codes that the messenger had before the first try; `isWhole`: whether that was its whole list. */
const triedBefore = z.object({ known: z.array(z.string()), isWhole: z.boolean() });
const actNote = z.object({ tried: triedBefore.optional(), done: templateAnswer.optional() });
type TemplateAnswer = z.infer<typeof templateAnswer>;
type EarlierTry = z.infer<typeof triedBefore>;
type ActNote = z.infer<typeof actNote>;

export class Creating {
  readonly #running = new Map<ChannelId, Set<Promise<unknown>>>();
  readonly #made = new Map<string, number>();

  async run(channel: ChannelId, clock: Clock, act: () => Promise<TemplateAnswer>): Promise<TemplateAnswer> {
    const creation = act();
    const ended = Promise.race([creation.catch(() => {}), pause(clock, ANSWER_MS + SLACK_MS)]);
    const running = this.#running.get(channel) ?? new Set();
    this.#running.set(channel, running.add(ended));
    try {
      const made = await creation;
      this.#made.set(`${channel} ${made.code}`, clock.monotonic());
      return made;
    } finally {
      running.delete(ended);
      if (running.size === 0) this.#running.delete(channel);
    }
  }

  /** Resolves when no creation is under way, or when waiting takes too long. */
  async settled(channel: ChannelId): Promise<void> {
    await Promise.allSettled(this.#running.get(channel) ?? []);
  }

  /** Whether the code was made within `ms`: the gateway may not have read our answer, nor the messenger list it. */
  isNew(channel: ChannelId, code: string, clock: Clock, ms: number): boolean {
    const key = `${channel} ${code}`;
    const at = this.#made.get(key);
    if (at !== undefined && clock.monotonic() - at < ms) return true;
    this.#made.delete(key);
    return false;
  }
}

export function createActOnTemplate(parts: Parts): ActOnTemplate {
  const { sessions, clock, changed, log } = parts;
  // The gateway may repeat a call that is still under way.
  const once = singleFlight<TemplateAnswer | undefined>();
  const run = async (acting: Acting) => {
    const { signal, end } = deadline(clock, ANSWER_MS);
    try {
      return await carriedOut(parts, acting, signal);
    } catch (error) {
      throw signal.aborted && !(error instanceof DeliveryError) ? late() : error;
    } finally {
      end();
      changed(acting.channel);
    }
  };
  return async (channel, webhook, refuse) => {
    const { templates } = sessions.of(channel);
    if (!templates) return refuse(422, "general", "This messenger has no templates");
    if (webhook.act.do === "create" && !sessions.featuresOf(channel).templates?.creation)
      return refuse(422, "general", "Templates are made at the messenger");
    try {
      const running = once(`${channel.id} ${webhook.key}`, () => run({ channel, templates, webhook }));
      // Also when the session ignores its signal.
      const done = await Promise.race([running, pause(clock, ANSWER_MS + SLACK_MS).then(() => Promise.reject(late()))]);
      if (!done) return { status: 200, body: {} };
      return { status: 200, body: { code: done.code, verification_status: done.status } };
    } catch (error) {
      log.warn("template.failed", { channel: channel.id, act: webhook.act.do, error: errorText(error) });
      return refusal(error, webhook.act.do === "create", refuse);
    }
  };
}

const late = () => new DeliveryError({ type: "unsure" }, LATE);

const LATE =
  "The messenger did not answer in time. If it has taken the template, it appears in the list within minutes; look there before you create it again";

/** A new template's refusal is shown to the waiting agent; for other acts the gateway repeats the call. */
function refusal(error: unknown, isNew: boolean, refuse: Refuse): WebhookAnswer {
  if (!(error instanceof DeliveryError)) throw error;
  const { verdict, message } = error;
  if (verdict.type === "reject") return refuse(422, verdict.code, message);
  if (isNew && verdict.type === "unsure") return refuse(422, "general", LATE);
  const status = isNew || verdict.type === "reconnect" ? 422 : 503;
  return refuse(status, "general", `The messenger did not take the template (${message}). Try again later`);
}

interface Acting {
  channel: Channel;
  templates: Templates;
  webhook: TemplateWebhook;
}

/** Carries out the act; resolves with the answer for the gateway. */
async function carriedOut(parts: Parts, acting: Acting, signal: AbortSignal): Promise<TemplateAnswer | undefined> {
  const { channel, templates, webhook } = acting;
  const { act } = webhook;
  const key = TEMPLATE_NOTES + webhook.key;
  const save = (value: ActNote | undefined) =>
    parts.store.notes.set(channel.id, [{ key, value: value ? JSON.stringify(value) : "" }]);
  const before = await parts.store.notes.get(channel.id, key);
  const { done, tried } = before ? actNote.parse(JSON.parse(before)) : {};
  if (done) return act.do === "create" ? done : undefined;
  if (act.do === "create") {
    const { draft } = act;
    const made = await parts.creating.run(channel.id, parts.clock, () =>
      created(parts, { channel, templates, draft, tried, save }, signal),
    );
    await save({ done: made });
    return made;
  }
  if (act.do === "edit") await templates.edit(act.code, act.draft, signal);
  else await templates.delete(act.code, signal);
  await save({ done: { code: act.code, status: "pending" } });
  return undefined;
}

interface Creation extends Omit<Acting, "webhook"> {
  draft: TemplateDraft;
  /** Set if an earlier try had an unknown outcome. */
  tried?: EarlierTry;
  save(note: ActNote | undefined): Promise<void>;
}

/** Recorded before the call: after a crash or a lost answer the messenger is asked first. */
async function created(parts: Parts, creation: Creation, signal: AbortSignal): Promise<TemplateAnswer> {
  const { channel, templates, draft, tried, save } = creation;
  if (tried) {
    const found = madeBefore(await templates.list(signal), draft, tried);
    if (found) return answerOf(found);
  } else {
    const { at, templates: rows } = await readTemplates(parts.store.notes, channel.id);
    await save({ tried: { known: rows.map(({ code }) => code), isWhole: at !== undefined } });
  }
  try {
    return answerOf(await templates.create(draft, signal));
  } catch (error) {
    const isSurelyNot = error instanceof DeliveryError && error.verdict.type !== "unsure" && !signal.aborted;
    if (isSurelyNot) await save(undefined);
    throw error;
  }
}

/**
 * Finds a template that an earlier try has made: a new one with the draft's texts. Its name must match unless the
 * earlier list was complete, since the messenger may respell names.
 */
function madeBefore(listed: Template[], draft: TemplateDraft, { known, isWhole }: EarlierTry): Template | undefined {
  const fresh = listed.filter((each) => !known.includes(each.code) && sameWords(each, draft));
  return fresh.find((each) => bareName(each) === bareName(draft)) ?? (isWhole ? fresh[0] : undefined);
}

const bareName = ({ name }: TemplateDraft) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
const answerOf = ({ code, status }: Template): TemplateAnswer => ({ code, status });

/** The answer to the gateway; its body is one of the contract's webhook answers. */
export interface WebhookAnswer {
  status: 200 | 400 | 403 | 404 | 422 | 503;
  body:
    | { async: true }
    | Record<string, never>
    | { code: string; verification_status: TemplateStatus }
    | { error: { code: ErrorCode; message: string } };
}

export type Refuse = (status: 400 | 403 | 404 | 422 | 503, code: ErrorCode, message: string) => WebhookAnswer;
