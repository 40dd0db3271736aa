import { fingerprint } from "gangway-messenger/ids";
import * as z from "zod";
import { type Api, vkApi } from "./api.ts";
import { type AskPeople, askingPeople } from "./people.ts";
import { LINES, type Lines } from "./reading/lines.ts";
import type { Context } from "./wire.ts";

/** A session's access to its community. */
export interface Login {
  context: Context;
  api: Api;
  lines: Lines;
  ask: AskPeople;
  /** The community's number, which the key implies; cached in a note. */
  communityId(signal: AbortSignal): Promise<number>;
}

const own = z.object({
  groups: z
    .array(
      z.object({
        id: z.int().min(1),
        name: z.string(),
        screen_name: z.string().nullish(),
        photo_200: z.string().nullish(),
      }),
    )
    .min(1),
});
export type Community = z.infer<typeof own>["groups"][number];

/** Throws DeliveryError. */
export async function ownCommunity(api: Api, signal: AbortSignal): Promise<Community> {
  const { groups } = await api.call({ method: "groups.getById", result: own }, signal);
  return groups[0] as Community;
}

const FINGERPRINT_LENGTH = 16;
const communityKey = ({ settings: { token } }: Context) =>
  `community:${fingerprint(token).slice(0, FINGERPRINT_LENGTH)}`;

export function loginTo(context: Context): Login {
  const api = vkApi(context);
  let known: number | undefined;
  return {
    ...{ context, api, lines: LINES[context.settings.language], ask: askingPeople(context, api) },
    async communityId(signal) {
      const key = communityKey(context);
      known ??= Number(await context.notes.get(key)) || undefined;
      if (known !== undefined) return known;
      const { id } = await ownCommunity(api, signal);
      await context.notes.set([{ key, value: String(id) }]);
      known = id;
      return id;
    },
  };
}
