import { describe, expect, it } from "vitest";
import { listening } from "../../../../test/support/listening.ts";
import { HARBOUR, opened, ROBIN, until } from "./stage.ts";

/** A bot that answers every update this way. */
async function answering(contentType: string, body: string, status = 200) {
  const set = await opened();
  let asked = 0;
  const url = await listening((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(status, { "content-type": contentType }).end(body);
  });
  await set.updates({ offset: -1 });
  await set.call("setWebhook", { url: `${url}/hook`, drop_pending_updates: true });
  set.phone.send(ROBIN, HARBOUR, { text: "are you there?" });
  await until(() => asked > 0);
  const log = () =>
    set.telegram.calls
      .list()
      .entries.filter(({ method }) => method !== "getUpdates")
      .slice(1);
  return { ...set, log, said: () => set.shown().at(-1) };
}
const json = (call: object) => answering("application/json", JSON.stringify(call));

describe("a call in a webhook's answer", () => {
  it("is carried out as JSON", async () => {
    const { said, log } = await json({ method: "sendMessage", chat_id: ROBIN, text: "*yes*", parse_mode: "Markdown" });
    await until(() => said()?.from === "bot");
    expect(said()).toMatchObject({ text: "yes", marks: [{ type: "bold" }] });
    expect(log()).toMatchObject([{ method: "sendMessage", chat: String(ROBIN), status: 200, faults: [] }]);
  });

  it("is carried out as a form, with the method's name in any case", async () => {
    const form = new URLSearchParams({ method: "SENDmessage", chat_id: String(ROBIN), text: "yes" });
    const { said } = await answering("application/x-www-form-urlencoded", form.toString());
    await until(() => said()?.text === "yes");
  });

  it("is carried out as a form with files", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ method: "sendDocument", chat_id: String(ROBIN), caption: "here" }))
      form.set(name, value);
    form.set("document", new File(["a text"], "a.txt", { type: "text/plain" }));
    const packed = new Response(form);
    const { said } = await answering(packed.headers.get("content-type") ?? "", await packed.text());
    await until(() => said()?.text === "here");
    expect(said()?.media?.file).toMatchObject({ name: "a.txt", size: 6 });
  });

  it("counts the update as delivered, and logs its own refusal", async () => {
    const { log, call } = await json({ method: "sendMessage", chat_id: 5, text: "x", colour: "red" });
    await until(() => log().length === 1);
    expect(log()[0]).toMatchObject({ status: 400, faults: ["colour: not a parameter of sendMessage"] });
    expect((await call("getWebhookInfo")).result).toMatchObject({ pending_update_count: 0 });
  });

  it("that the sandbox does not serve, or that does not exist, is logged", async () => {
    const refused = await json({ method: "sendGift", user_id: ROBIN, gift_id: "x" });
    await until(() => refused.log().length === 1);
    expect(refused.log()[0]).toMatchObject({ method: "sendGift", status: 404 });
    const unknown = await json({ method: "sendNothing" });
    await until(() => unknown.log().length === 1);
    expect(unknown.log()[0]).toMatchObject({ status: 404, faults: ["the webhook's answer: no such method"] });
  });

  it.each([
    ["asks for something", 200, "application/json", '{"method":"getMe"}'],
    ["sets the webhook", 200, "application/json", '{"method":"deleteWebhook"}'],
    ["is not of a known type", 200, "text/plain", '{"method":"sendMessage"}'],
    ["is broken", 200, "application/json", '{"method":'],
    ["holds none", 200, "application/json", '{"ok":true}'],
    ["comes with a refusal", 500, "application/json", `{"method":"sendMessage","chat_id":${ROBIN},"text":"x"}`],
  ])("is ignored when it %s", async (_, status, contentType, body) => {
    const { log, call, text } = await answering(contentType, body, status);
    const info = async () => (await call<Record<string, unknown>>("getWebhookInfo")).result;
    const isOver = ({ pending_update_count: left, last_error_message: error }: Record<string, unknown>) =>
      left === 0 || error !== undefined;
    await until(async () => isOver(await info()));
    await text("a marker");
    expect(log().flatMap(({ method }) => (method === "getWebhookInfo" ? [] : method))).toEqual(["sendMessage"]);
    expect(await info()).toMatchObject({ url: expect.stringContaining("/hook") });
  });
});
