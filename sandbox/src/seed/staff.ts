import { randomText } from "gangway-messenger/kit/emulator/random";
import { addUser } from "../users.ts";
import type { World } from "../world.ts";
import type { Draw } from "./draw.ts";

const NAMES = [
  "Alex Agent",
  "Olga Serova",
  "Marta Vidal",
  "Peter Mason",
  "Иван Лебедев",
  "Nuria Peña",
  "Claire Webster",
];
const TOKEN_LENGTH = 32;

/** The account's users; the first is its owner. Returns the ids by which the CRM's API knows them. */
export function fillStaff(world: World, draw: Draw, since: number): number[] {
  world.users.clear();
  return NAMES.map((name) => {
    const [first = "", last = ""] = name.split(" ");
    const user = addUser(world, first, last, since);
    user.token = randomText(TOKEN_LENGTH, draw.share);
    return Number(user.externalId);
  });
}
