import type { JournalEntry } from "gangway-messenger/kit/emulator/journal";
import { PICTURE } from "gangway-messenger/kit/sending";
import { describe, expect, it } from "vitest";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { samples } from "../../samples/samples.ts";
import { fresh, talking } from "../talking.ts";

const judge = contractJudge("vk");

/** An answer fits both of the contract's forms, as the short one is open. */
const AMBIGUOUS = /^messages\.get\w+ answers 200: data must match exactly one schema in oneOf in /;

/** Of a refusal only the answer is judged: what was asked is what was wrong. */
function faultsOf(entry: JournalEntry): string[] {
  const { error } = (entry.answer ?? {}) as { error?: object };
  const faults = judge?.(error ? { ...entry, headers: {} } : entry) ?? [];
  return faults.filter((fault) => !AMBIGUOUS.test(fault));
}
type Talking = Awaited<ReturnType<typeof talking>>;

async function agentDoes({ send, session, peer, idOf, file, context }: Talking): Promise<void> {
  const { parts } = await send({ quote: { messengerMessageId: idOf(1) } }, "a");
  const link = { type: "url" as const, title: "Open", payload: "https://shop.example/" };
  await send({ suggestions: [{ type: "text", title: "Yes" }, link] }, "b");
  await send({ kind: "image", text: "look", files: [file("p", PICTURE, "image/png", "a.png")] }, "c");
  await send({ kind: "file", text: "", files: [file("d", "terms", "text/plain", "Условия.txt")] }, "d");
  await send({ kind: "file", text: "", files: [file("e", "MZ", "application/x-exe", "a.exe")] }, "e");
  await send({ kind: "audio", text: "", files: [file("v", "OggS OpusHead", "audio/ogg", "v.ogg")] }, "f");
  await session.revisions?.edit(
    { do: "edit", part: parts[0], text: "mended", marks: [], suggestions: [] },
    peer,
    fresh(),
  );
  await session.revisions?.delete({ chat: peer, messengerMessageId: parts[0].messengerMessageId }, fresh());
  const at = { chat: peer, messengerMessageId: idOf(1) };
  await session.reactions?.set(at, "👍", fresh());
  await session.reactions?.set(at, null, fresh());
  await session.readMarks?.read(at, fresh());
  await session.lookup?.({} as never, { chat: peer, key: "b", since: context.clock.now() }, fresh());
  await session.list?.(0, undefined, fresh());
  await session.inspect?.(fresh());
  await session.standing?.(fresh());
  await session.avatars?.find(peer as never, fresh());
}

async function customerDoes({ emulator, chat }: Talking): Promise<void> {
  const { customers } = emulator;
  const file = { name: "a.png", mediaType: "image/png", bytes: PICTURE };
  for (const as of ["photo", "doc", "audio_message"] as const) await customers.says(chat, { files: [{ as, ...file }] });
  await customers.says(chat, { text: "an answer", reply: 1, ref: "spring", refSource: "mail", payload: "{}" });
  await customers.says(chat, { text: "look", forwards: [1], geo: { type: "point", showmap: 1 } });
  await customers.says(chat, { text: "long ".repeat(100), isCropped: true });
  const [said] = chat.messages;
  if (said) await customers.edits(chat, said, "mended");
  const ours = chat.messages.find(({ from }) => from === "community");
  if (ours) for (const reaction of [3, undefined]) await customers.reacts(chat, ours, reaction);
  await customers.reads(chat);
  await customers.staffSays(chat, "From the staff");
  await customers.denies(chat);
  await customers.allows(chat);
}

async function refused({ emulator, send, chat, session }: Talking): Promise<void> {
  for (const code of [6, 10, 901, 914]) {
    emulator.core.faults.plan({ operation: "messages.send", code });
    await send({}, `refused ${code}`).catch(() => {});
  }
  chat.isExpired = true;
  await send({}, "late").catch(() => {});
  await session.revisions?.delete({ chat: "1" as never, messengerMessageId: "1:1" as never }, fresh()).catch(() => {});
}

describe.skipIf(!judge)("beside the published contract", () => {
  it("all of VK's traffic fits it: calls, uploads, events and polls", async () => {
    const stage = await talking();
    await agentDoes(stage);
    await customerDoes(stage);
    await refused(stage);
    await stage.session.disconnect(fresh());
    const polled = await talking({ updates: "polling" });
    await polling(polled);
    const entries = [stage, polled].flatMap(({ emulator }) => emulator.core.journal.entries());
    expect(entries.flatMap(faultsOf)).toEqual([]);
    const methods = new Set(entries.map(({ operation }) => operation));
    expect(methods.size).toBeGreaterThan(25);
    expect(entries.filter(({ operation }) => operation === "callback").length).toBeGreaterThan(20);
    expect(entries.length).toBeGreaterThan(70);
  });

  it("our samples fit it", () => {
    const entry = (request: object): JournalEntry => ({
      ...{ at: 0, kind: "webhook", operation: "callback", method: "POST", path: "", query: {}, status: 200 },
      ...{ request, answer: "ok", headers: {} },
    });
    /** Of kinds that the contract's list does not have, or leaves out on purpose. */
    const ahead = /tomorrow|a list of videos|podcasts|a story|a poll|collection|without an address|a location/;
    const bodies = Object.entries(samples).filter(([name]) => !ahead.test(name));
    expect(bodies.flatMap(([, { body }]) => faultsOf(entry(body)))).toEqual([]);
  });
});

async function polling({ session, emulator, chat }: Talking): Promise<void> {
  const stop = new AbortController();
  let batches = 0;
  const run = session.feed?.run(async () => {
    batches += 1;
    if (batches === 1) await emulator.customers.says(chat, { text: "polled" });
    else stop.abort();
  }, stop.signal);
  emulator.core.clock.after = (_, wake) => {
    setImmediate(wake);
    return () => {};
  };
  await run?.catch(() => {});
}
