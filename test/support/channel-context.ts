import { type Clock, systemClock } from "gangway-messenger/clock";
import { FileTooLarge, type HostedContext, type HostedReceipt } from "gangway-messenger/hosted";
import { memoryContext, streamOf } from "gangway-messenger/kit/context";
import type { OpenFile } from "gangway-messenger/message";
import { createStreams } from "../../src/relay/sessions/feeds.ts";
import { createJournals } from "../../src/relay/sessions/sessions.ts";
import { addAccount, addChannel, temporaryStore } from "./store.ts";

export const fileOf = (text: string, mediaType = "text/plain", name = "note.txt"): OpenFile => ({
  body: streamOf(text),
  mediaType,
  name,
  size: text.length,
});

/** A session's context, with the real journal and kept files on a real database. */
export async function channelContext<Settings>(settings: Settings, clock: Clock = systemClock) {
  const store = await temporaryStore(clock);
  const channel = await addChannel(store, await addAccount(store));
  const journals = createJournals(store);
  const { context: inMemory, atGateway } = memoryContext(settings, clock);
  const context: HostedContext<Settings> = {
    ...inMemory,
    channelId: channel.id,
    name: channel.name,
    doorUrl: `https://gangway.example/m/${channel.door}`,
    journal: journals.of(channel.id),
    keptFiles: {
      keep: (file, most, of) => store.keptFiles.keep(channel.id, file, most, () => new FileTooLarge(most), of),
      open: (id) => store.keptFiles.open(channel.id, id),
    },
    streams: createStreams(4_000)(channel.id),
    notes: { get: (key) => store.notes.get(channel.id, key), set: (notes) => store.notes.set(channel.id, notes) },
  };
  /** Stores a receipt like the relay does. */
  const commit = async ({ journal = [], notes = [] }: Pick<HostedReceipt, "journal" | "notes">) => {
    await context.journal.append(journal);
    await context.notes.set(notes);
  };
  return { context, commit, atGateway };
}
