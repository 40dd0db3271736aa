import { get, type IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { defineHosted } from "gangway-messenger/hosted";
import webchat from "gangway-webchat";
import { describe, expect, it } from "vitest";
import { metricsSite } from "../../../../src/http/metrics/site.ts";
import { encodingFor } from "../../../../src/http/serving/assets.ts";
import { OTHER_CRM } from "../../../support/crms.ts";
import { LINE, metricsParts } from "../../../support/metrics.ts";
import { CRM, ownPath } from "../../../support/site.ts";
import { servedSite } from "../../../system/http/served.ts";

const FILE = new URL("./assets.encoding.test.ts", import.meta.url);
const scripted = defineHosted({ ...webchat, assets: { "a.js": { file: FILE, mediaType: "text/javascript" } } });

interface Answer {
  status?: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** The raw body: `fetch` would decompress it. */
function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) });
    }).on("error", reject);
  });
}
const UNPACK: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };
const unpacked = ({ headers, bytes }: Answer) => String(UNPACK[headers["content-encoding"] ?? ""]?.(bytes) ?? bytes);

/** A server with an account whose pages are long, and a visit's cookie. */
async function visited() {
  const { origin, sandbox, crmAt } = await servedSite([scripted]);
  const submit = (path: string, fields: Record<string, string>, cookie = "") => {
    const init = { method: "POST", body: new URLSearchParams(fields), headers: { origin, cookie } };
    return fetch(origin + ownPath(path, cookie), { ...init, redirect: "manual" });
  };
  const entered = await submit("/", { crmUrl: CRM, apiKey: "sandbox-key" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const look = async (path: string) => (await fetch(origin + ownPath(path, cookie), { headers: { cookie } })).text();
  const page = () => look("/account");
  const formToken = /name="formToken" value="([^"]+)"/.exec(await page())?.[1] ?? "";
  const fields = { formToken, kind: "webchat", name: "Chat", "setting.title": "t", "setting.accent": "#000000" };
  await submit("/account/channels", fields, cookie);
  const channel = / data-channel="([\w-]{22})"/.exec(await page())?.[1] ?? "";
  const own = await look(`/account/channels/${channel}`);
  const door = /data-channel=&quot;([\w-]{43})&quot;/.exec(own)?.[1] ?? "";
  return { origin, sandbox, crmAt, submit, cookie, door, channel };
}

