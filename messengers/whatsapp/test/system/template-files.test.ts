import type { ChatId, GatewayFileId } from "gangway-messenger/ids";
import { streamOf } from "gangway-messenger/kit/context";
import { PICTURE } from "gangway-messenger/kit/sending";
import type { FilePart, TemplateUse } from "gangway-messenger/message";
import type { TemplateDraft } from "gangway-messenger/template";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { describe, expect, it } from "vitest";
import { ACCOUNT_ID, DIALOG_KEY } from "../../emulator/seed.ts";
import { review } from "../../emulator/templates.ts";
import { fresh, refusalOf, staged } from "../unit/stage.ts";

const MP4 = Buffer.from("\0\0\0\x18ftypmp42 a film");
const FILES = {
  image: { bytes: PICTURE, mediaType: "image/png", name: "rope & sail.png" },
  video: { bytes: MP4, mediaType: "video/mp4", name: "film.mp4" },
  document: { bytes: Buffer.from("%PDF-1.4 terms"), mediaType: "application/pdf", name: "Условия.pdf" },
  text: { bytes: Buffer.from("terms"), mediaType: "text/plain", name: "terms.txt" },
};
type Name = keyof typeof FILES;
const attached = (name: Name): FilePart => ({ file: { at: "gateway", id: name as GatewayFileId } });
const draftWith = (type: "image" | "video" | "document", name: Name = type): TemplateDraft => ({
  name: "Order ready",
  language: "en_US",
  category: "utility",
  header: { type },
  body: "Hello {{1}}, come in.",
  buttons: [],
  examples: { body: ["Ann"], files: [attached(name)] },
});
const CODE = "order_ready|en_US";
const CHAT = "15550100042" as ChatId;

async function withFiles(own: object = {}) {
  const stage = await staged(own);
  const { session, network, world, core, context } = stage;
  for (const [id, { bytes, ...known }] of Object.entries(FILES))
    stage.atGateway.set(id, () => ({ body: streamOf(bytes), ...known, size: bytes.length }));
  const account = world.accounts.get(ACCOUNT_ID);
  if (!account || !session.templates) throw new Error("there are no templates");
  const named = (operation: string) => core.journal.entries().filter((each) => each.operation === operation);
  const header = () => [...account.templates.values()].find(({ name }) => name === "order_ready")?.components[0];
  /** The example as the reviewers open it. */
  const example = async () => {
    const url = header()?.example?.header_handle?.[0] ?? "";
    const answer = await context.call({ method: "GET", url, timeoutMs: 5_000 });
    if (answer.type !== "answer") throw new Error("there is no example");
    return Buffer.from(answer.bytes);
  };
  const use = async (type: "image" | "video" | "document", ...names: Name[]) =>
    sendWith({ type, values: [], files: names.map(attached) });
  const sendWith = async (header?: TemplateUse["header"]) => {
    const [step] = stage.stepsOf({ type: "text", text: "for readers" });
    if (!step) throw new Error("a text is a step");
    const template = { code: CODE, header, body: ["Ann"], buttons: [] };
    return session.send({ ...step, template }, { chat: CHAT, key: crypto.randomUUID() }, fresh());
  };
  return { ...stage, account, templates: session.templates, named, header, example, use, sendWith, network };
}

