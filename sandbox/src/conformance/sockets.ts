import { isDeepStrictEqual } from "node:util";
import { WebSocket } from "ws";
import type { Stage } from "./stage.ts";

/** Close codes and what the client sees; 0 drops the connection. */
const CLOSINGS: [number, number][] = [
  [1000, 1000],
  [1001, 1001],
  [1011, 1011],
  [4000, 4000],
  [0, 1006],
];

/** Checks the sockets: content, access and closing. */
export async function driveSockets(stage: Stage): Promise<string[]> {
  const { seen, received, tokens, bot, control } = stage;
  const wrong: string[] = [];
  const emitted = seen.filter(({ side }) => side === "socket").map(({ request }) => request);
  await stage.until("the last events", () => received.length >= emitted.length).catch(() => undefined);
  if (!isDeepStrictEqual(received, emitted))
    wrong.push(`the socket carried ${received.length} events, not the ${emitted.length} that were emitted`);
  const choosy = await open(stage, "bot_updated", { headers: { "x-bot-token": tokens.bot } });
  const browser = await open(stage, "bot_updated,user_updated", { protocols: ["x-bot-token", tokens.user] });
  if (browser.socket.protocol !== "x-bot-token") wrong.push("a browser's token was not taken from the subprotocol");
  await bot("PATCH", "/my/info", { name: "Heard" });
  await stage.agent("PATCH", "/me", { first_name: "Alex" });
  const both = () => choosy.events.length > 0 && browser.events.includes("user_updated");
  await stage.until("both events", both).catch(() => undefined);
  if (!isDeepStrictEqual(choosy.events, ["bot_updated"]))
    wrong.push(`a socket subscribed to bot_updated received ${choosy.events.join(", ") || "nothing"}`);
  for (const [code, expected] of CLOSINGS) {
    const { socket, ended } = await open(stage, "message_new", { headers: { "x-bot-token": tokens.bot } });
    if (socket.readyState !== WebSocket.OPEN) wrong.push("a bot's socket did not open");
    await control("POST", "/sockets/close", { code });
    const met = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000, "nothing"))]);
    if (met !== expected) wrong.push(`a socket closed by ${code} saw ${met}, not ${expected}`);
    socket.terminate();
  }
  return wrong.map((fault) => `socket: ${fault}`);
}

interface Opening {
  headers?: Record<string, string>;
  protocols?: string[];
}

async function open({ running: { origin } }: Stage, events: string, { headers, protocols }: Opening) {
  const address = `${origin.replace("http", "ws")}/api/bot/v1/ws?events=${events}`;
  const socket = new WebSocket(address, protocols ?? [], { headers });
  const got: string[] = [];
  socket.on("message", (text) => got.push(String((JSON.parse(String(text)) as { type: string }).type)));
  const ended = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise<void>((resolve) => {
    socket.on("open", () => resolve());
    socket.on("error", () => resolve());
  });
  return { socket, events: got, ended };
}
