/** What a person has after filling in the form and adding a web chat. */
export interface SetUp {
  /** The key that the shop's script tag carries. */
  channel: string;
  snippet: string;
}

/** Does what a person does: fills in the form, adds a web chat, reads the script tag off the page. */
export async function connectThroughForm(server: string, crm: string, apiKey: string): Promise<SetUp> {
  const connected = await submit(`${server}/`, { crmUrl: crm, apiKey });
  const cookie = connected.headers.get("set-cookie")?.split(";")[0];
  if (connected.status !== 303 || !cookie)
    throw new Error(`the form was refused: ${problemOf(await connected.text())}`);
  const page = await (await fetch(`${server}/account`, { headers: { cookie } })).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const added = await submit(
    `${server}/account/channels`,
    { formToken, kind: "webchat", name: "Shop chat", ...settings },
    cookie,
  );
  if (added.status !== 303) throw new Error(`the channel was refused: ${problemOf(await added.text())}`);
  const after = await (await fetch(`${server}/account`, { headers: { cookie } })).text();
  const snippet =
    /&lt;script.*?&lt;\/script&gt;/
      .exec(after)?.[0]
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"') ?? "";
  const channel = /data-channel="([\w-]+)" async/.exec(snippet)?.[1];
  if (!channel) throw new Error("the account page shows no script tag");
  return { channel, snippet };
}

const settings = {
  "setting.title": "Quay & Co.",
  "setting.greeting": "Hello! Ask us anything about ropes and knots.",
  "setting.accent": "#0f5f6b",
  "setting.allowedOrigins": "",
};

function submit(url: string, fields: Record<string, string>, cookie?: string): Promise<Response> {
  const headers = { origin: new URL(url).origin, ...(cookie && { cookie }) };
  return fetch(url, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });
}

const problemOf = (page: string) => /class="problem"[^>]*>([^<]+)/.exec(page)?.[1] ?? "no reason given";
