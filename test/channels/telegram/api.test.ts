import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { botApi } from "../../../src/channels/telegram/api.ts";
import type { Call } from "../../../src/domain/call.ts";
import { callFrom } from "../../support/call.ts";
import { fresh } from "./stage.ts";

const TOKEN = "7712345601:AAsecretHalfOfTheTokenThatNobodySees0";
const HALF = TOKEN.split(":")[1] ?? "";
const apiOn = (call: Call) => botApi({ call, apiUrl: "https://telegram.example", token: TOKEN });
const refusing = (description: string, status = 400) =>
  apiOn(
    callFrom(new Hono().all("*", () => Response.json({ ok: false, error_code: status, description }, { status: 400 }))),
  );
const ask = (api: ReturnType<typeof apiOn>) =>
  api.ask({ method: "sendMessage", result: z.unknown() }, fresh()).catch((error: unknown) => error);

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

/** An API that gives this path for every file, and what it is asked for. */
function filesAt(path: string, status: number) {
  const asked: string[] = [];
  const app = new Hono()
    .post("*", (c) => c.json({ ok: true, result: { file_path: path } }))
    .get("*", (c) => {
      asked.push(new URL(c.req.url).pathname);
      return c.text("bytes", status as 200);
    });
  return { asked, open: () => apiOn(callFrom(app)).openFile("id", fresh()) };
}

describe("a customer's file at the Bot API", () => {
  it.each([404, 410])("that is not there any more is refused for good: %d", async (status) => {
    await expect(filesAt("photos/1.jpg", status).open()).rejects.toMatchObject({ verdict: { type: "reject" } });
  });

  it.each([500, 429])("that cannot be had now is asked for again: %d", async (status) => {
    await expect(filesAt("photos/1.jpg", status).open()).rejects.toMatchObject({ verdict: { type: "retry" } });
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

describe("a file that is larger than it was said to be", () => {
  it("is refused with that reason, since it would be so with every try", async () => {
    const call: Call = async () => ({ type: "failure", sent: "no", reason: "source-too-large", detail: "test" });
    expect(await ask(apiOn(call))).toMatchObject({
      verdict: { type: "reject", code: "general" },
      message: "the file is larger than it was said to be",
    });
  });
});