describe("a template with a file above its text", () => {
  it.each(["image", "video", "document"] as const)(
    "is handed in with the agent's %s, which reviewers see",
    async (type) => {
      const { templates, network, header, example, named } = await withFiles();
      const made = await templates.create(draftWith(type), fresh());
      expect(made).toMatchObject({ code: CODE, header: { type }, status: "pending" });
      expect(header()).toMatchObject({ type: "HEADER", format: type.toUpperCase() });
      expect((await example()).equals(FILES[type].bytes)).toBe(true);
      const { bytes, mediaType, name } = FILES[type];
      expect(named("beginUpload").map(({ path, query }) => [path, query])).toEqual([
        [`/v26.0/${DEMO_APP.id}/uploads`, { file_name: name, file_length: String(bytes.length), file_type: mediaType }],
      ]);
      await network.idle();
      const [listed] = (await templates.list(fresh())).filter(({ code }) => code === CODE);
      expect(listed).toMatchObject({ header: { type }, status: "approved" });
    },
  );

  it("goes to a customer with a file of the agent's", async () => {
    const { templates, network, use, last, core } = await withFiles();
    await templates.create(draftWith("image"), fresh());
    await network.idle();
    await use("image", "image");
    await network.idle();
    expect(last()).toMatchObject({ status: "delivered", content: { text: { body: "Hello Ann, come in." } } });
    const [, id = ""] = /"image":\{"id":"(\d+)"\}/.exec(JSON.stringify(last().content)) ?? [];
    expect(Buffer.from(core.media.find(id)?.bytes ?? []).equals(PICTURE)).toBe(true);
  });

  it("is refused to a customer with a file that Meta would drop after its answer", async () => {
    const { templates, network, use, named } = await withFiles();
    await templates.create(draftWith("image"), fresh());
    await network.idle();
    expect((await refusalOf(use("image", "document"))).message).toBe(
      "the template needs a picture above its text: JPEG or PNG, of at most 5 MB",
    );
    expect(named("sendMessage")).toEqual([]);
  });

  it("is refused to a customer without a file, whether or not the gateway says that there could be one", async () => {
    const { templates, network, use, sendWith, named } = await withFiles();
    await templates.create(draftWith("image"), fresh());
    await network.idle();
    await templates.list(fresh());
    for (const act of [use("image"), sendWith()])
      expect((await refusalOf(act)).message).toBe("the template needs a file above its text");
    expect(named("sendMessage")).toEqual([]);
  });

  it("keeps its example when an agent changes its words alone, and gets another with a new file", async () => {
    const { templates, network, account, example } = await withFiles();
    await templates.create(draftWith("document"), fresh());
    await network.idle();
    const words = { ...draftWith("document"), body: "Hi {{1}}, come in.", examples: { body: ["Ann"] } };
    expect(await templates.edit(CODE, words, fresh())).toMatchObject({ status: "pending" });
    expect((await example()).equals(FILES.document.bytes)).toBe(true);
    const [template] = [...account.templates.values()].filter(({ name }) => name === "order_ready");
    if (!template) throw new Error("there is no template");
    expect(template.components.find(({ type }) => type === "BODY")?.text).toBe("Hi {{1}}, come in.");
    await review(network, account, template, { event: "APPROVED" });
    await templates.edit(CODE, draftWith("image"), fresh());
    expect((await example()).equals(FILES.image.bytes)).toBe(true);
  });

  it("whose words Meta would refuse uploads nothing", async () => {
    const { templates, named } = await withFiles();
    const draft = { ...draftWith("image"), footer: "{{1}}" };
    expect((await refusalOf(templates.create(draft, fresh()))).message).toMatch(/footer cannot have variables/);
    expect(named("beginUpload")).toEqual([]);
  });

  it.each([
    ["image", "document", "the file above a template's text has to be one of these: JPEG, PNG"],
    ["video", "image", "the file above a template's text has to be one of these: MP4"],
    ["document", "text", "the file above a template's text has to be one of these: PDF"],
  ] as const)("that is a %s takes no other file (%s)", async (type, name, words) => {
    const { templates, named } = await withFiles();
    const error = await refusalOf(templates.create(draftWith(type, name), fresh()));
    expect([error.verdict, error.message]).toEqual([{ type: "reject", code: "general" }, words]);
    expect(named("beginUpload")).toEqual([]);
  });

  it("is refused in words where the file is too large, or nobody says how large it is", async () => {
    const { templates, atGateway } = await withFiles();
    const sized = (size?: number) => atGateway.set("image", () => ({ ...FILES.image, body: streamOf(PICTURE), size }));
    sized(5_000_001);
    expect((await refusalOf(templates.create(draftWith("image"), fresh()))).message).toBe("the file is too large");
    sized();
    expect((await refusalOf(templates.create(draftWith("image"), fresh()))).message).toBe(
      "the file's size is not known",
    );
  });

  it("is not handed in where Meta closes the app to the token, and says so in Meta's words", async () => {
    const { templates, core, named } = await withFiles();
    core.faults.plan({ operation: "beginUpload", code: 10 } as never);
    const error = await refusalOf(templates.create(draftWith("image"), fresh()));
    expect(error.verdict).toEqual({ type: "reject", code: "general" });
    expect(error.message).toMatch(
      /^Meta does not let this token hand in an example file: .*WhatsApp: .*\(10, an example file\)$/,
    );
    expect(named("createTemplate")).toEqual([]);
  });

  it("is tried again later where Meta answers with a passing failure", async () => {
    const { templates, core } = await withFiles();
    core.faults.plan({ operation: "uploadExample", code: 2 } as never);
    expect((await refusalOf(templates.create(draftWith("image"), fresh()))).verdict).toEqual({ type: "retry" });
  });

  it("is not handed in through 360dialog, which says where to make it", async () => {
    const { templates } = await withFiles({ via: "360dialog", token: DIALOG_KEY, appSecret: "" });
    const error = await refusalOf(templates.create(draftWith("image"), fresh()));
    expect(error.message).toBe(
      "360dialog takes no example file: make a template with a file above its text in its hub",
    );
  });
});
