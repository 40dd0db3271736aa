import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { createByteStore } from "gangway-messenger/kit/emulator/byte-store";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../emulator/wire.ts";
import { opened, posted, ROBIN } from "../stage.ts";

const PICTURE = Uint8Array.from(paintPng(200, 100, [10, 90, 160]));
const blob = (bytes: Uint8Array | string = "some bytes", type = "") =>
  new Blob([typeof bytes === "string" ? bytes : Uint8Array.from(bytes)], { type });
const chat_id = String(ROBIN);

describe("a file", () => {
  it("keeps its id and its unique id however often it is sent and fetched", async () => {
    const { origin, call } = await opened();
    const { result } = await posted<Message>(origin, "sendPhoto", { chat_id, photo: blob(PICTURE) });
    const [small, large] = result.photo ?? [];
    const again = await call<Message>("sendPhoto", { chat_id, photo: large?.file_id });
    expect(again.result.photo).toEqual(result.photo);
    expect((await call("getFile", { file_id: small?.file_id })).result).toMatchObject({
      file_unique_id: small?.file_unique_id,
    });
    const other = await posted<Message>(origin, "sendPhoto", { chat_id, photo: blob(PICTURE) });
    expect(other.result.photo?.[1]?.file_unique_id).not.toBe(large?.file_unique_id);
    await call("deleteMessages", { chat_id, message_ids: [2, 3, 4] });
    expect((await call("getFile", { file_id: large?.file_id })).ok).toBe(true);
  });

  it("is kept until the end, beyond the memory limit on disk", () => {
    const before = readdirSync(tmpdir());
    const shelf = createByteStore(10);
    for (const key of ["a", "b", "c"]) shelf.put(key, Buffer.from(key.repeat(6)));
    const [folder = ""] = readdirSync(tmpdir()).filter((name) => !before.includes(name) && /^sandbox-/.test(name));
    expect(readdirSync(`${tmpdir()}/${folder}`)).toEqual(["a", "b"]);
    expect(["a", "b", "c"].map((key) => Buffer.from(shelf.get(key)).toString())).toEqual([
      "aaaaaa",
      "bbbbbb",
      "cccccc",
    ]);
    shelf.close();
    expect(existsSync(`${tmpdir()}/${folder}`)).toBe(false);
  });

  it("keeps its kind when it is sent again as something else", async () => {
    const { origin, call } = await opened();
    const voice = (await posted<Message>(origin, "sendVoice", { chat_id, voice: blob(), duration: "3" })).result.voice;
    const { result } = await call<Message>("sendDocument", { chat_id, document: voice?.file_id, caption: "again" });
    expect([result.voice?.file_id, result.document, result.caption]).toEqual([voice?.file_id, undefined, "again"]);
  });

  it.each([
    ["A===", "wrong remote file identifier specified: Wrong string padding"],
    ["AAAA=", "wrong remote file identifier specified: Wrong padding length"],
    ["AAAAA", "wrong remote file identifier specified: Wrong string length"],
    ["AA*A", "wrong remote file identifier specified: Wrong character in the string"],
    ["AB", "wrong remote file identifier specified: Wrong padding in the string"],
    ["AAAA", "wrong remote file identifier specified: can't unserialize it. Wrong last symbol"],
    ["AAAE", "wrong remote file identifier specified: can't unserialize it"],
    ["file:///etc/hosts.jpg", "invalid file HTTP URL specified: Unsupported URL protocol"],
    ["sea.example", "failed to get HTTP URL content"],
  ])("that cannot be %s is refused with the reason", async (photo, words) => {
    const { refusal } = await opened();
    expect(await refusal("sendPhoto", { chat_id, photo })).toBe(`400 Bad Request: ${words}`);
  });

  it("that never existed, or is of another kind, is refused", async () => {
    const { origin, refusal, call } = await opened();
    const { result } = await posted<Message>(origin, "sendPhoto", { chat_id, photo: blob(PICTURE) });
    const photo = result.photo?.[1]?.file_id;
    const voice = (await posted<Message>(origin, "sendVoice", { chat_id, voice: blob() })).result.voice?.file_id;
    expect(await refusal("sendDocument", { chat_id, document: photo })).toContain(
      "can't use file of type Photo as Document",
    );
    expect(await refusal("sendPhoto", { chat_id, photo: voice })).toContain(
      "can't use file of type VoiceNote as Photo",
    );
    expect(await refusal("sendPhoto", { chat_id })).toBe("400 Bad Request: there is no photo in the request");
    expect(await refusal("sendVideoNote", { chat_id, video_note: "attach://x" })).toBe(
      "400 Bad Request: there is no video note in the request",
    );
    expect(await refusal("getFile", { file_id: "" })).toBe("400 Bad Request: file_id not specified");
    expect((await call("getFile", { file_id: "AgACAgIAnothing" })).description).toBe("Bad Request: invalid file_id");
  });
});

