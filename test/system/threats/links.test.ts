import { describe, expect, it } from "vitest";
import { webAddress } from "../../../messengers/webchat/src/browser/web-address.ts";
import { runningSite } from "../../support/site.ts";
import { PAYLOADS } from "../pages/payloads.ts";

const SCHEMES = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "\u0001javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,x",
];
const OTHERS = [
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://x",
  "//evil.example",
  "https:/\\evil",
  " https://x y",
  "http://",
];

describe("a stranger's text", () => {
  it.each([...SCHEMES, ...OTHERS, ...PAYLOADS])(
    "becomes a link in the chat window only if it is a web address: %j",
    (text) => {
      expect(webAddress(text)).toBeUndefined();
      expect(webAddress("https://shop.example/rope?x=1")).toBe("https://shop.example/rope?x=1");
    },
  );

  it("creates no link, script or element on a page, wherever it is entered", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    const formToken = await site.formToken(cookie);
    for (const text of [...SCHEMES, ...PAYLOADS]) {
      const fields = { formToken, kind: "webchat", name: text, "setting.title": text, "setting.accent": text };
      const pages = [
        await site.ask(`/?account=${encodeURIComponent(text)}`),
        await site.submit("/", { crmUrl: text, apiKey: text }),
        await site.submit("/check", { crmUrl: text, apiKey: text }),
        await site.submit("/account/channels", fields, { cookie }),
        await site.ask(`/account?done=${encodeURIComponent(text)}`, { headers: { cookie } }),
        await site.ask(`/${encodeURIComponent(text)}`, { headers: { accept: "text/html" } }),
      ];
      for (const answer of pages) {
        const page = (await answer.text()).replace('<script src="/forms.js" defer=""></script>', "");
        expect(page).not.toMatch(/(href|src|action|formaction)="\s*(javascript|data|vbscript):/i);
        expect(page).not.toMatch(
          /<(script|iframe|object|svg(?! class="(?:icon|glyph)" aria-hidden="true")|img src=x|base|meta http)/i,
        );
        expect(answer.headers.get("content-security-policy") ?? "default-src 'none'").toContain("default-src 'none'");
      }
    }
  });
});

describe("the public port", () => {
  it.each([
    "/metrics",
    "/admin",
    "/debug",
    "/.env",
    "/gangway.db",
    "/health",
    "/server-status",
    "/..%2f..%2fetc/passwd",
  ])("answers 404 at %s", async (path) => {
    const { ask } = await runningSite();
    expect((await ask(path)).status).toBe(404);
  });
});
