import { expect, it } from "vitest";
import { DIALOG_KEY } from "../../emulator/seed.ts";
import { FILES, TEMPLATE } from "./scene.ts";
import { HOOK, opened, ROBIN } from "./stage.ts";

it("360dialog serves the same without ids, by its own key and header, and forwards unsigned", async () => {
  const { emulator, arrived, chat, idle } = await opened({ subscribed: false });
  const ask = async (method: string, path: string, body?: object, key = DIALOG_KEY) => {
    const isForm = body instanceof FormData;
    const headers = { "d360-api-key": key, ...(body && !isForm && { "content-type": "application/json" }) };
    const sent = body && { body: isForm ? body : JSON.stringify(body) };
    return emulator.site.request(`/360dialog/${path}`, { method, headers, ...sent });
  };
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged by what the test expects.
  const json = async (...asked: Parameters<typeof ask>): Promise<any> => (await ask(...asked)).json();
  expect((await ask("GET", "v1/configs/webhook", undefined, "wrong")).status).toBe(401);
  await ask("POST", "v1/configs/webhook", { url: HOOK, headers: { authorization: "Bearer own" } });
  expect(await json("GET", "v1/configs/webhook")).toEqual({ url: HOOK });
  await emulator.says("hello");
  expect(arrived).toMatchObject([{ signature: "" }]);
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("file", new File([FILES.image.bytes], "sea.png", { type: "image/png" }));
  const { id } = await json("POST", "media", form);
  const image = { messaging_product: "whatsapp", to: ROBIN, type: "image", image: { id } };
  expect(await json("POST", "messages", image)).toHaveProperty("messages");
  await idle();
  expect(chat.messages.at(-1)).toMatchObject({ from: "business", medium: { id } });
  const { url } = await json("GET", id);
  const { pathname, search } = new URL(url);
  expect((await ask("GET", `${pathname.slice(1)}${search}`)).status).toBe(200);
  await ask("POST", "v1/configs/templates", TEMPLATE);
  expect(await json("GET", "v1/configs/templates")).toMatchObject({
    total: 1,
    waba_templates: [{ name: TEMPLATE.name }],
  });
  expect((await ask("DELETE", `v1/configs/templates/${TEMPLATE.name}`)).status).toBe(200);
});
