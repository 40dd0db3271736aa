import { HARBOUR_BOT_TOKEN, LIGHTHOUSE_BOT_TOKEN } from "gangway-telegram/emulator/world";
import { ask } from "./ask.ts";
import { alertIn } from "./page-text.ts";

/** A person's visit to the account page of the module. */
export interface Visit {
  /** Adds a messenger; returns the resulting page. Throws with the page's error text if refused. */
  add(kind: string, name: string, settings: Record<string, string>, unsure?: string): Promise<string>;
  /** Gives a messenger other settings. Throws with the page's error text if refused. */
  change(id: string, name: string, settings: Record<string, string>, unsure?: string): Promise<string>;
  look(): Promise<string>;
  /** Ids of the messengers that the page lists. */
  channels(): Promise<string[]>;
  /** Presses the button of a path under the account's own page; returns the page that follows. Throws if it is refused. */
  press(path: string, fields?: Record<string, string>): Promise<string>;
  /** Removes the messengers that the page lists; returns the page's answers. */
  removeAll(): Promise<string[]>;
  /** Switches the module off, as its page offers. */
  disconnect(): Promise<string>;
  /** The page of messages that ended undelivered. */
  lookAtFailed(): Promise<string>;
  /** The pages that tell what became of the messages with this text. */
  lookAtStories(text: string): Promise<string>;
  /** Path of the account's own page. */
  home: string;
  /** Of its session. */
  cookie: string;
}
export interface WebChat {
  /** The key in the shop's script tag. */
  channel: string;
  snippet: string;
}

/**
 * Submits the module's form and opens the account page. `from`: client IP address, for a server behind a trusted proxy. `by`
 * carries the requests.
 */
export async function connectThroughForm(
  server: string,
  crm: string,
  apiKey: string,
  from?: string,
  by: typeof ask = ask,
): Promise<Visit> {
  const submit = (url: string, fields: Record<string, string>, cookie?: string, more = {}) => {
    const headers = { origin: new URL(url).origin, ...(cookie && { cookie }), ...more };
    return by(url, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });
  };
  const proxied = from === undefined ? undefined : { "x-forwarded-for": from };
  const connected = await submit(`${server}/`, { crmUrl: crm, apiKey }, undefined, proxied);
  const cookie = connected.headers.get("set-cookie")?.split(";")[0];
  if (connected.status !== 303 || !cookie)
    throw new Error(`the form was refused: ${problemOf(await connected.text())}`);
  const page = async (path: string) => {
    const answer = await by(`${server}${path}`, { headers: { cookie } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return answer.text();
  };
  const home = new URL(connected.headers.get("location") ?? "", server).pathname;
  const look = () => page(home);
  const formToken = /name="formToken" value="([^"]+)"/.exec(await look())?.[1] ?? "";
  const press: Visit["press"] = async (path, fields = {}) => {
    const pressed = await submit(`${server}${home}${path}`, { formToken, ...fields }, cookie);
    if (pressed.status === 303) return page(pressed.headers.get("location") ?? "");
    if (pressed.status === 200) return pressed.text();
    throw new Error(`${path} was refused: ${problemOf(await pressed.text())}`);
  };
  const channels = async () => {
    const ids = (await look()).matchAll(/\/channels\/([\w-]+)"/g);
    return [...new Set([...ids].map(([, id = ""]) => id))];
  };
  return {
    look,
    channels,
    press,
    async removeAll() {
      const ids = await channels();
      if (ids.length === 0) throw new Error("the account page lists no messenger");
      return Promise.all(ids.map((id) => press(`/channels/${id}/remove`)));
    },
    disconnect: () => press("/disconnect"),
    home,
    lookAtFailed: () => page(`${home}/undelivered?state=dead`),
    async lookAtStories(text) {
      const ids = new Set(
        [...(await press("/messages", { text })).matchAll(/\/messages\/(\d+)"/g)].map(([, id]) => id),
      );
      return (await Promise.all([...ids].map((id) => page(`${home}/messages/${id}`)))).join("\n");
    },
    cookie,
    add: (kind, name, settings, unsure) => press("/channels", { kind, ...fieldsOf(name, settings, unsure) }),
    change: (id, name, settings, unsure) => press(`/channels/${id}`, fieldsOf(name, settings, unsure)),
  };
}

const fieldsOf = (name: string, settings: Record<string, string>, unsure?: string): Record<string, string> => ({
  ...{ name, ...(unsure && { unsure }) },
  ...Object.fromEntries(Object.entries(settings).map(([field, value]) => [`setting.${field}`, value])),
});

/** Adds a web chat and reads its script tag from the page. */
export async function addWebChat(visit: Visit): Promise<WebChat> {
  const page = await visit.add("webchat", "Shop chat", {
    title: "Quay & Co.",
    greeting: "Hello! Ask us anything about ropes and knots.",
    accent: "#0f5f6b",
    allowedOrigins: "",
  });
  const snippet =
    /&lt;script.*?&lt;\/script&gt;/
      .exec(page)?.[0]
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"') ?? "";
  const channel = /data-channel="([\w-]+)" async/.exec(snippet)?.[1];
  if (!channel) throw new Error("the account page shows no script tag");
  return { channel, snippet };
}

export interface BotSetUp {
  name: string;
  token: string;
  updates: "webhook" | "polling";
  /** Policy for messages that may have arrived. */
  unsure?: "resend" | "hold";
}

export const POLLING_BOT: BotSetUp = { name: "Lighthouse bot", token: LIGHTHOUSE_BOT_TOKEN, updates: "polling" };
/** One bot with a webhook and one that polls. */
export const DEMO_BOTS: BotSetUp[] = [
  { name: "Harbour bot", token: HARBOUR_BOT_TOKEN, updates: "webhook" },
  POLLING_BOT,
];

export async function addBot(visit: Visit, { name, token, updates, unsure = "resend" }: BotSetUp): Promise<void> {
  await visit.add("telegram", name, { token, updates, language: "en", groups: "off" }, unsure);
}

const problemOf = (page: string) => alertIn(page) || "no reason given";
