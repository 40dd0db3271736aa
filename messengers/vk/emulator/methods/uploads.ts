import { pictureSize } from "gangway-messenger/kit/emulator/picture";
import { randomText } from "gangway-messenger/kit/emulator/random";
import { z } from "zod";
import type { Core } from "../core.ts";
import { chatWith, method } from "../method.ts";
import { int, text } from "../params.ts";
import { VkRefusal } from "../refusal.ts";
import type { Stored } from "../shelf.ts";

const SECOND_MS = 1_000;
const ALBUM = -64;

const photoServer = method({
  ...{ name: "photos.getMessagesUploadServer", right: "photos", fields: { peer_id: int.optional() } },
  run(asked) {
    const { core, community, fields } = asked;
    if (fields.peer_id) chatWith(asked, fields.peer_id);
    const ticket = core.shelf.ticket({ community: community.id, kind: "photo" });
    const url = `${core.origin()}/upload/photo?act=do_add&ticket=${ticket}`;
    return { album_id: ALBUM, upload_url: url, user_id: 0, group_id: community.id };
  },
});

const savePhoto = method({
  ...{ name: "photos.saveMessagesPhoto", right: "photos" },
  fields: { photo: text, server: int.optional(), hash: text.optional() },
  run({ core, community, fields }) {
    const ticket = core.shelf.redeem(fields.photo);
    const stored = ticket?.file === undefined ? undefined : core.shelf.find(ticket.file);
    if (!stored) throw new VkRefusal(129);
    if (ticket?.community !== community.id) throw new VkRefusal(118);
    if (fields.hash !== hashOf(fields.photo)) throw new VkRefusal(121);
    return [keptPhoto(core, -community.id, stored)];
  },
});

export const hashOf = (ticket: string): string => ticket.split("").reverse().join("");

const docServer = method({
  ...{ name: "docs.getMessagesUploadServer", right: "docs" },
  fields: { type: z.enum(["doc", "audio_message", "graffiti"]).default("doc"), peer_id: int.optional() },
  run(asked) {
    const { core, community, fields } = asked;
    if (fields.peer_id) chatWith(asked, fields.peer_id);
    const ticket = core.shelf.ticket({ community: community.id, kind: fields.type });
    return { upload_url: `${core.origin()}/upload/doc?act=add_doc_new&ticket=${ticket}` };
  },
});

const saveDoc = method({
  ...{ name: "docs.save", right: "docs", fields: { file: text, title: text.optional(), tags: text.optional() } },
  run({ core, community, fields }) {
    const ticket = core.shelf.redeem(fields.file);
    const stored = ticket?.file === undefined ? undefined : core.shelf.find(ticket.file);
    if (!stored || ticket?.community !== community.id) throw new VkRefusal(105);
    if (ticket.kind === "audio_message") return keptVoice(core, -community.id, stored);
    return keptDoc(core, -community.id, stored, fields.title);
  },
});

const fileUrl = ({ origin }: Core, { id, name }: Stored) => `${origin()}/file/${id}/${encodeURIComponent(name)}`;

const keep = ({ shelf, random }: Core, type: string, owner: number, id: number, of: object) => {
  const access_key = randomText(18, random).toLowerCase();
  const whole = { ...of, access_key };
  for (const name of [`${type}${owner}_${id}`, `${type}${owner}_${id}_${access_key}`])
    shelf.keep(name, { type, [type]: whole });
  return whole;
};

/** A photo with one size, which is its own. */
export function keptPhoto(core: Core, owner: number, stored: Stored): object {
  const { width, height } = pictureSize(stored.bytes) ?? { width: 0, height: 0 };
  const url = fileUrl(core, stored);
  const sizes = [
    { type: "s", url: url.replace("/file/", "/thumb/"), width: 1, height: 1 },
    { type: "z", url, width, height },
  ];
  const date = Math.floor(core.clock.now() / SECOND_MS);
  return keep(core, "photo", owner, stored.id, {
    album_id: ALBUM,
    date,
    id: stored.id,
    owner_id: owner,
    sizes,
    text: "",
  });
}

export function keptDoc(core: Core, owner: number, stored: Stored, title = stored.name): object {
  const ext = /\.(\w{1,8})$/.exec(title)?.[1]?.toLowerCase() ?? /\.(\w{1,8})$/.exec(stored.name)?.[1] ?? "txt";
  const date = Math.floor(core.clock.now() / SECOND_MS);
  const url = `${core.origin()}/doc/${stored.id}/0`;
  const doc = { id: stored.id, owner_id: owner, title, size: stored.size, ext, date, type: 1, url };
  return { type: "doc", doc: keep(core, "doc", owner, stored.id, doc) };
}

export function keptVoice(core: Core, owner: number, stored: Stored): object {
  const url = fileUrl(core, stored);
  const voice = { id: stored.id, owner_id: owner, duration: 2, link_mp3: url, link_ogg: url, waveform: [0, 5, 9, 5] };
  return { type: "audio_message", audio_message: keep(core, "audio_message", owner, stored.id, voice) };
}

export const uploadMethods = [photoServer, savePhoto, docServer, saveDoc];
