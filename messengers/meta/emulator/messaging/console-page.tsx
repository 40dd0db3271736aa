import { Page } from "gangway-messenger/kit/emulator/phone-page";
import { Hono } from "hono";
import type { App } from "../apps.ts";
import { GraphRefusal } from "../graph-error.ts";
import type { Platform } from "./network.ts";

/** The app's page in Meta's developer console, as far as a module needs it: addresses to type in, keys to copy. */
export function consolePage({ core, network }: Platform): Hono {
  const site = new Hono();
  site.get("/", (c) =>
    c.html(
      <Page title={`${network.title} console`}>
        <h1>{`Console for ${network.title}`}</h1>
        {c.req.query("said") && <p role="status">{c.req.query("said")}</p>}
        {core.apps.list().map((app) => (
          <AppForm app={app} path={c.req.path} />
        ))}
      </Page>,
    ),
  );
  site.post("/", async (c) => {
    const form = await c.req.parseBody();
    const text = (name: string) => (typeof form[name] === "string" ? form[name].trim() : "");
    const said = await saved(core, text).catch((error: unknown) => {
      if (error instanceof GraphRefusal) return error.message;
      throw error;
    });
    return c.redirect(`${c.req.path}?said=${encodeURIComponent(said)}`, 303);
  });
  return site;
}

async function saved(core: Platform["core"], text: (name: string) => string): Promise<string> {
  const app = core.apps.find(text("app"));
  if (!app) return "There is no such app";
  app.deauthorizeUrl = text("deauthorize") || undefined;
  app.deletionUrl = text("deletion") || undefined;
  app.redirects = new Set(text("redirects").split(/\s+/).filter(Boolean));
  if (!text("url")) {
    app.webhook = undefined;
    return "Saved without a webhook";
  }
  const webhook = { url: text("url"), verifyToken: text("token") };
  await core.confirm(webhook);
  app.webhook = webhook;
  return "Verified and saved";
}

function AppForm({ app, path }: { app: App; path: string }) {
  const field = (name: string, label: string, value = "") => (
    <p>
      <label>
        {`${label} `}
        <input name={name} value={value} size={60} />
      </label>
    </p>
  );
  return (
    <form method="post" action={path}>
      <fieldset>
        <legend>{`${app.name} · ID ${app.id}`}</legend>
        <input type="hidden" name="app" value={app.id} />
        <p>
          App secret: <code>{app.secret}</code>
        </p>
        {field("url", "Callback URL", app.webhook?.url)}
        {field("token", "Verify token", app.webhook?.verifyToken)}
        {field("redirects", "Valid OAuth redirect URIs", [...app.redirects].join(" "))}
        {field("deauthorize", "Deauthorize callback URL", app.deauthorizeUrl)}
        {field("deletion", "Data deletion request URL", app.deletionUrl)}
        <button type="submit">Verify and save</button>
      </fieldset>
    </form>
  );
}
