import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent, Content } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../../support/engines.ts";
import { customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { takeLease } from "../../../support/store.ts";

describe.each(ENGINES)("on $name", (engine) => {
  const picture = (name: string, note?: string): Content => ({
    type: "image",
    files: [{ file: { at: "messenger", ref: name }, name }],
    note,
  });
  const part = (id: string, content: Content, album = "a1"): ChannelEvent =>
    ({ ...customerSays(id), messengerMessageId: `7:${id}`, content, album }) as ChannelEvent;

  async function setUp() {
    const { clock, store, account, channel } = await oneChannelOn(engine);
    const sendAgain = async (job: Job) => {
      await store.outbox.failed(job, { state: "dead", code: "general" }, "refused");
      await store.outbox.sendAgain(account.id, job.id, 60_000);
    };
    const lease = await takeLease(store, account.id, "test");
    const accept = (...events: ChannelEvent[]) => store.outbox.acceptInbound(channel, { events });
    const claim = async () => (await store.outbox.claim(lease, roomFor(10))) as Job[];
    const messages = (jobs: Job[]) =>
      jobs.flatMap(({ task }) => (task.direction === "inbound" && task.event.type === "message" ? [task.event] : []));
    return { clock, store, channel, accept, claim, messages, sendAgain };
  }

  describe("an album", () => {
    it("becomes one message from parts that arrive one by one and in any order", async () => {
      const { clock, accept, claim, messages } = await setUp();
      for (const [id, note] of [
        ["12", undefined],
        ["9", "three ropes"],
        ["10", undefined],
      ] as const)
        await accept(part(id, picture(id, note)));
      expect(await claim()).toEqual([]);
      await clock.forward(1_300);
      const [event, ...others] = messages(await claim());
      expect(others).toEqual([]);
      expect(event).toMatchObject({ messengerMessageId: "7:9", content: { type: "image", note: "three ropes" } });
      expect(event?.content).toMatchObject({ files: [{ name: "9" }, { name: "10" }, { name: "12" }] });
    });

    it("keeps each part's formatting at its new offset", async () => {
      const { clock, accept, claim, messages } = await setUp();
      const bold = (offset: number) => [{ type: "bold" as const, offset, length: 3 }];
      await accept(
        part("2", { ...picture("2", "two"), marks: bold(0) }),
        part("1", { ...picture("1", "one"), marks: bold(0) }),
      );
      await clock.forward(1_300);
      const [event] = messages(await claim());
      expect(event?.content).toMatchObject({ note: "one\ntwo", marks: [...bold(0), ...bold(4)] });
    });

    it("takes each part once, however often it is repeated", async () => {
      const { clock, accept, claim, messages } = await setUp();
      await accept(part("1", picture("1")), part("2", picture("2")), part("1", picture("1")), part("2", picture("2")));
      await clock.forward(1_300);
      expect(messages(await claim())[0]?.content).toMatchObject({ files: [{ name: "1" }, { name: "2" }] });
    });

    it("delivers a late part as a message of its own", async () => {
      const { clock, accept, claim, messages, store } = await setUp();
      await accept(part("1", picture("1")), part("2", picture("2")));
      await clock.forward(1_300);
      const [job] = await claim();
      await accept(part("3", picture("3")));
      await store.outbox.done(job as Job, { gatewayMessageId: "77" as GatewayMessageId });
      await clock.forward(1_300);
      expect(messages(await claim())).toMatchObject([
        { messengerMessageId: "7:3", content: { files: [{ name: "3" }] } },
      ]);
    });

    it("of mixed types becomes a message of files, and keeps every part's text", async () => {
      const { clock, accept, claim, messages } = await setUp();
      const video: Content = { ...(picture("v", "the quay") as Extract<Content, { files: unknown }>), type: "file" };
      await accept(
        part("1", picture("1", "a rope")),
        part("2", video),
        part("3", { type: "text", text: "[too large]" }),
      );
      await clock.forward(1_300);
      expect(messages(await claim())[0]?.content).toMatchObject({
        type: "file",
        files: [{ name: "1" }, { name: "v" }],
        note: "a rope\nthe quay\n[too large]",
      });
    });

    it("that is sent again takes no more parts: the gateway may have it without", async () => {
      const { clock, accept, claim, messages, sendAgain } = await setUp();
      await accept(part("1", picture("1")));
      await clock.forward(1_300);
      const [job] = await claim();
      await sendAgain(job as Job);
      await accept(part("2", picture("2")));
      await clock.forward(1_300);
      const again = await claim();
      expect(messages(again).map(({ messengerMessageId }) => messengerMessageId)).toEqual(["7:1"]);
      expect(messages(again)[0]?.content).toMatchObject({ files: [{ name: "1" }] });
    });

    it("of more than twenty parts continues in a second message", async () => {
      const { clock, accept, claim, messages, store } = await setUp();
      for (let n = 1; n <= 22; n++) await accept(part(`${n}`, picture(`${n}`)));
      await clock.forward(1_300);
      const [job] = await claim();
      await store.outbox.done(job as Job, {});
      const all = [...messages([job as Job]), ...messages(await claim())];
      expect(all.map(({ content }) => ("files" in content ? content.files.length : 0))).toEqual([20, 1]);
    });

    it("has its first part's id at the gateway, whichever part is replied to, edited or reacted to", async () => {
      const { clock, accept, claim, store, channel } = await setUp();
      await accept(part("2", picture("2")), part("1", picture("1")));
      await clock.forward(1_300);
      const [job] = await claim();
      await store.outbox.done(job as Job, { gatewayMessageId: "77" as GatewayMessageId });
      for (const id of ["7:1", "7:2"]) {
        expect(await store.messages.root(channel.id, id as MessengerMessageId)).toBe("7:1");
        expect(await store.messages.gatewayId(channel.id, id as MessengerMessageId)).toBe("77");
      }
      expect(await store.messages.root(channel.id, "7:9" as MessengerMessageId)).toBe("7:9");
    });

    it("has its first part's id at a gateway whose answer was lost, and which then named no id", async () => {
      const { clock, accept, claim, store, channel } = await setUp();
      await accept(part("1", picture("1")), part("2", picture("2")));
      await clock.forward(1_300);
      const [job] = await claim();
      await store.outbox.done(job as Job, {});
      for (const id of ["7:1", "7:2"] as MessengerMessageId[]) {
        expect(await store.messages.root(channel.id, id)).toBe("7:1");
        const parts = (await store.messages.parts(channel.id, id)).map(({ messengerMessageId }) => messengerMessageId);
        expect(parts).toEqual(["7:1", "7:2"]);
      }
    });
  });
});
