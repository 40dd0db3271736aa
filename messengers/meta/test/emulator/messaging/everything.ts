import { paintPng } from "gangway-messenger/kit/emulator/picture";
import type { Customers } from "../../../emulator/messaging/customer.ts";
import type { Chat } from "../../../emulator/messaging/world.ts";

export const PICTURE = "https://files.test/picture.png";

interface Stage {
  emulator: { customers: Customers };
  chat: Chat;
  files: Map<string, Response>;
}

/** Everything that customers of both networks do. */
export async function customerDoes({ emulator: { customers }, chat, files }: Stage): Promise<void> {
  const bytes = Uint8Array.from(paintPng(2, 2, [1, 2, 3]));
  files.set(PICTURE, new Response(bytes, { headers: { "content-type": "image/png" } }));
  const said = await customers.says(chat, { text: "Hola 😀" });
  for (const type of ["image", "video", "audio", "file"])
    await customers.says(chat, {
      files: [{ type, name: `${type}.bin`, mediaType: "application/octet-stream", bytes }],
    });
  await customers.says(chat, {
    attachments: [{ type: "ig_reel", payload: { url: PICTURE, title: "R", reel_video_id: 1 } }],
  });
  await customers.says(chat, { text: "Yes", quickReply: "YES", replyTo: { mid: said.mid } });
  await customers.says(chat, { text: "Wow", replyTo: { story: { id: "1", url: PICTURE } } });
  const referral = {
    ref: "spring",
    source: "ADS",
    type: "OPEN_THREAD",
    ad_id: "6",
    ads_context_data: { ad_title: "Shoes" },
  };
  await customers.says(chat, { text: "From the ad", more: { referral } });
  await customers.edits(said, "Hola");
  await customers.reacts(said, { reaction: "love", emoji: "❤" });
  await customers.reacts(said, undefined);
  await customers.presses(chat, { title: "Start", payload: "START", referral });
  await customers.arrives(chat, referral);
  await customers.unsends(await customers.says(chat, { text: "Oops" }));
}
