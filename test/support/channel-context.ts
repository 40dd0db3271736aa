import { type Clock, systemClock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { FileTooLarge, type HostedContext, type HostedReceipt } from "gangway-messenger/hosted";
import type { OpenFile } from "gangway-messenger/message";
import { createStreams } from "../../src/relay/sessions/feeds.ts";
import { createJournals } from "../../src/relay/sessions/sessions.ts";
import { addAccount, addChannel, temporaryStore } from "./store.ts";

export const bytesOf = (text: string | Uint8Array): ReadableStream<Uint8Array> =>
  new Blob([typeof text === "string" ? text : new Uint8Array(text)]).stream();
export const fileOf = (text: string, mediaType = "text/plain", name = "note.txt"): OpenFile => ({
  body: bytesOf(text),
  mediaType,
  name,
  size: text.length,
});

/** A session's context, with the real journal and kept files on a real database. */
export async function channelContext<Settings>(settings: Settings, clock: Clock = systemClock) {
  const store = await temporaryStore(clock);
  const channel = await addChannel(store, await addAccount(store));
  const journals = createJournals(store);
  const atGateway = new Map<string, () => OpenFile>();
  const context: HostedContext<Settings> = {
    channelId: channel.id,
    name: channel.name,
    doorUrl: `https://gangway.example/m/${channel.door}`,
    settings,
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "no network in this test" }),
    clock,
    journal: journals.of(channel.id),
    keptFiles: {
      keep: (file, most, of) => store.keptFiles.keep(channel.id, file, most, () => new FileTooLarge(most), of),
      open: (id) => store.keptFiles.open(channel.id, id),
    },
    streams: createStreams(4_000)(channel.id),
    closed: new AbortController().signal,
    server: { updates: "webhook" },
    notes: { get: (key) => store.notes.get(channel.id, key), set: (notes) => store.notes.set(channel.id, notes) },
    gatewayFile: async (id) => {
      const file = atGateway.get(id);
      if (!file) throw new DeliveryError({ type: "reject", code: "general" }, "no such file");
      const { body, ...known } = file();
      await body.cancel();
      return { ...known, url: `https://gateway.example/${id}`, open: async () => file() };
    },
  };
  /** Stores a receipt like the relay does. */
  const commit = async ({ journal = [], notes = [] }: Pick<HostedReceipt, "journal" | "notes">) => {
    await context.journal.append(journal);
    await context.notes.set(notes);
  };
  return { context, commit, atGateway };
}
