import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { App } from "./apps.ts";
import type { Core } from "./core.ts";
import { granted } from "./oauth.ts";

export interface LoginPageParts {
  core: Core;
  /** Below the emulator, e.g. `/:version/dialog/oauth`. */
  path: string;
  /** What the person can choose. */
  choices(): { id: string; name: string }[];
  /** Objects that come with a choice. */
  nodesOf?(id: string): string[];
  user: string;
  /** Another network's dialog, for permissions of its own. */
  elsewhere?(scopes: string[]): string | undefined;
}

const BLOCKED =
  "URL Blocked: This redirect failed because the redirect URI is not whitelisted in the app's Client OAuth Settings.";

/** The login where a person lets an app in. */
export function loginPage(parts: LoginPageParts): Hono {
  const site = new Hono();
  site.get(parts.path, (c) => {
    const login = loginOf(c, parts);
    if (login instanceof Response) return login;
    const other = parts.elsewhere?.(login.scopes);
    if (other) return c.redirect(`${other}${new URL(c.req.url).search}`, 302);
    return c.html(<Consent {...login} choices={parts.choices()} />);
  });
  site.post(parts.path, async (c) => {
    const login = loginOf(c, parts);
    if (login instanceof Response) return login;
    const form = await c.req.parseBody({ all: true });
    return c.redirect(backFrom(parts, login, form), 302);
  });
  return site;
}

interface LoginAsked {
  app: App;
  redirectUri: string;
  state: string;
  scopes: string[];
}

function loginOf(c: Context, { core }: LoginPageParts): LoginAsked | Response {
  const { client_id = "", redirect_uri: redirectUri = "", state = "", scope = "" } = c.req.query();
  const app = core.apps.find(client_id);
  if (!app) return c.text("Invalid App ID: The provided app ID does not look like a valid app ID.", 400);
  const known = app.redirects.size === 0 ? isLocal(redirectUri) : app.redirects.has(redirectUri);
  if (!known) return c.text(BLOCKED, 400);
  return { app, redirectUri, state, scopes: scope.split(/[ ,]+/).filter(Boolean) };
}

/** An app without listed redirects is in development: its login returns to this machine. */
const isLocal = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127\.0\.0\.1|\[::1\]|.+\.(test|example))$/.test(new URL(url).hostname);

function backFrom(
  { core, nodesOf, user }: LoginPageParts,
  { app, redirectUri, state, scopes }: LoginAsked,
  form: Record<string, unknown>,
): string {
  const back = new URL(redirectUri);
  if (state) back.searchParams.set("state", state);
  if (form.cancel !== undefined) {
    const refused = {
      error: "access_denied",
      error_code: "200",
      error_description: "Permissions error",
      error_reason: "user_denied",
    };
    for (const [name, value] of Object.entries(refused)) back.searchParams.set(name, value);
    return back.href;
  }
  const chosen = [form.choice ?? []].flat().map(String);
  const nodes = chosen.flatMap((id) => [id, ...(nodesOf?.(id) ?? [])]);
  const refusedRights = [form.without ?? []].flat().map(String);
  const rights = scopes.filter((scope) => !refusedRights.includes(scope));
  back.searchParams.set("code", granted(core, app, { redirectUri, rights, nodes, user }));
  return back.href;
}

function Consent({ app, scopes, choices }: LoginAsked & { choices: { id: string; name: string }[] }) {
  return (
    <>
      {html`<!doctype html>`}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>Log in · Sandbox</title>
          <link rel="stylesheet" href="/sandbox.css" />
        </head>
        <body>
          <main>
            <h1>{`${app.name} wants access`}</h1>
            <form method="post">
              <fieldset>
                <legend>Choose what it may use</legend>
                {choices.map(({ id, name }) => (
                  <p>
                    <label>
                      <input type="checkbox" name="choice" value={id} checked /> {`${name} (${id})`}
                    </label>
                  </p>
                ))}
              </fieldset>
              <details>
                <summary>Permissions</summary>
                {scopes.map((scope) => (
                  <p>
                    <label>
                      <input type="checkbox" name="without" value={scope} /> {`refuse ${scope}`}
                    </label>
                  </p>
                ))}
              </details>
              <button type="submit">Continue</button>{" "}
              <button type="submit" name="cancel" value="1">
                Cancel
              </button>
            </form>
          </main>
        </body>
      </html>
    </>
  );
}
