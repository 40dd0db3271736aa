import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { randomText } from "gangway-messenger/kit/emulator/random";
import { mediaContent } from "./media.ts";
import type { PhoneDraft } from "./phone-wire.ts";
import type { Content, Sticker } from "./wire.ts";
import type { World } from "./world.ts";

const COLOURS = { center_color: 0x8fb8d0, edge_color: 0x2a6f97, symbol_color: 0x1d4e6b, text_color: 0xffffff };

const newId = (world: World): string => String(5_900_000_000_000_000 + Math.floor(world.random() * 1e15));

function stickerOf(world: World, colour: [number, number, number]): Sticker {
  const file = world.files.add({ name: "gift.png", mediaType: "image/png", bytes: paintPng(128, 128, colour) });
  return mediaContent(world, "sticker", file, { emoji: "🎁" }).sticker as Sticker;
}

export function giftContent(world: World, { stars, text, isPrivate }: NonNullable<PhoneDraft["gift"]>): Content {
  return {
    gift: {
      gift: { id: newId(world), sticker: stickerOf(world, [200, 120, 40]), star_count: stars },
      convert_star_count: Math.floor(stars * 0.85),
      ...(text && { text }),
      ...(isPrivate && { is_private: true as const }),
    },
  };
}

export function uniqueGiftContent(world: World, given: NonNullable<PhoneDraft["uniqueGift"]>): Content {
  const slug = `${given.name.replace(/\W/g, "")}-${given.number}`;
  return {
    unique_gift: {
      gift: {
        gift_id: newId(world),
        base_name: given.name,
        name: slug,
        number: given.number,
        model: { name: "Harbour", rarity_per_mille: 15, sticker: stickerOf(world, [40, 120, 200]) },
        symbol: { name: "Anchor", rarity_per_mille: 8, sticker: stickerOf(world, [30, 60, 90]) },
        backdrop: { name: "Sea", rarity_per_mille: 20, colors: COLOURS },
      },
      origin: "transfer",
      owned_gift_id: randomText(24, world.random),
      transfer_star_count: 25,
    },
  };
}
