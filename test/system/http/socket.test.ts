import { connect } from "node:net";
import { defineHosted } from "gangway-messenger/hosted";
import webchat from "gangway-webchat";
import { describe, expect, it } from "vitest";
import { CRM, ownPath } from "../../support/site.ts";
import { servedSite } from "./served.ts";

/** Sends chunks while the server accepts them; resolves with its answer and the bytes accepted. */
function flood(origin: string, path: string, headers = ""): Promise<{ said: string; sent: number }> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    let said = "";
    let sent = 0;
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const go = () => {
      if (socket.destroyed || said) return;
      sent += 65_536;
      socket.write(chunk, () => setTimeout(go, 1));
    };
    socket.on("data", (bytes) => {
      said += String(bytes);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve({ said, sent }));
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${headers}transfer-encoding: chunked\r\n\r\n`);
    go();
  });
}

async function connected() {
  const { origin, sandbox } = await servedSite([webchat, slowDoor]);
  const submit = (path: string, fields: Record<string, string>, cookie = "") =>
    fetch(origin + ownPath(path, cookie), {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { origin, cookie },
      redirect: "manual",
    });
  const entered = await submit("/", { crmUrl: CRM, apiKey: "sandbox-key" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const page = async (path = "/account") =>
    (await fetch(origin + ownPath(path, cookie), { headers: { cookie } })).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(await page())?.[1] ?? "";
  const fields = { formToken, kind: "webchat", name: "Chat", "setting.title": "t", "setting.accent": "#000000" };
  const added = await submit("/account/channels", fields, cookie);
  const own = await page(added.headers.get("location") ?? "");
  const door = /data-channel=&quot;([\w-]{43})&quot;/.exec(own)?.[1] ?? "";
  const registration = sandbox.world.modules.get("gangway")?.registration;
  return { origin, door, registration };
}

/** Unused; proves that a site can serve several messengers. */
const slowDoor = defineHosted({ ...webchat, kind: "second", title: "Second", assets: {} });

describe("a body that does not end", () => {
  it("is refused with 413 at every door, after not much more than the limit, and the connection is closed", async () => {
    const { origin, door, registration } = await connected();
    const hook = new URL(registration?.integrations.mgTransport?.webhookUrl ?? "").pathname;
    const proof = `clientid: ${registration?.clientId}\r\n`;
    const doors: [string, string, number][] = [
      ["/", "", 64 * 1024],
      ["/account", "", 64 * 1024],
      ["/actions/activity", "", 64 * 1024],
      [hook, proof, 1024 * 1024],
      [`/m/${door}/open`, "", 64 * 1024],
    ];
    for (const [path, headers, limit] of doors) {
      let { said, sent } = await flood(origin, path, headers);
      // A client that keeps sending into a closed connection is reset and may lose the answer.
      for (let n = 0; n < 5 && said === ""; n++) ({ said, sent } = await flood(origin, path, headers));
      expect(said, path).toMatch(/^HTTP\/1\.1 413 /);
      expect(said.toLowerCase(), path).toContain("connection: close");
      expect(sent, path).toBeLessThan(limit + 4 * 1024 * 1024);
    }
  });

  it("is refused unread when its length is announced", async () => {
    const { origin } = await servedSite();
    const socket = connect(Number(new URL(origin).port), "127.0.0.1");
    socket.write("POST /actions/activity HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n");
    const said = await new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(String(bytes))));
    socket.destroy();
    expect(said).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("leaves the connection usable after one that fits", async () => {
    const { origin } = await servedSite();
    const body = new URLSearchParams({ clientId: "x" });
    for (let n = 0; n < 3; n++)
      expect(await (await fetch(`${origin}/actions/activity`, { method: "POST", body })).json()).toEqual({
        success: false,
      });
  });
});

describe("the messenger's door", () => {
  it("passes an event stream unbuffered, and answers HEAD without one", async () => {
    const { origin, door } = await connected();
    const opened = await fetch(`${origin}/m/${door}/open`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect(opened.status).toBe(200);
    const text = await opened.text();
    const token = /"(?:token|visitor)":"([^"]+)"/.exec(text)?.[1] ?? "";
    const headers = { authorization: `Bearer ${token}` };
    const stop = new AbortController();
    const events = await fetch(`${origin}/m/${door}/events`, { headers, signal: stop.signal });
    expect(events.headers.get("content-type")).toContain("text/event-stream");
    const first = await events.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain(": open");
    stop.abort();
    const head = await fetch(`${origin}/m/${door}/events`, { method: "HEAD", headers });
    expect([head.status < 500, await head.text()]).toEqual([true, ""]);
  });
});

describe("a messenger's script", () => {
  it("is served to every site, for five minutes, and not twice", async () => {
    const file = new URL("./served.ts", import.meta.url);
    const scripted = defineHosted({ ...webchat, assets: { "widget.js": { file, mediaType: "text/javascript" } } });
    const { origin } = await servedSite([scripted]);
    const first = await fetch(`${origin}/channels/webchat/widget.js`);
    expect(first.status).toBe(200);
    expect(first.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(`${origin}/channels/webchat/widget.js`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    for (const path of [
      "/channels/webchat/other.js",
      "/channels/x/widget.js",
      "/channels/webchat/constructor",
      "/channels/webchat/..%2Fwire.ts",
    ])
      expect((await fetch(origin + path)).status, path).toBe(404);
  });
});