describe("the encoding a client accepts", () => {
  it.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP", "gzip"],
    ["gzip;q=0.5, br;q=0", "gzip"],
    ["br ; q=0, gzip ; q=0", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["deflate, identity", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("is chosen from %j: %s", (accepted, encoding) => {
    expect(encodingFor(accepted)).toBe(encoding);
  });
});

describe("scripts and style sheets", () => {
  it.each(["/channels/webchat/a.js", "/style.css"])(
    "are compressed for clients that accept it, and plain for others: %s",
    async (path) => {
      const { origin } = await servedSite([scripted]);
      const [plain, gzip, br] = await Promise.all(
        [undefined, "gzip", "gzip, br"].map((accepted) =>
          ask(origin + path, accepted ? { "accept-encoding": accepted } : {}),
        ),
      );
      if (!plain || !gzip || !br) throw new Error("no answers");
      expect([plain, gzip, br].map(({ headers }) => headers["content-encoding"])).toEqual([undefined, "gzip", "br"]);
      expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(br.bytes.length).toBeLessThan(gzip.bytes.length);
      for (const answer of [plain, gzip, br]) {
        expect(unpacked(answer)).toBe(String(plain.bytes));
        expect(Number(answer.headers["content-length"])).toBe(answer.bytes.length);
        expect(answer.headers.vary).toBe("accept-encoding");
      }
      expect(new Set([plain, gzip, br].map(({ headers }) => headers.etag)).size).toBe(3);
    },
  );

  it("are not sent again to a client that has them in that encoding, even with a tag that a proxy weakened", async () => {
    const { origin } = await servedSite([scripted]);
    const path = `${origin}/channels/webchat/a.js`;
    const { headers } = await ask(path, { "accept-encoding": "gzip" });
    const tag = headers.etag ?? "";
    const again = (accepted: string, known: string) =>
      ask(path, { "accept-encoding": accepted, "if-none-match": known });
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const answer = await again("gzip", known);
      expect([answer.status, answer.bytes.length, answer.headers.etag]).toEqual([304, 0, tag]);
      expect(answer.headers.vary).toBe("accept-encoding");
    }
    expect((await again("br", tag)).status).toBe(200);
    expect((await again("gzip", '"other"')).status).toBe(200);
  });

  it("stay uncompressed when tiny", async () => {
    const { origin } = await servedSite();
    const { headers } = await ask(`${origin}/logo.svg`, { "accept-encoding": "gzip, br" });
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
  });
});

describe("pages", () => {
  it("are compressed when they hold no secret", async () => {
    const { origin } = await servedSite();
    const typed = `${origin}/?account=${encodeURIComponent("https://shop.retailcrm.ru")}`;
    const [plain, packed] = [await ask(typed), await ask(typed, { "accept-encoding": "br" })];
    expect([packed.headers["content-encoding"], packed.headers.vary]).toEqual(["br", "accept-encoding"]);
    expect(plain.headers.vary).toBe("accept-encoding");
    expect(unpacked(packed)).toBe(String(plain.bytes));
    expect(packed.headers["content-security-policy"]).toBe(plain.headers["content-security-policy"]);
  });

  it("are compressed, and show their form token under another mask each time", async () => {
    const { origin, cookie, channel, submit, crmAt } = await visited();
    const headers = { cookie, "accept-encoding": "gzip, br" };
    const seen: string[] = [];
    const tokens = new Set<string>();
    const look = async (path: string) => {
      const answer = await ask(origin + path, headers);
      const text = unpacked(answer);
      expect(answer.headers["content-encoding"], path).toBe("br");
      const [token, ...others] = new Set(
        [...text.matchAll(/name="formToken" value="([^"]+)"/g)].map((each) => each[1]),
      );
      expect([token, others]).toEqual([expect.any(String), []]);
      tokens.add(token ?? "");
      seen.push(/<h1>([^<]+)/.exec(text)?.[1] ?? "");
    };
    const home = ownPath("/account", cookie);
    await look(home);
    await look(`${home}?done=added`);
    await look(`${home}/channels/${channel}/preview`);
    // 404: the form is ours, but there is no such message.
    for (const formToken of tokens)
      expect((await submit("/account/jobs/9/again", { formToken }, cookie)).status).toBe(404);
    for (const formToken of ["", "A", "AAAA", [...tokens].join("")])
      expect((await submit("/account/jobs/9/again", { formToken }, cookie)).status).toBe(403);
    await submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" });
    const clientId = crmAt(OTHER_CRM).world.modules.get("gangway")?.registration.clientId ?? "";
    const entry = (await submit("/account", { clientId })).headers.get("set-cookie")?.split(";")[0];
    headers.cookie = `${cookie}; ${entry}`;
    await look("/account");
    expect(seen).toEqual(["Channels", "Channels", "What will the customer get?", "Which account?"]);
    expect(tokens.size).toBe(seen.length);
  });
});

describe("the machine endpoints", () => {
  it("answer without compression, and streams are streams", async () => {
    const { origin, door, sandbox } = await visited();
    const accepted = { "accept-encoding": "gzip, br" };
    const post = (path: string, body = "{}", headers: Record<string, string> = {}) =>
      fetch(origin + path, { method: "POST", body, headers: { ...accepted, ...headers } });
    const opened = await post(`/m/${door}/open`);
    const { visitor } = (await opened.json()) as { visitor: string };
    const stop = new AbortController();
    const authorization = `Bearer ${visitor}`;
    const stream = await fetch(`${origin}/m/${door}/events`, {
      headers: { ...accepted, authorization },
      signal: stop.signal,
    });
    const { registration } = sandbox.world.modules.get("gangway") ?? {};
    const hook = new URL(registration?.integrations.mgTransport?.webhookUrl ?? "").pathname;
    const answers = [
      opened,
      stream,
      await post(hook, "{}", { clientid: registration?.clientId ?? "" }),
      await post("/gateway/guess"),
      await post("/actions/activity", "clientId=x"),
      await fetch(`${origin}/health/ready`, { headers: accepted }),
    ];
    expect(answers.map(({ headers }) => headers.get("content-encoding"))).toEqual(answers.map(() => null));
    expect(new TextDecoder().decode((await stream.body?.getReader().read())?.value)).toContain(": open");
    stop.abort();
  });
});

describe("the operator's metrics", () => {
  const setUp = (channels: number) => {
    const lines = Array.from({ length: channels }, (_, n) => ({ ...LINE, channelId: `channel-${n}` as never }));
    const ledger = { look: async () => ({ at: 0, rows: lines }), latest: () => ({ at: 0, rows: lines }) };
    const site = metricsSite(metricsParts({ channels: true, ledger }));
    return (path: string) => site.request(path, { headers: { "accept-encoding": "gzip" } });
  };

  it.each(["/metrics", "/ledger"])("are compressed when they are long: %s", async (path) => {
    const answer = await setUp(100)(path);
    expect([answer.headers.get("content-encoding"), answer.headers.get("vary")]).toEqual(["gzip", "accept-encoding"]);
    expect(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()).toContain("channel-99");
    const few = await setUp(0)("/ledger");
    expect([few.headers.get("content-encoding"), await few.json()]).toEqual([
      null,
      expect.objectContaining({ lines: [] }),
    ]);
  });
});
