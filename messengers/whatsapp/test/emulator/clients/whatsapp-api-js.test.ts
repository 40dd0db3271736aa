import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { describe, expect, it } from "vitest";
import { WhatsAppAPI } from "whatsapp-api-js";
import {
  ActionButtons,
  ActionList,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  Contacts,
  Document,
  Image,
  Interactive,
  Language,
  ListSection,
  Location,
  Name,
  Phone,
  Reaction,
  Row,
  Template,
  Text,
} from "whatsapp-api-js/messages";
import { contractJudge } from "../../../../meta/test/emulator/contract.ts";
import { press, react, write } from "../../../emulator/acts.ts";
import { ACCOUNT_ID, NUMBER_ID, TOKEN } from "../../../emulator/seed.ts";
import { FILES, TEMPLATE } from "../scene.ts";
import { opened, ROBIN, VERIFY } from "../stage.ts";

const judge = contractJudge("whatsapp");

/** The library, whose fetch leads to the emulator. Its address is fixed: https://graph.facebook.com. */
async function joined() {
  const api: WhatsAppAPI = new WhatsAppAPI({
    token: TOKEN,
    appSecret: DEMO_APP.secret,
    webhookVerifyToken: VERIFY,
    v: "v23.0",
    ponyfill: {
      fetch: async (url: string | URL | Request, init?: RequestInit) => {
        const { pathname, search } = new URL(String(url));
        return stage.emulator.site.request(`${pathname}${search}`, init);
      },
    },
  });
  const refused: unknown[] = [];
  const stage = await opened({
    async receive(request) {
      const query = Object.fromEntries(new URL(request.url).searchParams);
      if (request.method === "GET") return new Response(api.get(query as never));
      const body = await request.text();
      const signature = request.headers.get("x-hub-signature-256") ?? "";
      const done = await api.post(JSON.parse(body), body, signature).catch((error: unknown) => refused.push(error));
      return new Response(null, { status: done === undefined ? 200 : 401 });
    },
  });
  // It escapes the body before it verifies, as Meta's own pages say.
  stage.network.switches.set({ signature: "escaped" });
  const faults = () => stage.network.core.journal.entries().flatMap((entry) => judge?.(entry) ?? []);
  return { ...stage, api, refused, faults };
}

describe("whatsapp-api-js", () => {
  it("verifies the webhook's signature, hears the customer, and replies", async () => {
    const { api, emulator, chat, refused, faults, idle } = await joined();
    api.on.message = async ({ message, name, reply, received }) => {
      if (message.type !== "text") return;
      await received();
      await reply(new Text(`${name} says ${message.text.body}`), true, "job-1");
    };
    const statuses: unknown[] = [];
    api.on.status = ({ status, biz_opaque_callback_data }) => void statuses.push([status, biz_opaque_callback_data]);
    const { id } = await emulator.says("señal ✓");
    await idle();
    expect(chat.messages.at(-1)).toMatchObject({
      from: "business",
      content: { text: { body: "Robin Field says señal ✓" } },
      quote: id,
      callback: "job-1",
    });
    expect(chat.messages[0]?.status).toBe("read");
    // Two requests: either may be read first.
    expect(statuses.sort()).toEqual([
      ["delivered", "job-1"],
      ["sent", "job-1"],
    ]);
    expect(refused).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it("sends pictures, files, buttons, lists, places and reactions, and hears the presses", async () => {
    const { api, emulator, network, chat, faults, idle } = await joined();
    const heard: unknown[] = [];
    api.on.message = ({ message }) => {
      if (message.type === "interactive") heard.push(message.interactive);
      if (message.type === "reaction") heard.push(message.reaction.emoji);
    };
    const { id } = await emulator.says("hello");
    const form = new FormData();
    form.set("file", new File([FILES.image.bytes], "sea.png", { type: "image/png" }));
    const uploaded = await api.uploadMedia(NUMBER_ID, form);
    if (!("id" in uploaded)) throw new Error("not uploaded");
    const to = ROBIN;
    const sent = [
      new Image(uploaded.id, true, "The sea"),
      new Document("https://shop.example/bill.pdf", false, "Your bill", "bill.pdf"),
      new Interactive(new ActionButtons(new Button("yes", "Yes"), new Button("no", "No")), new Body("Right?")),
      new Interactive(
        new ActionList("Choose", new ListSection(undefined, new Row("row-1", "8 mm"))),
        new Body("Which?"),
      ),
      new Location(2.2, 41.4, "Quay"),
      new Reaction(id, "👍"),
    ];
    for (const message of sent) expect(await api.sendMessage(NUMBER_ID, to, message)).toHaveProperty("messages");
    await idle();
    expect(chat.messages[0]?.reactions.business).toBe("👍");
    const [, , , buttons, list] = chat.messages;
    if (!buttons || !list) throw new Error("nothing to press");
    await press(network, chat, buttons, "yes");
    await press(network, chat, list, "row-1");
    await react(network, chat, buttons, "❤️");
    expect(heard).toEqual([
      { type: "button_reply", button_reply: { id: "yes", title: "Yes" } },
      { type: "list_reply", list_reply: expect.objectContaining({ id: "row-1", title: "8 mm" }) },
      "❤️",
    ]);
    expect(faults()).toEqual([]);
  });

  it("sends a card, which it writes as a text of JSON", async () => {
    const { api, network, chat } = await joined();
    const card = new Contacts([new Name("Ada", "Ada"), new Phone("+35621000000")]);
    expect(await api.sendMessage(NUMBER_ID, ROBIN, card)).toHaveProperty("messages");
    expect(chat.messages.at(-1)?.content).toMatchObject({ contacts: [{ name: { formatted_name: "Ada" } }] });
    const { request } = network.core.journal.entries().findLast(({ operation }) => operation === "sendMessage") ?? {};
    expect((request as { contacts: unknown }).contacts).toBeTypeOf("string");
  });

  it("loads a customer's picture with its token", async () => {
    const { api, network, chat } = await joined();
    const got: Uint8Array[] = [];
    api.on.message = async ({ message }) => {
      if (message.type !== "image") return;
      const about = await api.retrieveMedia(message.image.id, NUMBER_ID);
      if (!("url" in about)) throw new Error("no address");
      got.push(new Uint8Array(await (await api.fetchMedia(about.url)).arrayBuffer()));
    };
    await write(network, chat, { media: { kind: "image", ...FILES.image } });
    expect(Buffer.from(got[0] ?? []).equals(Buffer.from(FILES.image.bytes))).toBe(true);
  });

  it("sends a template, and gets Graph's errors as they are", async () => {
    const { api, ask, chat, idle } = await joined();
    await ask("POST", `${ACCOUNT_ID}/message_templates`, TEMPLATE);
    await idle();
    const template = (...values: string[]) =>
      new Template(
        TEMPLATE.name,
        new Language(TEMPLATE.language),
        ...(values.length > 0
          ? [new BodyComponent(...(values.map((each) => new BodyParameter(each)) as [BodyParameter]))]
          : []),
      );
    expect(await api.sendMessage(NUMBER_ID, ROBIN, template("Robin"))).toMatchObject({
      messages: [{ message_status: "accepted" }],
    });
    expect(chat.messages.at(-1)?.content.text).toEqual({ body: "Your order\nHello Robin, it is ready.\nQuay & Co." });
    expect(await api.sendMessage(NUMBER_ID, ROBIN, template())).toMatchObject({
      error: { code: 132000, error_data: { details: expect.stringContaining("expected number of params (1)") } },
    });
  });
});
