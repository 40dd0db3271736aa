import type { ChannelId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { AccountId, JobId } from "../../../../src/domain/ids.ts";
import { type Followed, type Stage, stagesOf } from "../../../../src/module/messages/stages.ts";
import type { Story } from "../../../../src/store/messages.ts";

const story = (more: Partial<Story>): Story => ({
  ...{
    id: 1 as JobId,
    accountId: "a" as AccountId,
    channelId: "c" as ChannelId,
    direction: "inbound",
    state: "ready",
    at: 10,
    parts: 1,
  },
  ...{ isMessage: true, attempts: 1, tries: [], later: [], acts: [], nextAt: 10 },
  ...more,
});
const done = story({ state: "done", endedAt: 20, nextAt: undefined });
const answer = (more: Partial<Story> = {}) => story({ id: 2 as JobId, direction: "outbound", at: 30, ...more });
const acked = (ack: Story["ack"]) => answer({ state: "done", endedAt: 40, nextAt: undefined, ack });
const tries = [{ at: 11, error: "gateway answered 502" }];

const followed = (more: Partial<Followed>): Followed => ({
  ...{ account: { active: true, frozen: false }, channel: { state: "active" } },
  ...more,
});
const inShort = ({ state, at, fault }: Stage) =>
  [state, at, fault && [fault.code, fault.detail, fault.nextAt].filter((each) => each !== undefined && each !== "")]
    .flat()
    .filter((each) => each !== undefined)
    .join(" ");

describe("the stages of a message's way", () => {
  it.each<[string, Partial<Followed>, string[]]>([
    ["before it was written", {}, ["now", "next", "next", "next", "next"]],
    ["stored", { message: story({}) }, ["done 10", "now", "next", "next", "next"]],
    [
      "while the gateway fails",
      { message: story({ tries, nextAt: 60 }) },
      ["done 10", "failed gateway gateway answered 502 60", "next", "next", "next"],
    ],
    [
      "refused by the gateway",
      { message: story({ state: "dead", error: "no such channel", nextAt: undefined }) },
      ["done 10", "failed dead no such channel", "next", "next", "next"],
    ],
    [
      "while the module is switched off",
      { message: story({}), account: { active: false, frozen: false } },
      ["done 10", "failed off", "next", "next", "next"],
    ],
    [
      "while the account is frozen",
      { message: story({}), account: { active: true, frozen: true } },
      ["done 10", "failed frozen", "next", "next", "next"],
    ],
    [
      "while the vendor has paused the account, whatever the CRM says",
      { message: story({}), account: { active: true, frozen: true, pauseReason: "unpaid" } },
      ["done 10", "failed vendor unpaid", "next", "next", "next"],
    ],
    [
      "answered before the vendor paused the channel",
      { message: done, answer: answer(), channel: { state: "paused", pauseReason: "spam" } },
      ["done 10", "done 20", "done 30", "failed vendor spam", "next"],
    ],
    ["handed", { message: done }, ["done 10", "done 20", "now", "next", "next"]],
    ["answered", { message: done, answer: answer() }, ["done 10", "done 20", "done 30", "now", "next"]],
    [
      "answered while the messenger fails",
      { message: done, answer: answer({ tries, nextAt: 70 }) },
      ["done 10", "done 20", "done 30", "failed messenger gateway answered 502 70", "next"],
    ],
    [
      "answered while the messenger is stopped",
      { message: done, answer: answer({ state: "waiting" }), channel: { state: "stopped", trouble: "dead token" } },
      ["done 10", "done 20", "done 30", "failed stopped dead token", "next"],
    ],
    [
      "of which nobody knows whether it arrived",
      { message: done, answer: answer({ state: "held", error: "timeout" }) },
      ["done 10", "done 20", "done 30", "failed held timeout", "next"],
    ],
    [
      "refused by the messenger, which the agent was told",
      {
        message: done,
        answer: answer({ state: "dead", error: "blocked", ack: { state: "given", tries: [] } }),
      },
      ["done 10", "done 20", "done 30", "failed dead blocked", "done"],
    ],
    [
      "sent, the agent not told yet",
      { message: done, answer: acked({ state: "due", tries: [] }) },
      ["done 10", "done 20", "done 30", "done 40", "now"],
    ],
    [
      "sent, the CRM not to be told at the moment",
      { message: done, answer: acked({ state: "due", error: "gateway: timeout", tries: [] }) },
      ["done 10", "done 20", "done 30", "done 40", "failed gateway gateway: timeout"],
    ],
    [
      "sent, the ack refused",
      { message: done, answer: acked({ state: "refused", error: "Message not found", tries: [] }) },
      ["done 10", "done 20", "done 30", "done 40", "failed refused Message not found"],
    ],
    [
      "whole",
      { message: done, answer: acked({ state: "given", at: 50, tries: [] }) },
      ["done 10", "done 20", "done 30", "done 40", "done 50"],
    ],
  ])("%s", (_, more, stages) => {
    const found = stagesOf(followed(more));
    expect(found.map(({ stage }) => stage)).toEqual(["stored", "handed", "answered", "sent", "told"]);
    expect(found.map(inShort)).toEqual(stages);
  });
});
