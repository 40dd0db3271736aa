import { defineAppChannel } from "gangway-messenger/apps";
import { answerJson, type Call } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import type { Features } from "gangway-messenger/features";
import { callFrom } from "gangway-messenger/kit/call";
import type { ChannelContext, ChannelSession, LoginFacts } from "gangway-messenger/port";
import { Hono } from "hono";
import { z } from "zod";
import { textOnly } from "../../../support/capabilities.ts";
import { inAll } from "../../../support/words.ts";

// A ferry line at which a vendor registers an app: people log in there and choose berths. A berth's ticket expires
// and can be renewed; the line tells how it rates a berth.

export const FERRY = "https://ferry.example";
export const FERRY_APP = { app: "app-1", secret: `the-secret-of-the-app-${"s".repeat(20)}` };

const settings = z.object({
  berth: z.string().min(1),
  ticket: z.string().min(8, "a ticket has 8 characters or more").meta({ secret: true }),
});
type Settings = z.infer<typeof settings>;
type Server = Partial<typeof FERRY_APP> & { dialog?: string };

interface Berth {
  id: string;
  name: string;
  about?: string;
  ticket: string;
}
const granted = z.object({
  berths: z.array(z.object({ id: z.string(), name: z.string(), about: z.string().optional(), ticket: z.string() })),
});

/** The ferry line itself: what a test sets up there, and what it was asked. */
export function ferryLine() {
  const line = {
    berths: [] as Berth[],
    /** Tickets that it honours, by berth. */
    tickets: new Map<string, string>(),
    down: false,
    codes: [] as string[],
    renewals: 0,
    standing: { facts: [] } as LoginFacts,
    standingsAsked: 0,
  };
  const site = new Hono();
  const honoured = (id: string, ticket = "") => line.tickets.get(id) === ticket;
  site.post("/token", async (c) => {
    const { code, secret } = (await c.req.json()) as Record<string, string>;
    if (secret !== FERRY_APP.secret) return c.json({ error: "another app's secret" }, 400);
    if (!code || line.codes.includes(code)) return c.json({ error: `the code ${code} is used or unknown` }, 400);
    line.codes.push(code);
    for (const { id, ticket } of line.berths) line.tickets.set(id, ticket);
    return c.json({ berths: line.berths });
  });
  site.get("/berths/:id", (c) =>
    honoured(c.req.param("id"), c.req.header("ticket")) ? c.json({}) : c.json({ error: "no such ticket" }, 401),
  );
  site.get("/berths/:id/standing", (c) => {
    line.standingsAsked += 1;
    return honoured(c.req.param("id"), c.req.header("ticket")) ? c.json(line.standing) : c.json({ error: "no" }, 401);
  });
  site.post("/berths/:id/renew", (c) => {
    const id = c.req.param("id");
    if (!honoured(id, c.req.header("ticket"))) return c.json({ error: "no such ticket" }, 401);
    line.renewals += 1;
    line.tickets.set(id, `renewed-ticket-${line.renewals}-${"r".repeat(20)}`);
    return c.json({ ticket: line.tickets.get(id) });
  });
  const reach = callFrom(site);
  /** Answers for the line, and leaves all other calls to `real`. */
  const call =
    (real: Call): Call =>
    async (request) => {
      if (!request.url.startsWith(FERRY)) return real(request);
      if (line.down) return { type: "failure", sent: "no", reason: "refused", detail: "ferry.example" };
      return reach(request);
    };
  return { line, call };
}

async function asked<T>(schema: z.ZodType<T>, result: ReturnType<Call>): Promise<T> {
  const answer = await result;
  if (answer.type === "failure") throw new DeliveryError({ type: "retry" }, `the ferry line: ${answer.reason}`);
  const body = answerJson(answer);
  if (answer.status === 200) return schema.parse(body);
  const type = answer.status === 401 ? ("reconnect" as const) : ("reject" as const);
  const said = z.object({ error: z.string() }).parse(body).error;
  throw new DeliveryError(type === "reject" ? { type, code: "general" } : { type }, said);
}

const features: Features = {
  ...{ type: "custom", text: { creating: "both", maxLength: 100 } },
  ...{ delivered: "none", read: "none", firstContact: "no", afterReplyTimeout: "no" },
};

export const ferry = defineAppChannel<Settings, Server>({
  ...{ kind: "ferry", title: "Ferry", settings },
  words: inAll({ berth: { label: "Berth" }, ticket: { label: "Ticket" } }),
  features: () => features,
  capabilities: () => textOnly(100),
  pace: { perSecond: 10, perChat: () => ({ most: 10, everyMs: 1000 }) },
  sendIdempotency: "native",
  bodyLimit: () => 1000,
  app: {
    forget: (own) => ({ ...own, ticket: "" }),
    isSetUp: ({ app }) => app !== undefined,
    bodyLimit: 1000,
    receive: async () => ({ parts: [], reply: new Response(null) }),
    login: {
      authorizeUrl: ({ redirectUrl, state }, { app = "", dialog = `${FERRY}/login` }) =>
        `${dialog}?${new URLSearchParams({ app, redirect: redirectUrl, state })}`,
      async choices({ query, redirectUrl, server, call }, signal) {
        const body = JSON.stringify({ code: query.code, secret: server.secret, redirectUrl });
        const { berths } = await asked(
          granted,
          call({ method: "POST", url: `${FERRY}/token`, body, timeoutMs: 5_000, signal }),
        );
        return berths.map(({ id, name, about, ticket }) => ({
          ...{ login: `ferry:${id}`, name, about },
          settings: { berth: id, ticket },
        }));
      },
    },
  },
  open: (context) => atBerth(context),
});

function atBerth({ settings: { berth, ticket }, call }: ChannelContext<Settings, Server>): ChannelSession {
  const at = (path: string, method: "GET" | "POST", signal: AbortSignal) =>
    call({ method, url: `${FERRY}/berths/${berth}${path}`, headers: { ticket }, timeoutMs: 5_000, signal });
  return {
    identify: async () => ({ id: `ferry:${berth}`, name: `Berth ${berth}` }),
    async connect(signal) {
      await asked(z.object({}), at("", "GET", signal));
      return { name: `Berth ${berth}` };
    },
    disconnect: async () => {},
    receive: async () => ({ events: [], reply: new Response(null) }),
    send: async () => ({ parts: [{ messengerMessageId: "1" as never, holds: "text" }] }),
    async renew(signal) {
      const renewed = await asked(z.object({ ticket: z.string() }), at("/renew", "POST", signal));
      return { berth, ...renewed };
    },
    standing: (signal) => asked(z.custom<LoginFacts>(), at("/standing", "GET", signal)),
  };
}
