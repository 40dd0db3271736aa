import { createHash } from "node:crypto";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import type { Platform } from "./network.ts";

const SIZE = 64;
/** The picture itself stays; each address of it ends. */
const KEPT_MS = 3_650 * 86_400_000;

/** A fresh address of a profile picture: `name` chooses its colour. */
export function profilePicture({ core, world, values }: Platform, id: string, name: string): string {
  const known = world.pictures.get(id);
  const medium =
    known ??
    core.media.add({ owner: id, name: "picture.png", mediaType: "image/png", bytes: painted(name), lifeMs: KEPT_MS });
  world.pictures.set(id, medium);
  return `${core.origin()}${core.media.link(medium, values().profilePictureMs, false)}`;
}

function painted(name: string): Uint8Array {
  const [red = 0, green = 0, blue = 0] = createHash("sha256").update(name).digest();
  return paintPng(SIZE, SIZE, [red, green, blue]);
}
