import type { App } from "./apps.ts";
import type { Core } from "./core.ts";
import type { Asked, Operation } from "./graph.ts";
import { badToken, plainRefusal, refusal } from "./graph-error.ts";
import { faultOf, type Token } from "./tokens.ts";

const HOUR_MS = 3_600_000;
/** Life of a login's token, and of a long-lived one. */
const SHORT_MS = 2 * HOUR_MS;
const LONG_MS = 60 * 24 * HOUR_MS;

const field = ({ query, body }: Asked, name: string): string => {
  const value = query[name] ?? body[name];
  if (typeof value !== "string" || value === "") throw refusal(100, `The parameter ${name} is required`);
  return value;
};
const given = (asked: Asked, name: string) => asked.query[name] ?? asked.body[name];

/** `<app id>|<app secret>`. Throws GraphRefusal. */
export function appByToken({ apps }: Core, value: string | undefined): App {
  const [id = "", secret = ""] = value?.split("|") ?? [];
  const app = apps.find(id);
  if (!app || app.secret !== secret) throw badToken();
  return app;
}

/** The objects that a permission of this token is for. */
type TargetsOf = (scope: string, token: Token) => string[];

/** Tokens of the app and of the login, and what debugging says of them. */
export function oauthOperations(core: Core, targetsOf: TargetsOf = (_, { nodes }) => [...nodes]): Operation[] {
  const exchange = (asked: Asked) => exchanged(core, asked);
  return [
    { id: "exchangeToken", method: "GET", path: "/oauth/access_token", run: exchange },
    { id: "exchangeToken", method: "POST", path: "/oauth/access_token", run: exchange },
    { id: "debugToken", method: "GET", path: "/debug_token", run: (asked) => debugged(core, asked, targetsOf) },
    {
      id: "listSubscriptions",
      method: "GET",
      path: "/:appId{\\d+}/subscriptions",
      run: (asked) => listed(core, asked),
    },
    {
      id: "subscribeObject",
      method: "POST",
      path: "/:appId{\\d+}/subscriptions",
      run: (asked) => subscribed(core, asked),
    },
    {
      id: "unsubscribeObject",
      method: "DELETE",
      path: "/:appId{\\d+}/subscriptions",
      run: (asked) => unsubscribed(core, asked),
    },
  ];
}

function exchanged(core: Core, asked: Asked): object {
  const app = core.apps.check(field(asked, "client_id"), field(asked, "client_secret"));
  const grant = given(asked, "grant_type");
  if (grant === "client_credentials") return { access_token: `${app.id}|${app.secret}`, token_type: "bearer" };
  if (grant === "fb_exchange_token") return lengthened(core, app, field(asked, "fb_exchange_token"));
  const value = core.apps.redeem(field(asked, "code"), app, String(given(asked, "redirect_uri") ?? ""));
  return answerOf(core.tokens.check(value), core);
}

function lengthened(core: Core, app: App, value: string): object {
  const token = core.tokens.check(value);
  if (token.app !== app.id)
    throw plainRefusal(190, "Error validating access token: The access token does not belong to application", {
      status: 400,
    });
  const { value: _, ...same } = token;
  const longer = core.tokens.add({ ...same, expiresAt: core.clock.now() + LONG_MS });
  return answerOf(longer, core);
}

const answerOf = ({ value, expiresAt }: Token, { clock }: Core) => ({
  access_token: value,
  token_type: "bearer",
  ...(expiresAt !== undefined && { expires_in: Math.floor((expiresAt - clock.now()) / 1000) }),
});

/** A code for a person who said yes to the app's login. */
export function granted(
  core: Core,
  app: App,
  { redirectUri, rights, nodes, user }: { redirectUri: string; rights: string[]; nodes: string[]; user: string },
): string {
  const expiresAt = core.clock.now() + SHORT_MS;
  const { value } = core.tokens.add({ app: app.id, type: "USER", user, rights, nodes, expiresAt });
  return core.apps.newCode({ app: app.id, redirectUri, token: value });
}

/** Both an app's token and the token itself may ask. */
function debugged(core: Core, asked: Asked, targetsOf: TargetsOf): object {
  const input = field(asked, "input_token");
  const asker = asked.tokenValue?.includes("|") ? appByToken(core, asked.tokenValue).id : asked.token().app;
  const token = core.tokens.find(input);
  if (!token) {
    const { code, message } = badToken().body;
    return { data: { error: { code, message: message.split(" - ")[0] }, is_valid: false, scopes: [] } };
  }
  if (token.app !== asker) throw refusal(100, "The App_id in the input_token did not match the Viewing App");
  const fault = faultOf(token, core.clock.now());
  const seconds = (ms: number | undefined) => (ms === undefined ? 0 : Math.floor(ms / 1000));
  return {
    data: {
      app_id: token.app,
      type: token.type,
      application: core.apps.find(token.app)?.name,
      data_access_expires_at: 0,
      expires_at: seconds(token.expiresAt),
      is_valid: fault === undefined,
      issued_at: seconds(token.issuedAt),
      scopes: [...token.rights],
      granular_scopes: [...token.rights].map((scope) => ({ scope, target_ids: targetsOf(scope, token) })),
      user_id: token.user,
      ...(fault && {
        error: { code: fault.body.code, message: fault.body.message, subcode: fault.body.error_subcode },
      }),
    },
  };
}

function ownApp(core: Core, asked: Asked): App {
  const app = appByToken(core, asked.tokenValue);
  if (app.id !== asked.path.appId) throw refusal(200, "Provide valid app ID", { status: 403 });
  return app;
}

/** The console's webhook, set by the API. */
async function subscribed(core: Core, asked: Asked): Promise<object> {
  const app = ownApp(core, asked);
  field(asked, "object");
  const fields = field(asked, "fields").split(",");
  const strange = core.fields && fields.findIndex((name) => !core.fields?.includes(name));
  if (strange !== undefined && strange >= 0)
    throw refusal(
      100,
      `(#100) Param fields[${strange}] must be one of {${core.fields?.join(", ").toUpperCase()}} - got "${fields[strange]}".`,
    );
  const webhook = { url: field(asked, "callback_url"), verifyToken: field(asked, "verify_token") };
  await core.confirm(webhook);
  app.webhook = webhook;
  app.fields = fields;
  return { success: true };
}

function listed(core: Core, asked: Asked): object {
  const { webhook, fields = [] } = ownApp(core, asked);
  if (!webhook) return { data: [] };
  const named = fields.map((name) => ({ name, version: asked.path.version ?? "v26.0" }));
  return { data: [{ object: core.object, callback_url: webhook.url, active: true, fields: named }] };
}

function unsubscribed(core: Core, asked: Asked): object {
  const app = ownApp(core, asked);
  app.webhook = undefined;
  app.fields = undefined;
  return { success: true };
}
