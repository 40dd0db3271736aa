import { describe, expect, it } from "vitest";
import { COMMUNITY, TOKEN } from "../../emulator/emulator.ts";
import { beside, fresh } from "../talking.ts";

const EVENTS = [
  ...["message_new", "message_reply", "message_edit", "message_allow", "message_deny", "message_read"],
  ...["message_reaction_event", "message_event"],
];
type Beside = Awaited<ReturnType<typeof beside>>;
const communityIn = ({ emulator }: Beside) => {
  const [community] = emulator.core.world.communities;
  if (!community) throw new Error("there is no community");
  return community;
};
const other = (id: number) => ({
  ...{ id, title: `Other ${id}`, url: `https://other.example/${id}`, secret: "", status: "ok" as const },
  ...{ version: "5.199", events: {} },
});

describe("connecting a community", () => {
  it("takes one key: the callback server, its confirmation, secret and events are set up; removing it undoes that", async () => {
    const all = await beside();
    const { session, context } = all;
    const community = communityIn(all);
    expect(await session.identify?.(fresh())).toEqual({
      ...{ id: `vk:${COMMUNITY.id}`, name: COMMUNITY.name, link: `https://vk.me/${COMMUNITY.screenName}` },
    });
    expect(community.servers).toEqual([]);
    expect(await session.connect(fresh())).toMatchObject({ name: COMMUNITY.name });
    const [server] = community.servers;
    expect(server).toMatchObject({ url: context.doorUrl, secret: "s".repeat(43), status: "ok", version: "5.199" });
    expect(server?.title).toMatch(/^Gangway [\w]{6}$/);
    expect(Object.keys(server?.events ?? {}).sort()).toEqual([...EVENTS].sort());
    expect(await session.inspect?.(fresh())).toBeUndefined();
    await session.disconnect(fresh());
    expect(community.servers).toEqual([]);
    expect(await session.inspect?.(fresh())).toContain("somebody has removed the callback server");
  });

  it("finds its own server again by its title, and leaves the community's others alone", async () => {
    const all = await beside();
    const community = communityIn(all);
    community.servers.push(other(1), other(2));
    await all.session.connect(fresh());
    await all.session.connect(fresh());
    expect(community.servers).toHaveLength(3);
    // Its address has changed, as when a server moves.
    Object.assign(community.servers[2] ?? {}, { url: "https://old.example/m/door" });
    expect(await all.session.inspect?.(fresh())).toContain("another address");
    await all.session.connect(fresh());
    expect(community.servers.map(({ url }) => url)).toEqual([
      ...["https://other.example/1", "https://other.example/2"],
      all.context.doorUrl,
    ]);
    expect(await all.session.inspect?.(fresh())).toBeUndefined();
    await all.session.disconnect(fresh());
    expect(community.servers.map(({ id }) => id)).toEqual([1, 2]);
  });

  it("says in words that ten servers are all that VK allows", async () => {
    const all = await beside();
    communityIn(all).servers.push(...Array.from({ length: 10 }, (_, n) => other(n + 1)));
    await expect(all.session.connect(fresh())).rejects.toThrow(
      /ten callback servers.*\(2000, groups\.addCallbackServer\)/,
    );
  });

  it("says in words that VK does not reach the server, and leaves nothing behind", async () => {
    const all = await beside();
    all.emulator.core.faults.plan({ operation: "confirmation", status: 502, body: "html" });
    await expect(all.session.connect(fresh())).rejects.toThrow("VK cannot reach this server at gangway.example");
    expect(communityIn(all).servers).toEqual([]);
  });

  it("waits for a confirmation that comes later", async () => {
    const all = await beside();
    const { core } = all.emulator;
    core.switches.set({ confirmAfterMs: 1 });
    const community = communityIn(all);
    core.clock.after = (_, run) => {
      setImmediate(run);
      return () => {};
    };
    await all.session.connect(fresh());
    expect(community.servers[0]?.status).toBe("ok");
  });

  it.each([["does not know", `vk1.a.${"x".repeat(80)}`]])("says in words that VK %s the key", async (_, token) => {
    const { session } = await beside({ token });
    await expect(session.identify?.(fresh())).rejects.toThrow("VK does not recognise this access key");
  });

  it("names the rights that the key lacks: without two of them nothing works, without the others files go as links", async () => {
    const poor = await beside();
    poor.emulator.core.world.tokens.find(({ value }) => value === TOKEN)?.rights.delete("messages");
    await expect(poor.session.connect(fresh())).rejects.toThrow("lacks a right: messages. Make a new one");
    const plain = await beside();
    plain.emulator.core.world.tokens.find(({ value }) => value === TOKEN)?.rights.delete("photos");
    await plain.session.connect(fresh());
    const facts = (await plain.session.standing?.(fresh()))?.facts ?? [];
    expect(facts.map(({ value, isBad }) => (typeof value === "string" ? [value, isBad] : value.en))).toEqual([
      ...[[COMMUNITY.name, undefined], "VK sends them"],
      ["photos", true],
    ]);
  });

  it("polls where VK cannot reach the server, and takes its own callback server away", async () => {
    const all = await beside();
    await all.session.connect(fresh());
    const polling = await beside({ updates: "polling" });
    const community = communityIn(polling);
    await polling.session.connect(fresh());
    expect(community.servers).toEqual([]);
    expect(community.longPoll).toMatchObject({ isEnabled: true, events: { message_new: 1, message_reply: 1 } });
    expect(polling.session.inspect).toBeUndefined();
    expect(polling.session.feed).toBeDefined();
    expect(all.session.feed).toBeUndefined();
  });

  it("says that somebody has switched an event off", async () => {
    const all = await beside();
    await all.session.connect(fresh());
    Object.assign(communityIn(all).servers[0]?.events ?? {}, { message_new: 0 });
    expect(await all.session.inspect?.(fresh())).toContain("switched the event message_new off");
  });

  it("stops the channel when the key has ended, and not at one refusal", async () => {
    const all = await beside();
    await all.session.connect(fresh());
    all.emulator.core.faults.plan({ operation: "groups.getCallbackServers", code: 5 });
    await expect(all.session.inspect?.(fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    Object.assign(all.emulator.core.world.tokens[0] ?? {}, { isEnded: true });
    await expect(all.session.inspect?.(fresh())).rejects.toMatchObject({ verdict: { type: "reconnect" } });
  });
});