describe("thumbnails", () => {
  it("are made of visual media, and stay the same", async () => {
    const { origin, call } = await opened();
    const video = await posted<Message>(origin, "sendVideo", { chat_id, video: blob("mp4"), width: "640" });
    expect(video.result.video?.thumbnail).toMatchObject({ width: 90 });
    const again = await call<Message>("sendVideo", { chat_id, video: video.result.video?.file_id });
    expect(again.result.video?.thumbnail).toEqual(video.result.video?.thumbnail);
    const document = await posted<Message>(origin, "sendDocument", { chat_id, document: blob(PICTURE, "image/png") });
    expect(document.result.document?.thumbnail).toMatchObject({ width: 90, height: 45 });
    const voice = await posted<Message>(origin, "sendAudio", { chat_id, audio: blob() });
    expect(voice.result.audio?.thumbnail).toBeUndefined();
  });

  it("may be uploaded beside a file, also by the older name, unless they are too large", async () => {
    const { origin, call } = await opened();
    const send = async (more: Record<string, string | Blob>) =>
      (await posted<Message>(origin, "sendAudio", { chat_id, audio: blob(), ...more })).result.audio?.thumbnail;
    const given = await send({ thumbnail: blob(PICTURE) });
    expect(given).toMatchObject({ width: 200, height: 100, file_size: PICTURE.byteLength });
    expect((await call("getFile", { file_id: given?.file_id })).ok).toBe(true);
    expect(await send({ thumb: "attach://cover", cover: blob(PICTURE) })).toMatchObject({ width: 200 });
    expect(await send({ thumbnail: blob(paintPng(400, 10, [0, 0, 0])) })).toBeUndefined();
    expect(await send({ thumbnail: given?.file_id ?? "" })).toBeUndefined();
  });

  it("stand beside a video's cover", async () => {
    const { origin } = await opened();
    const parameters = { chat_id, video: blob("mp4"), cover: blob(PICTURE), start_timestamp: "7" };
    const { result } = await posted<Message>(origin, "sendVideo", parameters);
    expect(result.video).toMatchObject({ start_timestamp: 7, cover: [{ width: 90 }, { width: 200 }] });
  });
});

describe("captions", () => {
  it("can stand above, and only above visual media", async () => {
    const { origin, shown } = await opened();
    const above = { chat_id, caption: "*up*", parse_mode: "Markdown", show_caption_above_media: "true" };
    const photo = await posted<Message>(origin, "sendPhoto", { ...above, photo: blob(PICTURE), has_spoiler: "True" });
    expect(photo.result).toMatchObject({
      caption: "up",
      caption_entities: [{ type: "bold" }],
      show_caption_above_media: true,
      has_media_spoiler: true,
    });
    expect(shown().at(-1)?.above).toBe(true);
    const audio = await posted<Message>(origin, "sendAudio", { ...above, audio: blob() });
    expect(audio.result.show_caption_above_media).toBeUndefined();
  });
});

describe("an album", () => {
  const album = async (origin: string, media: unknown, more: Record<string, Blob> = {}) => {
    const encoded = typeof media === "string" ? media : JSON.stringify(media);
    const {
      ok,
      result,
      description = "",
    } = await posted<Message[]>(origin, "sendMediaGroup", {
      chat_id,
      media: encoded,
      ...more,
    });
    return ok ? result : description.replace("Bad Request: ", "");
  };

  it("is checked part by part", async () => {
    const { origin } = await opened();
    const files = { a: blob(PICTURE) };
    const part = { type: "photo", media: "attach://a" };
    expect(await album(origin, "[")).toBe("can't parse media JSON object");
    expect(await album(origin, {})).toBe("expected an Array of InputMedia");
    expect(await album(origin, [5])).toBe("can't parse InputMedia: expected an Object");
    expect(await album(origin, [{ media: "attach://a" }], files)).toBe(
      "can't parse InputMedia: Can't find field \"type\"",
    );
    expect(await album(origin, [part])).toBe("can't parse InputMedia: media not found");
    expect(await album(origin, [{ ...part, type: "animation" }], files)).toBe(
      "can't parse InputMedia: type \"animation\" can't be used in sendMediaGroup",
    );
    expect(await album(origin, [{ ...part, type: "sticker" }], files)).toBe(
      'can\'t parse InputMedia: type "sticker" is unsupported',
    );
    expect(await album(origin, [{ ...part, caption: "*", parse_mode: "Markdown" }], files)).toMatch(
      "can't parse InputMedia: Can't parse entities",
    );
    expect(await album(origin, [part, { ...part, type: "audio" }], files)).toBe(
      "audio can't be mixed with other media types",
    );
    expect(await album(origin, [part, { ...part, media: "http://127.0.0.1:9/x.png" }], files)).toBe(
      'failed to send message #2 with the error message "WEBPAGE_CURL_FAILED"',
    );
  });

  it("has a formatted caption in each part", async () => {
    const { origin } = await opened();
    const media = [
      { type: "photo", media: "attach://a", caption: "<i>one</i>", parse_mode: "HTML", show_caption_above_media: true },
      { type: "video", media: "attach://b", caption: "two", thumbnail: "attach://a", has_spoiler: true },
    ];
    expect(await album(origin, media, { a: blob(PICTURE), b: blob() })).toMatchObject([
      { caption: "one", caption_entities: [{ type: "italic" }], show_caption_above_media: true },
      { caption: "two", video: { thumbnail: { width: 200 } }, has_media_spoiler: true },
    ]);
  });
});
