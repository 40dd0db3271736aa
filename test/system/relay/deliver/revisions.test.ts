import { DeliveryError } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import type { MessengerMessageId } from "gangway-messenger/ids";
import { PICTURE } from "gangway-messenger/kit/sending";
import type { Content, Suggestion } from "gangway-messenger/message";
import { planMessage } from "gangway-messenger/planning";
import type { ChannelAdapter, ChannelSession } from "gangway-messenger/port";
import { excerptOf } from "gangway-messenger/text";
import adapter from "gangway-telegram";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sending } from "../../../../messengers/telegram/src/sending/outbound.ts";
import { openStage } from "../../../../messengers/telegram/test/unit/stage.ts";
import type { Job } from "../../../../src/domain/delivery.ts";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { GatewayMessageId, JobId } from "../../../../src/domain/ids.ts";
import type { OutboundAct, OutboundMessage } from "../../../../src/domain/message.ts";
import { unchangedText } from "../../../../src/domain/revision.ts";
import { failureReport } from "../../../../src/relay/deliver/reports.ts";
import { carryOut } from "../../../../src/relay/deliver/steps.ts";
import { createPaces } from "../../../../src/relay/limits/limits.ts";
import type { Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { roomFor } from "../../../support/room.ts";
import { oneChannel, takeLease } from "../../../support/store.ts";

const HOUR = 3_600_000;
const KEYS: Suggestion[] = [{ type: "text", title: "Yes" }];
const words = (text: string): Content => ({ type: "text", text });
const fresh = () => new AbortController().signal;

/** An agent and a customer on the emulated Telegram, with the relay's steps between them on a real store. */
async function inChat() {
  const stage = await openStage();
  const { store, clock, account, channel } = await oneChannel();
  const { settings } = stage.context;
  const capabilities = adapter.capabilities(settings);
  const session = sending(stage.context, stage.api) as ChannelSession;
  const fast = { ...adapter, pace: { perSecond: 1_000, perChat: () => ({ most: 1_000, everyMs: 1 }) } };
  const paces = createPaces(clock);
  await clock.forward(1_000);
  const lease = await takeLease(store, account.id, "test");
  const sessionsWith = (session: ChannelSession): Pick<Sessions, "open" | "gatewayFile"> => ({
    open: () => ({ session, adapter: fast as ChannelAdapter, capabilities }),
    gatewayFile: (_, ...asked) => stage.context.gatewayFile(...asked),
  });
  let count = 0;

  const accept = async (act: OutboundAct) => {
    const plan = act.type === "message" ? planMessage(act, capabilities) : undefined;
    count += 1;
    await store.outbox.acceptOutbound(channel, { key: String(count), act, plan, patienceMs: 600_000 });
  };
  const agents = (jobs: Job[]) => jobs.find(({ direction }) => direction === "outbound") as Job;
  const claim = async () => agents(await store.outbox.claim(lease, roomFor(9)));
  /** The job of the process that ended. */
  const inherit = async () => agents(await store.outbox.takeOver(lease));
  /** Runs to the end, recorded as the worker does. */
  const finish = async (job: Job, by: ChannelSession = session) => {
    if (job.task.direction !== "outbound") throw new Error("not an agent's");
    try {
      const outcome = await carryOut(
        { store, sessions: sessionsWith(by), paces, clock, explain: createExplain(COMMON_EXPLANATIONS) },
        channel,
        job,
        job.task.act,
        fresh(),
      );
      if (!("postponedMs" in outcome)) await store.outbox.done(job, outcome);
      return outcome as Exclude<typeof outcome, { postponedMs: number }>;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const { verdict, hindrance, message } = error;
      const next = { state: "dead", code: "general" } as const;
      const why = { verdict, next, error: message, unsure: false, hindrance, removed: false, at: 0 };
      const report = failureReport(job, why);
      await store.outbox.failed(job, next, message, report);
      return report;
    }
  };
  const does = async (act: OutboundAct) => {
    await accept(act);
    return finish(await claim());
  };
  const says = async (content: Content, suggestions: Suggestion[] = [], quote?: string) => {
    count += 1;
    const act: OutboundMessage = {
      ...{
        type: "message",
        gatewayMessageId: String(count) as GatewayMessageId,
        chat: stage.chat,
        content,
        suggestions,
      },
      ...(quote && { quote: { messengerMessageId: quote as MessengerMessageId } }),
    };
    const { ack } = await does(act);
    // The id by which the gateway knows it from now on.
    return ack?.messengerMessageId as MessengerMessageId;
  };
  const edit = (id: MessengerMessageId, content: Content, suggestions: Suggestion[] = []): OutboundAct => ({
    ...{ type: "edited", chat: stage.chat, messengerMessageId: id, content, suggestions },
  });
  const deletion = (id: MessengerMessageId): OutboundAct => ({
    type: "deleted",
    chat: stage.chat,
    messengerMessageId: id,
  });
  const texts = () => stage.heard().map(({ text }) => text);
  const called = () => stage.telegram.calls.list().entries.map(({ method }) => method);
  const keyboard = () =>
    stage.telegram.phone
      .chats(stage.person)
      .find(({ id }) => id === stage.bot.id)
      ?.keyboard.flat();
  return {
    ...stage,
    ...{ store, account, channel, session, accept, claim, inherit, finish, does },
    ...{ says, edit, deletion, texts, called, keyboard },
  };
}

const lineOf = (outcome: Awaited<ReturnType<Awaited<ReturnType<typeof inChat>>["does"]>>) =>
  outcome.note?.type === "unchanged" ? unchangedText(outcome.note.change, "en") : undefined;

describe("an edit of a message that has a keyboard, or has removed one", () => {
  it("deletes the message and resends it with the keyboard, without trying an edit", async () => {
    const { says, does, edit, texts, called, keyboard } = await inChat();
    const id = await says(words("Ten metres?"), KEYS);
    const outcome = await does(edit(id, words("Twelve metres?"), KEYS));
    expect(texts()).toEqual(["Twelve metres?"]);
    expect(keyboard()).toMatchObject([{ text: "Yes" }]);
    expect(called()).toEqual(["sendMessage", "deleteMessage", "sendMessage"]);
    expect(outcome.note).toBeUndefined();
    const thanks = await says(words("Thanks"));
    await does(edit(thanks, words("Thank you")));
    expect(texts()).toEqual(["Twelve metres?", "Thank you"]);
    expect(called()).not.toContain("editMessageText");
  });

  it("keeps the message under the id that the gateway knows when it is edited, quoted, reacted to and deleted", async () => {
    const { says, does, edit, deletion, texts, heard, chat, store, channel } = await inChat();
    const id = await says(words("Ten?"), KEYS);
    await does(edit(id, words("Twelve?"), KEYS));
    await does(edit(id, words("Fifteen?"), KEYS));
    expect(texts()).toEqual(["Fifteen?"]);
    const now = `${chat}:${heard()[0]?.id}` as MessengerMessageId;
    expect(now).not.toBe(id);
    expect(await store.messages.root(channel.id, now)).toBe(id);
    expect(await store.messages.current(channel.id, id)).toBe(now);
    await says(words("That one"), [], id);
    expect(heard()[1]?.quote?.id).toBe(heard()[0]?.id);
    await does({ type: "reaction", chat, messengerMessageId: id, reaction: "👍" });
    expect(heard()[0]?.reactions).toMatchObject([{ emoji: "👍" }]);
    await does(deletion(id));
    expect(texts()).toEqual(["That one"]);
  });

  it("continues after a crash between deletion and resend, and the customer gets the message", async () => {
    const { says, edit, accept, claim, finish, session, inherit, texts, does, deletion, called } = await inChat();
    const id = await says(words("Ten?"), KEYS);
    await accept(edit(id, words("Twelve?"), KEYS));
    let crash = () => {};
    const crashed = new Promise<void>((resolve) => {
      crash = resolve;
    });
    const dying = { ...session, send: () => new Promise<never>(() => crash()) };
    void finish(await claim(), dying);
    await crashed;
    expect(texts()).toEqual([]);
    await finish(await inherit());
    expect(texts()).toEqual(["Twelve?"]);
    expect(called().filter((method) => method === "deleteMessage")).toHaveLength(1);
    await does(edit(id, words("Fifteen?"), KEYS));
    expect(texts()).toEqual(["Fifteen?"]);
    await does(deletion(id));
    expect(texts()).toEqual([]);
  });

  it("continues after a crash before the deletion was recorded", async () => {
    const { says, edit, accept, claim, finish, session, inherit, texts } = await inChat();
    const id = await says(words("Ten?"), KEYS);
    await accept(edit(id, words("Twelve?"), KEYS));
    let crash = () => {};
    const crashed = new Promise<void>((resolve) => {
      crash = resolve;
    });
    const { revisions } = session;
    if (!revisions) throw new Error("no revisions");
    const dying: ChannelSession = {
      ...session,
      revisions: {
        ...revisions,
        delete: async (...given) => {
          await revisions.delete(...given);
          crash();
          return new Promise<never>(() => {});
        },
      },
    };
    void finish(await claim(), dying);
    await crashed;
    await finish(await inherit());
    expect(texts()).toEqual(["Twelve?"]);
  });

  it("works the same way if the keyboard is not on record: Telegram's refusal reveals it", async () => {
    const { says, does, edit, texts, called, api, chat } = await inChat();
    await says(words("Ten?"));
    // Like a message of an earlier version: the row does not say.
    const markup = { keyboard: [[{ text: "Yes" }]] };
    const result = z.object({ message_id: z.number() });
    const params = { chat_id: chat, text: "Old", reply_markup: markup };
    const old = await api.call({ method: "sendMessage", params, result }, fresh());
    const oldId = `${chat}:${old.message_id}` as MessengerMessageId;
    const outcome = await does(edit(oldId, words("New")));
    expect(texts()).toEqual(["Ten?", "New"]);
    expect(called().slice(2)).toEqual(["editMessageText", "deleteMessage", "sendMessage"]);
    expect(outcome.note).toBeUndefined();
  });

  it("is not tried as an edit if the edit itself adds keys", async () => {
    const { says, does, edit, texts, called, keyboard } = await inChat();
    const id = await says(words("Ten?"));
    await does(edit(id, words("Twelve?"), KEYS));
    expect([texts(), called()]).toEqual([["Twelve?"], ["sendMessage", "deleteMessage", "sendMessage"]]);
    expect(keyboard()).toMatchObject([{ text: "Yes" }]);
  });

  it("that ends half done leaves the sent part editable", async () => {
    const { says, accept, claim, finish, does, edit, session, texts } = await inChat();
    await says(words("Ten?"), KEYS);
    const long = (word: string) => Array.from({ length: 900 }, (_, n) => `${word}${n}`).join(" ");
    const id = await says(words(long("before")));
    const oneOnly: ChannelSession["send"] = (step, ...given) => {
      if (step.text.startsWith("after0 ")) return session.send(step, ...given);
      throw new DeliveryError({ type: "reject", code: "general" }, "one is enough");
    };
    await accept(edit(id, words(long("after"))));
    const outcome = await finish(await claim(), { ...session, send: oneOnly });
    expect(lineOf(outcome)).toContain("Only part of your edit has reached the customer");
    await does(edit(id, words("Short")));
    expect(texts()).toEqual(["Ten?", "Short"]);
  });

  it("resends all later parts in order if the first of several cannot be edited", async () => {
    const { says, does, edit, texts } = await inChat();
    await says(words("Ten?"), KEYS);
    const long = (word: string) => Array.from({ length: 900 }, (_, n) => `${word}${n}`).join(" ");
    const id = await says(words(long("before")));
    await does(edit(id, words(long("after"))));
    expect(texts().slice(1).join(" ")).toBe(long("after"));
  });

  it("resends a picture with its new caption too", async () => {
    const { says, does, edit, heard, atTheGateway } = await inChat();
    const files = [atTheGateway("1", PICTURE, "image/png", "rope.png")];
    const id = await says({ type: "image", files, note: "Blue" }, KEYS);
    await does(edit(id, { type: "image", files, note: "Red" }, KEYS));
    expect(heard()).toMatchObject([{ text: "Red", media: { kind: "photo" } }]);
  });

  it("is reported to the agent if Telegram no longer deletes the message", async () => {
    const { says, does, edit, texts, clock } = await inChat();
    const id = await says(words("Ten metres?"), KEYS);
    clock.jump(49 * HOUR);
    const outcome = await does(edit(id, words("Twelve?"), KEYS));
    expect(texts()).toEqual(["Ten metres?"]);
    expect(lineOf(outcome)).toBe(
      "Your edit has not reached the customer. They still see “Ten metres?”.\nReason: the messenger allows this for 48 hours only.",
    );
  });

  it("is reported if the message is already gone and the new one is refused; sent again later, it arrives", async () => {
    const { says, does, edit, texts, telegram, store, account, claim, finish } = await inChat();
    const id = await says(words("Ten?"), KEYS);
    telegram.faults.plan({ method: "sendMessage", type: "status", status: 400 });
    const outcome = await does(edit(id, words("Twelve?"), KEYS));
    expect(texts()).toEqual([]);
    expect(lineOf(outcome)).toContain("They no longer see “Ten?” or the new text.");
    const [dead] = await store.outbox.ended(account.id, 9);
    await store.outbox.sendAgain(account.id, dead?.id as JobId, 60_000);
    expect((await finish(await claim())).note).toBeUndefined();
    expect(texts()).toEqual(["Twelve?"]);
    await does(edit(id, words("Fifteen?"), KEYS));
    expect(texts()).toEqual(["Fifteen?"]);
  });
});

describe("a message that went in pieces", () => {
  const long = Array.from({ length: 1_200 }, (_, n) => `word${n}`).join(" ");

  it.each(["a long text", "an album with a note that is longer than its caption"])(
    "is deleted with every piece, and no other: %s",
    async (what) => {
      const { says, does, deletion, texts, atTheGateway, heard } = await inChat();
      await says(words("before"));
      const files = ["1", "2"].map((id) => atTheGateway(id, PICTURE, "image/png", `${id}.png`));
      const id = await says(what === "a long text" ? words(long) : { type: "image", files, note: long });
      await says(words("after"));
      expect(heard().length).toBeGreaterThan(3);
      expect(lineOf(await does(deletion(id)))).toBeUndefined();
      expect(texts()).toEqual(["before", "after"]);
    },
  );

  it("keeps its pieces, and no more, over edits that make it shorter and longer", async () => {
    const { says, does, edit, texts, deletion } = await inChat();
    const id = await says(words(long));
    await does(edit(id, words("short")));
    expect(texts()).toEqual(["short"]);
    await does(edit(id, words(long)));
    expect(texts().join(" ")).toBe(long);
    await does(deletion(id));
    expect(texts()).toEqual([]);
  });
});

describe("a change that Telegram refuses", () => {
  it("is reported with what the customer still sees, in the channel's language, and in Telegram's words if unknown", async () => {
    const { says, does, edit, deletion, telegram, clock } = await inChat();
    const id = await says(words("Three euros"));
    telegram.faults.plan({ method: "editMessageText", type: "status", status: 400 });
    const first = lineOf(await does(edit(id, words("Four euros"))));
    expect(first).toMatch(
      /^Your edit has not reached the customer\. They still see “Three euros”\.\nReason: Telegram: /,
    );
    await does(edit(id, words("Five euros")));
    clock.jump(49 * HOUR);
    const late = await does(deletion(id));
    expect(lineOf(late)).toBe(
      "The message was not deleted in the customer's chat. They still see “Five euros”.\nReason: the messenger allows this for 48 hours only.",
    );
    const change = late.note?.type === "unchanged" ? late.note.change : undefined;
    expect(change && unchangedText(change, "ru")).toContain("«Five euros»");
    const description = "Forbidden: bot was blocked by the user";
    telegram.faults.plan({ method: "editMessageText", type: "status", status: 403, description });
    expect(lineOf(await does(edit(id, words("Six euros"))))).toContain("Reason: the customer has blocked this channel");
  });

  it("is reported as gone if the customer no longer has the message; for a deletion, no note is due", async () => {
    const { says, does, edit, deletion, telegram, person, bot, heard } = await inChat();
    const id = await says(words("Three euros"));
    telegram.phone.erase(person, bot.id, heard()[0]?.id ?? 0);
    expect(lineOf(await does(edit(id, words("Four euros"))))).toBe(
      "Your edit has not reached the customer: “Three euros” is no longer in their chat.",
    );
    expect((await does(deletion(id))).note).toBeUndefined();
  });

  it("in one of its parts is reported with that part, and the others are as the agent wrote them", async () => {
    const { says, accept, claim, finish, edit, session, texts } = await inChat();
    const long = (word: string) => Array.from({ length: 900 }, (_, n) => `${word}${n}`).join(" ");
    const id = await says(words(long("before")));
    const parts = texts();
    const { revisions } = session;
    if (!revisions) throw new Error("no revisions");
    const oncePlease: typeof revisions.edit = (step, ...given) => {
      if (step.text.startsWith("after0 ")) return revisions.edit(step, ...given);
      throw new DeliveryError({ type: "reject", code: "general" }, "once is enough");
    };
    await accept(edit(id, words(long("after"))));
    const outcome = await finish(await claim(), { ...session, revisions: { ...revisions, edit: oncePlease } });
    expect(texts()[1]).toBe(parts[1]);
    expect(texts()[0]).toMatch(/^after0 /);
    expect(lineOf(outcome)).toContain(`They may still see this of the earlier text: “${excerptOf(parts[1] ?? "")}”`);
  });

  it("needs no note if it is a reaction", async () => {
    const { says, does, chat, telegram } = await inChat();
    const id = await says(words("Three euros"));
    telegram.faults.plan({ method: "setMessageReaction", type: "status", status: 400 });
    expect((await does({ type: "reaction", chat, messengerMessageId: id, reaction: "👍" })).note).toBeUndefined();
  });
});
