import { randomUUID } from "node:crypto";
import { DeliveryError } from "gangway-messenger/errors";
import { featuresOf } from "gangway-messenger/features";
import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { TemplateUse } from "gangway-messenger/message";
import { type ChannelContext, type ChannelSession, defineChannel, type Receipt } from "gangway-messenger/port";
import type { Template, TemplateDraft } from "gangway-messenger/template";
import { z } from "zod";
import { inAll } from "../../../support/words.ts";
import { shown } from "./shown-letters.ts";

// Letters of a post office whose notary reads each template before it may be sent.

const settings = z.object({ office: z.string().min(1).default("north"), secret: z.string().default("wax") });

interface Letter {
  id: string;
  to: string;
  text: string;
  edited: boolean;
  gone: boolean;
}
export interface Office {
  letters: Letter[];
  templates: Map<string, Template>;
  /** Address of the channel that was connected last. */
  door?: string;
  /** Calls that reached it. */
  calls: string[];
  /** Runs before each call, and may throw. */
  before?(verb: string, signal: AbortSignal): Promise<void>;
  /** The same, after the call has had its effect. */
  after?(verb: string, signal: AbortSignal): Promise<void>;
}
const offices = new Map<string, Office>();
export const officeOf = (name: string): Office => {
  const known = offices.get(name) ?? { letters: [], templates: new Map(), calls: [] };
  offices.set(name, known);
  return known;
};

export const letters = defineChannel<z.infer<typeof settings>>({
  kind: "letters",
  title: "Sealed letters",
  settings,
  words: inAll({ office: { label: "Office" }, secret: { label: "What proves a letter" } }),
  features: () =>
    featuresOf(shown, {
      ...{ type: "custom", text: { maxLength: 400 }, templates: { creation: true } },
      ...{ firstContact: "template", afterReplyTimeout: "template" },
    }),
  capabilities: () => ({
    ...{ language: "en", text: 200, caption: 0, marks: false, webPictures: false },
    ...{ image: { most: 0, size: 0 }, file: { most: 0, size: 0 }, audio: { most: 0, size: 0 } },
    ...{ suggestions: [], albumButtons: false },
  }),
  pace: { perSecond: 100, perChat: () => ({ most: 100, everyMs: 100 }) },
  sendIdempotency: "none",
  bodyLimit: () => 4096,
  proof: ({ secret }) => ({ "x-seal": secret }),
  open,
});

function open({ settings: own, doorUrl }: ChannelContext<z.infer<typeof settings>>): ChannelSession {
  const office = officeOf(own.office);
  const call = async <T>(verb: string, signal: AbortSignal, act: () => T): Promise<T> => {
    signal.throwIfAborted();
    await office.before?.(verb, signal);
    office.calls.push(verb);
    const result = act();
    await office.after?.(verb, signal);
    return result;
  };
  const found = (id: string) => office.letters.find((letter) => letter.id === id);
  return {
    async connect() {
      office.door = doorUrl;
      return { name: `The ${own.office} office` };
    },
    disconnect: async () => {},
    receive: (request) => receive(request, own.secret),
    send: (step, { chat }, signal) =>
      call("send", signal, () => {
        const text = step.template ? filled(office, step.template) : step.text;
        if (step.files.length > 0 || text === "") throw refusal("a letter holds words only");
        const id = randomUUID();
        office.letters.push({ id, to: chat, text, edited: false, gone: false });
        return { parts: [{ messengerMessageId: id as MessengerMessageId, holds: "text" }] };
      }),
    revisions: {
      edit: ({ part, text }, _, signal) =>
        call(
          "edit letter",
          signal,
          () => void Object.assign(found(part.messengerMessageId) ?? {}, { text, edited: true }),
        ),
      delete: ({ messengerMessageId }, signal) =>
        call("burn", signal, () => void Object.assign(found(messengerMessageId) ?? {}, { gone: true })),
    },
    templates: {
      list: (signal) => call("list", signal, () => [...office.templates.values()]),
      create: (draft, signal) =>
        call("create", signal, () => {
          const code = `${draft.name.toLowerCase().replace(/\W+/g, "_")}#${draft.language}`;
          if (office.templates.has(code)) throw refusal(`the notary knows a template "${draft.name}" already`);
          return handIn(office, code, draft);
        }),
      edit: (code, draft, signal) =>
        call("edit", signal, () => {
          if (!office.templates.has(code)) throw refusal("the notary knows no such template");
          return handIn(office, code, draft);
        }),
      delete: (code, signal) => call("delete", signal, () => void office.templates.delete(code)),
    },
  };
}

const refusal = (words: string) => new DeliveryError({ type: "reject", code: "general" }, words);
const variablesIn = (text: string) => [...text.matchAll(/\{\{(\d+)\}\}/g)].map(([, n]) => Number(n));

function handIn(office: Office, code: string, { examples = {}, ...draft }: TemplateDraft): Template {
  const numbers = variablesIn(draft.body);
  if (numbers.some((n) => n > numbers.length)) throw refusal("number the variables from 1, without gaps");
  if ((examples.body ?? []).length < numbers.length) throw refusal("give an example of each variable");
  const template: Template = { ...draft, code, status: "pending" };
  office.templates.set(code, template);
  return template;
}

function filled({ templates }: Office, { code, body }: TemplateUse): string {
  const template = templates.get(code);
  if (template?.status !== "approved") throw refusal("the notary has not approved this template");
  if (variablesIn(template.body).some((n) => n > body.length)) throw refusal("a variable has no value");
  return template.body.replace(/\{\{(\d+)\}\}/g, (_, n) => body[Number(n) - 1] ?? "");
}

const posted = z.union([
  z.object({ id: z.string(), from: z.string(), text: z.string().min(1) }),
  z.object({ reviewed: z.string() }),
]);

async function receive(request: Request, secret: string): Promise<Receipt> {
  const nothing = (status: number): Receipt => ({ events: [], reply: new Response(null, { status }) });
  if (request.headers.get("x-seal") !== secret) return nothing(401);
  const { data } = posted.safeParse(await request.json().catch(() => undefined));
  if (!data) return nothing(200);
  if ("reviewed" in data) return { ...nothing(200), templatesChanged: true };
  const { id, from, text } = data;
  return {
    ...nothing(200),
    events: [
      {
        ...{ type: "message", key: id, chat: from as ChatId, messengerMessageId: id as MessengerMessageId, at: 0 },
        ...{ originator: "customer", customer: { id: from as CustomerId, nickname: from } },
        content: { type: "text", text },
      },
    ],
  };
}
