import * as z from "zod";
import type { ChannelSession } from "../port.ts";
import type { BotApi } from "./api.ts";

const photos = z.object({
  photos: z.array(z.array(z.object({ file_id: z.string(), file_unique_id: z.string(), width: z.number() }))),
});
/** Agents see it small: take the smallest size that is at least this wide, pixels. */
const MIN_WIDTH = 160;

/** Profile photos, if the customer shows them to bots. */
export function avatars(api: BotApi): NonNullable<ChannelSession["avatars"]> {
  return {
    async find(customer, signal) {
      // A group that is one customer has a negative id, and no profile photos.
      if (!/^\d+$/.test(customer)) return undefined;
      const params = { user_id: Number(customer), limit: 1 };
      const found = await api.call(
        { method: "getUserProfilePhotos", params, result: photos, repeatable: true },
        signal,
      );
      const sizes = [...(found.photos[0] ?? [])].sort((a, b) => a.width - b.width);
      const size = sizes.find(({ width }) => width >= MIN_WIDTH) ?? sizes.at(-1);
      return size && { version: size.file_unique_id, ref: size.file_id };
    },
  };
}
