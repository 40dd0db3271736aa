import { DeliveryError } from "gangway-messenger/errors";
import type { InLanguages } from "gangway-messenger/language";
import type { LoginFacts, Notes } from "gangway-messenger/port";
import * as z from "zod";
import type { CloudApi } from "../api.ts";
import type { Context } from "../server.ts";
import type { View } from "./view.ts";

// Imports a coexistence number's chats from its phone. Meta provides them once, if asked within a day of the number's
// registration by the app (documentation/business-messaging/whatsapp/embedded-signup/onboarding-business-app-users).

const stored = z.object({
  asked: z.boolean().optional(),
  /** Percent. */
  progress: z.number().optional(),
  /** The phone's owner does not share them. */
  isDeclined: z.boolean().optional(),
  /** Meta's answer to the request. */
  refused: z.string().optional(),
});
type Sync = z.infer<typeof stored>;

const NOTE = "phone-sync";

async function readSync(note: Notes["get"]): Promise<Sync> {
  return stored.safeParse(JSON.parse((await note(NOTE)) ?? "{}")).data ?? {};
}

export async function keepSync(view: Pick<View, "note" | "set">, news: Sync): Promise<void> {
  view.set(NOTE, JSON.stringify({ ...(await readSync(view.note)), ...news }));
}

const answer = z.looseObject({});

/** Runs once. Everything else works without it: a refusal is noted, for the account page. */
export async function askForHistory({ settings, notes }: Context, api: CloudApi, signal: AbortSignal): Promise<void> {
  const known = await readSync(notes.get);
  if (!settings.importHistory || settings.via !== "meta" || known.asked) return;
  let sync: Sync = { asked: true };
  try {
    for (const sync_type of ["smb_app_state_sync", "history"])
      await api.call(
        {
          ...{
            method: "POST",
            path: `${settings.phoneNumberId}/smb_app_data`,
            result: answer,
            what: "the phone's chats",
          },
          body: { messaging_product: "whatsapp", sync_type },
        },
        signal,
      );
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    sync = { refused: error.message };
  }
  await notes.set([{ key: NOTE, value: JSON.stringify({ ...known, ...sync }) }]);
}

const words = (en: string, es: string, ru: string): InLanguages<string> => ({ en, es, ru });
const NAME = words("Chats of the phone's app", "Chats de la aplicación del teléfono", "Чаты из приложения на телефоне");
const ASKED = words("Asked for", "Solicitados", "Запрошены");
const DECLINED = words(
  "Not shared by the phone's owner",
  "El titular del teléfono no los comparte",
  "Владелец телефона не поделился ими",
);

/** For the account page. */
export async function syncFacts({ get }: Pick<Notes, "get">): Promise<LoginFacts["facts"]> {
  const { asked, progress, isDeclined, refused } = await readSync(get);
  if (isDeclined) return [{ name: NAME, value: DECLINED, isBad: true }];
  if (progress !== undefined) return [{ name: NAME, value: `${progress} %` }];
  if (refused) return [{ name: NAME, value: refused, isBad: true }];
  return asked ? [{ name: NAME, value: ASKED }] : [];
}
