import type { Fakes } from "../stage.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";
import { ceilingDoor, compared, openDoor, peerDoor, type Rates, type Side, wholeServer } from "./rates.ts";

export const accept: Measure = async (scale) => {
  const what = "webhooks stored ÷ accepted without storing, 64 connections";
  const against = (side: (fakes: Fakes) => Promise<Side>) => async (fakes: Fakes) =>
    [await side(fakes), await openDoor("nothing", fakes)] as [Side, Side];
  const door = await compared(
    scale,
    against((fakes) => openDoor("grouped", fakes)),
  );
  const server = await compared(scale, against(wholeServer));
  const ceiling = await compared(scale, async (fakes) => [await openDoor("grouped", fakes), await ceilingDoor(fakes)]);
  const detail = ({ a, b, p99, cpuUs }: Rates) => ({
    durablePerSecond: a,
    withoutStoringPerSecond: b,
    durableP99Ms: p99,
    cpuUs,
  });
  return [
    bounded({ name: "accept", what, figure: door.ratio, unit: "", atLeast: 0.6, detail: detail(door) }),
    {
      name: "accept-server",
      what: "the same for the whole server, with its worker running",
      figure: server.ratio,
      unit: "",
      detail: detail(server),
    },
    bounded({
      name: "accept-ceiling",
      what: "CPU of the durable door ÷ the ceiling's, webhooks in only",
      figure: ceiling.cpuRatio,
      unit: "",
      atMost: 1.6,
      detail: { cpuUs: ceiling.cpuUs },
    }),
  ];
};

/** Telegram's webhooks at the whole server and at the peer, whose state is in memory. */
export const peer: Measure = async (scale) => {
  const sides = async (fakes: Fakes): Promise<[Side, Side]> => [await wholeServer(fakes), await peerDoor(fakes)];
  const { ratio, a, b, p99, cpuUs, cpuRatio } = await compared(scale, sides, "inbound");
  return [
    bounded({
      name: "peer",
      what: "Telegram webhooks stored a second ÷ taken by `chat` with `@chat-adapter/telegram`, its state in memory",
      figure: ratio,
      unit: "",
      atLeast: 4,
      detail: { perSecond: a, peerPerSecond: b, p99Ms: p99, cpuUs },
    }),
    { name: "peer-cpu", what: "CPU of such a webhook ÷ the peer's", figure: cpuRatio, unit: "" },
  ];
};

/** Typical sync of a disk without a battery-backed cache, ms; `lone` measures this disk's. */
const SYNC_MS = 2;

/** A shared commit for all waiting requests compared with one commit each. */
export const grouped: Measure = async (scale) => [
  bounded({ ...(await sharing(scale, SYNC_MS)), name: "grouped", atLeast: 6 }),
  { ...(await sharing(scale, 0)), name: "grouped-here" },
];

async function sharing(scale: Scale, syncMs: number) {
  const { ratio, a, b, cpuUs } = await compared(scale, async (fakes) => [
    await openDoor("grouped", fakes, syncMs),
    await openDoor("single", fakes, syncMs),
  ]);
  const disk = syncMs > 0 ? `with syncs slowed by ${syncMs} ms` : "on this disk";
  const what = `shared commits ÷ one commit per request, ${disk}`;
  return { what, figure: ratio, unit: "", detail: { groupedPerSecond: a, singlePerSecond: b, cpuUs } };
}
