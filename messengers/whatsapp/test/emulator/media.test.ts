import { silentOgg } from "gangway-messenger/kit/emulator/silence";
import { describe, expect, it } from "vitest";
import { measuresOf } from "../../../../sandbox/src/gateway/measures.ts";
import { listening } from "../../../../test/support/listening.ts";
import { write } from "../../emulator/acts.ts";
import { COEXISTENCE_ID, NUMBER_ID } from "../../emulator/seed.ts";
import { FILES } from "./scene.ts";
import { opened } from "./stage.ts";

type Stage = Awaited<ReturnType<typeof opened>>;
const upload = ({ ask }: Stage, bytes: Uint8Array, type: string, number = NUMBER_ID) => {
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("file", new File([Uint8Array.from(bytes)], "file", { type }));
  return ask("POST", `${number}/media`, form);
};

describe("media", () => {
  it("come up as a form and down by an address that needs the token and lives five minutes", async () => {
    const stage = await opened();
    const { emulator, ask, clock } = stage;
    const { id } = (await upload(stage, FILES.image.bytes, "image/png")).body;
    const { url, sha256, file_size } = (await ask("GET", id)).body;
    expect([sha256.length, file_size]).toEqual([64, FILES.image.bytes.length]);
    const path = url.slice("http://graph.example".length);
    const [{ value: token } = { value: "" }] = stage.network.core.tokens.list();
    const headers = { authorization: `Bearer ${token}` };
    expect((await emulator.site.request(path)).status).toBe(401);
    const answer = await emulator.site.request(path, { headers });
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(FILES.image.bytes))).toBe(true);
    clock.jump(5 * 60_000);
    expect((await emulator.site.request(path, { headers })).status).toBe(404);
    expect((await ask("GET", `${id}?phone_number_id=${COEXISTENCE_ID}`)).status).toBe(400);
    expect((await ask("DELETE", id)).body).toEqual({ success: true });
    expect((await ask("GET", id)).body.error.error_subcode).toBe(33);
  });

  it("are refused in an unknown type, empty, or too large", async () => {
    const stage = await opened();
    const refused = await upload(stage, FILES.image.bytes, "image/gif");
    expect(refused.body.error.message).toContain("Received file of type 'image/gif'");
    expect((await upload(stage, new Uint8Array(), "image/png")).body.error.code).toBe(131053);
    expect((await upload(stage, new Uint8Array(5_000_001), "image/png")).body.error.code).toBe(131053);
  });

  it.each([
    [
      "a document sent as a picture",
      "image",
      FILES.document.bytes,
      "application/pdf",
      "Unsupported Image mime type application/pdf",
    ],
    ["a text that says it is a picture", "image", Buffer.from("no picture"), "image/png", "is really text/plain"],
    ["a picture that says it is sound", "audio", FILES.image.bytes, "audio/mpeg", "is really image/png"],
    ["Ogg that is not Opus", "audio", Buffer.from("OggS\0\x02vorbis"), "audio/ogg", "without opus"],
  ])("fail after the 200: %s", async (_, kind, bytes, type, words) => {
    const stage = await opened();
    await stage.emulator.says("hello");
    const { id } = (await upload(stage, bytes, type)).body;
    expect((await stage.send({ type: kind, [kind]: { id } })).status).toBe(200);
    await stage.idle();
    expect(stage.statuses()).toMatchObject([{ status: "failed", errors: [{ code: 131053 }] }]);
    expect(JSON.stringify(stage.statuses())).toContain(words);
  });

  it("of another number are not found", async () => {
    const stage = await opened();
    const { id } = (await upload(stage, FILES.image.bytes, "image/png", COEXISTENCE_ID)).body;
    expect((await stage.send({ type: "image", image: { id } })).body.error.message).toContain("is not a valid");
  });

  it("by link are loaded after the 200, and fail with the status they answer", async () => {
    const { emulator, send, statuses, idle, chat } = await opened();
    const site = await listening((request, response) => {
      response.writeHead(request.url === "/sea.png" ? 200 : 404, { "content-type": "image/png" });
      response.end(request.url === "/sea.png" ? FILES.image.bytes : "");
    });
    await emulator.says("hello");
    await send({ type: "image", image: { link: `${site}/sea.png` } });
    await idle();
    expect(chat.messages.at(-1)).toMatchObject({
      status: "delivered",
      medium: { name: "sea.png", mediaType: "image/png" },
    });
    await send({ type: "image", image: { link: `${site}/none.png` } });
    await idle();
    expect(statuses().at(-1)?.errors).toMatchObject([
      { code: 131053, error_data: { details: expect.stringContaining("failed with http code 404") } },
    ]);
  });

  it("of a customer carry their hash, and their address if told to", async () => {
    const { network, chat, messages } = await opened();
    network.switches.set({ directUrl: true });
    await write(network, chat, { media: { kind: "voice", ...FILES.audio } });
    expect(messages()[0]).toMatchObject({
      type: "audio",
      audio: { voice: true, mime_type: "audio/ogg; codecs=opus", url: expect.stringContaining("attachments/?mid=") },
    });
  });
});

it("silence of the phone is two seconds of Opus", () => {
  expect(measuresOf(silentOgg(2))).toMatchObject({ duration: 2 });
});
