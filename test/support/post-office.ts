import { randomUUID } from "node:crypto";
import type { Call } from "gangway-messenger/call";
import type { Template, TemplateDraft } from "gangway-messenger/template";
import { letters, officeOf } from "../system/contract/toy/letters.ts";
import { fastClock } from "./clock.ts";
import { listening } from "./listening.ts";
import { CRM, OWN, runningSite } from "./site.ts";
import { until } from "./until.ts";

export const draftOf = (change: Partial<TemplateDraft> = {}): TemplateDraft => ({
  ...{
    name: "Order ready",
    language: "en",
    category: "utility",
    body: "Hello {{1}}, order {{2}} is ready.",
    buttons: [],
  },
  ...change,
});
export const templateOf = (code: string, change: Partial<Template> = {}): Template => ({
  ...draftOf(),
  ...{ name: code, code, status: "approved" },
  ...change,
});

/** A server and a CRM with one channel of letters; the CRM's webhooks reach the server. */
export async function postOffice(changes: { call?: (real: Call) => Call; templates?: Template[] } = {}) {
  const name: string = randomUUID();
  const office = officeOf(name);
  for (const template of changes.templates ?? []) office.templates.set(template.code, template);
  const clock = fastClock();
  const site = await runningSite({ adapters: [letters], clock, call: changes.call });
  const cookie = await site.connect();
  const { world } = site.sandbox;
  const registration = world.modules.get("gangway")?.registration;
  const hook = registration?.integrations.mgTransport;
  const path = new URL(hook?.webhookUrl ?? "").pathname;
  const origin = await listening(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { "content-type": "application/json", clientid: String(request.headers.clientid) };
    const answer = await site.ask(request.url ?? "", {
      method: "POST",
      headers,
      body: Buffer.concat(chunks).toString(),
    });
    reply.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  if (hook) hook.webhookUrl = origin + path;
  const add = async (title: string, of = name) => {
    const fields = { formToken: await site.formToken(cookie), kind: "letters", name: title, "setting.office": of };
    const added = await site.submit("/account/channels", fields, { cookie });
    return /channels\/([\w-]{22})/.exec(added.headers.get("location") ?? "")?.[1] ?? "";
  };
  /** For the first channel, a form needs a page with one: the adding page has the token, too. */
  const page = await (await site.ask("/account/add/letters", { headers: { cookie } })).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const form = { formToken, kind: "letters", name: "Letters", "setting.office": name };
  const added = await site.submit("/account/channels", form, { cookie });
  const id = /channels\/([\w-]{22})/.exec(added.headers.get("location") ?? "")?.[1] ?? "";
  const channel = [...world.channels.keys()].at(-1) ?? 0;
  const token = [...world.users.values()][0]?.token ?? "";
  const json = async (method: string, at: string, body?: unknown) => {
    const headers = { "content-type": "application/json", "x-bot-token": token };
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const answer = await site.sandbox.fetch(new Request(CRM + at, init), {});
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> & { errors?: string[] } };
  };
  const agent = (method: string, at: string, body?: unknown) => json(method, `/sandbox/agent${at}`, body);
  const knock = (body: object) =>
    site.ask((office.door ?? "").replace(OWN, ""), {
      ...{ method: "POST", headers: { "x-seal": "wax" }, body: JSON.stringify(body) },
    });
  return {
    ...{ ...site, clock, office, cookie, id, channel, agent, add, clientId: registration?.clientId ?? "", formToken },
    asUser: (method: string, at: string, body?: unknown) => json(method, `/api/bot/v1${at}`, body),
    /** Posts to the gateway's webhook, as the gateway does. */
    hook: (type: string, data: object, timestamp = 1) =>
      site.ask(path, {
        ...{ method: "POST", headers: { clientid: registration?.clientId ?? "" } },
        body: JSON.stringify({ type, meta: { timestamp }, data: { channel_id: channel, ...data } }),
      }),
    says: (from: string, text: string) => knock({ id: randomUUID(), from, text }),
    /** The messenger's decision, of which it tells. */
    async reviews(code: string, change: Partial<Template>) {
      Object.assign(office.templates.get(code) ?? {}, change);
      await knock({ reviewed: code });
    },
    atGateway: (of = channel) =>
      Object.fromEntries(
        world.templates.filter((each) => each.channelId === of).map((each) => [each.code ?? "", each]),
      ),
    /** The page's own button. */
    synchronise: () => site.submit(`/account/channels/${id}/templates`, { formToken }, { cookie }),
    look: async (language = "en") =>
      (
        await site.ask(`/account/channels/${id}`, { headers: { cookie: `${cookie}; gangway-language=${language}` } })
      ).text(),
    /** Of the transport API about templates: `POST code`, `PUT code` … */
    written: () =>
      site.sandbox.calls
        .entries(false)
        .filter((call) => /Template$/.test(call.operation) && call.method !== "GET" && call.side !== "webhook")
        .map((call) => call.operation),
    until,
  };
}
