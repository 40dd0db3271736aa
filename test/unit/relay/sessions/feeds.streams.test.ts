import type { ChannelId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import { createStreams } from "../../../../src/relay/sessions/feeds.ts";

const channel = (n: number) => `channel ${n}` as ChannelId;

it("one address holds 200 streams across all channels, and each is released only once", () => {
  const streamsOf = createStreams(4_000);
  const places = Array.from({ length: 200 }, (_, n) => streamsOf(channel(n)).take("192.0.2.1"));
  expect(places).not.toContain(undefined);
  expect(streamsOf(channel(0)).take("192.0.2.1")).toBeUndefined();
  expect(["192.0.2.1", "192.0.2.2"].map(streamsOf(channel(0)).hasRoom)).toEqual([false, true]);
  expect(streamsOf(channel(0)).take("192.0.2.2")).toBeDefined();
  for (let n = 0; n < 3; n++) places[0]?.();
  expect(streamsOf(channel(0)).take("192.0.2.1")).toBeDefined();
  expect(streamsOf(channel(0)).take("192.0.2.1")).toBeUndefined();
});

it("one channel holds 2,000 streams and all hold 4,000, which leaves sockets for everything else", () => {
  const streamsOf = createStreams(4_000);
  const fill = (n: number) => {
    let taken = 0;
    while (taken < 5_000 && streamsOf(channel(n)).take(`address ${n} ${taken}`)) taken += 1;
    return taken;
  };
  expect([fill(1), fill(2), fill(3)]).toEqual([2_000, 2_000, 0]);
});

it("a channel's and an address's shares follow the setting", () => {
  const streamsOf = createStreams(10_000);
  const fill = (address: (n: number) => string) => {
    let taken = 0;
    while (taken < 20_000 && streamsOf(channel(1)).take(address(taken))) taken += 1;
    return taken;
  };
  expect([fill(() => "192.0.2.1"), fill((n) => `address ${n}`)]).toEqual([500, 4_500]);
});
