import type { Call } from "gangway-messenger/call";
import { callFrom } from "gangway-messenger/kit/call";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { botApi } from "../../src/api.ts";
import { fresh } from "./stage.ts";

const TOKEN = "7712345601:AAsecretHalfOfTheTokenThatNobodySees0";
const HALF = TOKEN.split(":")[1] ?? "";
const apiOn = (call: Call) => botApi({ call, apiUrl: "https://telegram.example", token: TOKEN });
const refusing = (description: string, status = 400) =>
  apiOn(
    callFrom(new Hono().all("*", () => Response.json({ ok: false, error_code: status, description }, { status: 400 }))),
  );
const ask = (api: ReturnType<typeof apiOn>) =>
  api.call({ method: "sendMessage", result: z.unknown() }, fresh()).catch((error: unknown) => error);

describe("a refusal of the Bot API", () => {
  it.each([
    `Bad Request: no method /bot${TOKEN}/sendMessag`,
    `Bad Request: ${HALF} is nothing`,
    `Bad Request: /bot${encodeURIComponent(TOKEN)}/x, again ${TOKEN} and ${HALF}`,
  ])("tells nobody the token that it repeats: %#", async (description) => {
    const error = await ask(refusing(description));
    expect(error).toMatchObject({ verdict: { type: "reject", externalCode: expect.stringContaining("Bad Request") } });
    expect(JSON.stringify(error) + String(error)).not.toContain(HALF);
  });
});

const STATUSES = [200, 201, 204, 301, 302, 307, 400, 401, 403, 404, 405, 409, 410, 413, 500, 502, 503, 504];
const PAGES: [string, string, string][] = [
  ["a page", "<html><body><h1>nginx</h1></body></html>", "text/html"],
  ["a page that says JSON", "<html>", "application/json"],
  ["nothing", "", "text/plain"],
  ["another JSON", '{"message":"no Route matched with those values"}', "application/json"],
  ["half of a refusal", '{"ok":false,"error_code":404,"desc', "application/json"],
  ["a refusal without a code", '{"ok":false}', "application/json"],
  ["a success without a result", '{"ok":true}', "application/json"],
];

describe("an answer that is not Telegram's own", () => {
  const page =
    (status: number, body: string, type: string): Call =>
    async () => ({ type: "answer", status, headers: { "content-type": type }, bytes: new TextEncoder().encode(body) });

  it.each(PAGES)(
    "neither refuses nor acknowledges a message, nor a token, whatever its status: %s",
    async (_, body, type) => {
      for (const status of STATUSES) {
        const api = apiOn(page(status, body, type));
        const send = (repeatable: boolean) =>
          api
            .call({ method: "sendMessage", result: z.unknown(), repeatable }, fresh())
            .catch((error) => error.verdict.type);
        expect(["retry", "unsure"], `${status}`).toContain(await send(false));
        expect(await send(true), `${status}`).toBe("retry");
      }
    },
  );

  it.each([200, 500, 502, 504])("leaves open whether the call came through, with the status %i", async (status) => {
    expect(await ask(apiOn(page(status, "<html>", "text/html")))).toMatchObject({ verdict: { type: "unsure" } });
  });
});

const BYTES = "the bytes of a file";
/** An API that returns this path for every file, and records the requested URLs. */
function filesAt(path: string, status: number, body = BYTES, type = "application/octet-stream", size?: number) {
  const asked: string[] = [];
  const app = new Hono()
    .post("*", (c) => c.json({ ok: true, result: { file_path: path, file_size: size } }))
    .get("*", (c) => {
      asked.push(new URL(c.req.url).pathname);
      return new Response(status === 204 ? null : body, { status, headers: { "content-type": type } });
    });
  const open = () => apiOn(callFrom(app)).openFile("id", fresh());
  return { asked, open, read: async () => new Response((await open()).body).text() };
}
const gone = (status: number) => JSON.stringify({ ok: false, error_code: status, description: "Not Found" });

describe("a customer's file at the Bot API", () => {
  it.each([404, 410])("that is not there any more is refused for good: %d", async (status) => {
    const { open } = filesAt("photos/1.jpg", status, gone(status), "application/json");
    await expect(open()).rejects.toMatchObject({ verdict: { type: "reject" } });
  });

  it.each([500, 429])("that cannot be had now is asked for again: %d", async (status) => {
    await expect(filesAt("photos/1.jpg", status).open()).rejects.toMatchObject({ verdict: { type: "retry" } });
  });

  it.each(PAGES)("is asked for again when something else answers, whatever its status: %s", async (_, body, type) => {
    for (const status of STATUSES)
      await expect(filesAt("photos/1.jpg", status, body, type, BYTES.length).read(), `${status}`).rejects.toMatchObject(
        {
          verdict: { type: "retry" },
        },
      );
  });

  it.each([BYTES.slice(0, -1), `${BYTES}.`, ""])(
    "is never taken for whole with another size than was told: %j",
    async (body) => {
      const { read } = filesAt("photos/1.jpg", 200, body, "image/jpeg", BYTES.length);
      await expect(read()).rejects.toMatchObject({ verdict: { type: "retry" } });
    },
  );

  it("may be a web page itself", async () => {
    expect(await filesAt("documents/page.html", 200, "<html>", "text/html", 6).read()).toBe("<html>");
  });

  it.each(["../getMe", "photos/../../x", "photos//1.jpg", "/etc/passwd", "photos/./1.jpg", "photos/", ".."])(
    "is never asked for at a path that leads elsewhere: %s",
    async (path) => {
      const { asked, open } = filesAt(path, 200);
      await expect(open()).rejects.toMatchObject({ verdict: { type: "reject" } });
      expect(asked).toEqual([]);
    },
  );

  it("is asked for under its own name, whatever signs are in it", async () => {
    const { asked, open } = filesAt("documents/a..b%2f..?c#d.pdf", 200);
    expect((await open()).name).toBe("a..b%2f..?c#d.pdf");
    expect(asked).toEqual([`/file/bot${TOKEN}/documents/a..b%252f..%3Fc%23d.pdf`]);
  });
});

describe("a file that is larger than its declared size", () => {
  it("is refused with that reason, since it would be so with every try", async () => {
    const call: Call = async () => ({ type: "failure", sent: "no", reason: "source-too-large", detail: "test" });
    expect(await ask(apiOn(call))).toMatchObject({
      verdict: { type: "reject", code: "general" },
      message: "the file is larger than its declared size",
    });
  });
});
