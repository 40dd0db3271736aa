import { ownPath } from "./site.ts";

/** Submits the forms of an account page. */
export async function accountForms(server: string, crm: string) {
  const submit = (path: string, fields: Record<string, string>, cookie = "") =>
    fetch(server + path, {
      method: "POST",
      redirect: "manual",
      headers: { origin: server, cookie },
      body: new URLSearchParams(fields),
    });
  const entered = await submit("/", { crmUrl: crm, apiKey: "sandbox-key" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const home = ownPath("/account", cookie);
  const page = await (await fetch(server + home, { headers: { cookie } })).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const id = / data-channel="([\w-]{22})"/.exec(page)?.[1];
  const act = async (path: string, fields: Record<string, string>) => {
    const { status } = await submit(`${home}/channels/${id}${path}`, { formToken, ...fields }, cookie);
    if (status !== 303) throw new Error(`the form was answered with ${status}`);
  };
  return {
    /** Removes the first messenger, a web chat. */
    remove: () => act("/remove", {}),
    speak: (language: string) =>
      act("", { name: "Shop chat", "setting.title": "Quay & Co.", "setting.language": language }),
    allow: (sites: string) =>
      act("", { name: "Shop chat", "setting.title": "Quay & Co.", "setting.allowedOrigins": sites }),
  };
}
