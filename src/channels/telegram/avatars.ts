import { z } from "zod";
import type { ChannelSession } from "../port.ts";
import type { BotApi } from "./api.ts";

const photos = z.object({
  photos: z.array(z.array(z.object({ file_id: z.string(), file_unique_id: z.string(), width: z.number() }))),
});
/** The agent sees it small: the first size of at least this width, pixels. */
const WIDTH = 160;

/** Pictures of customers, as far as they let bots see them. */
export function avatars(api: BotApi): NonNullable<ChannelSession["avatars"]> {
  return {
    async find(customer, signal) {
      // A group that is one customer has an id below zero, and no such list.
      if (!/^\d+$/.test(customer)) return undefined;
      const params = { user_id: Number(customer), limit: 1 };
      const found = await api.ask({ method: "getUserProfilePhotos", params, result: photos, repeatable: true }, signal);
      const sizes = [...(found.photos[0] ?? [])].sort((a, b) => a.width - b.width);
      const size = sizes.find(({ width }) => width >= WIDTH) ?? sizes.at(-1);
      return size && { version: size.file_unique_id, ref: size.file_id };
    },
  };
}
