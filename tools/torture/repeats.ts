import { connect } from "node:net";
import { becomes } from "gangway-sandbox/demo/waiting";
import { exactly, type Figure } from "./figure.ts";
import { atGateway, openShop, type Shop } from "./shop.ts";
import type { Trial } from "./trial.ts";

const TIMES = 100;

export const repeats: Trial = {
  name: "parallel repeats",
  async run(context): Promise<Figure[]> {
    const shop = await openShop(context, context.program());
    const requests: string[] = [];
    shop.door.watch((request) => requests.push(request));
    try {
      const { bot } = shop.customers;
      await bot.say("from the customer");
      await becomes(() => atGateway(shop, "from the customer") > 0);
      await shop.agent.say(bot.chat() ?? 0, { text: "from the agent" });
      await becomes(async () => (await bot.sees("from the agent")) > 0);
      const inbound = requests.find((request) => request.includes("from the customer"));
      const outbound = requests.find((request) => request.includes("from the agent"));
      return [
        ...(await repeat(shop, "customer's", inbound, async () => atGateway(shop, "from the customer"))),
        ...(await repeat(shop, "agent's", outbound, () => bot.sees("from the agent"))),
      ];
    } finally {
      await shop.close();
    }
  },
};

async function repeat(shop: Shop, side: string, request: string | undefined, seen: () => Promise<number>) {
  if (!request) throw new Error("the webhook did not pass the proxy");
  const answers = await Promise.all(Array.from({ length: TIMES }, () => send(shop.server.origin, request)));
  // Messages keep their order: once the marker arrives, so have the repeats.
  const marker = `after the ${side} ${TIMES}`;
  await shop.customers.bot.say(marker);
  await becomes(() => atGateway(shop, marker) > 0);
  await shop.agent.say(shop.customers.bot.chat() ?? 0, { text: marker });
  await becomes(async () => (await shop.customers.bot.sees(marker)) > 0);
  return [
    exactly("P16", `${side} webhook ${TIMES} times at once: distinct answers`, new Set(answers).size, 1),
    exactly("P16", `${side} webhook ${TIMES} times at once: delivered`, await seen(), 1),
  ];
}

/** Returns status line and body; headers vary with the time. */
function send(origin: string, request: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () =>
      socket.write(request.replace(/connection: keep-alive/i, "connection: close")),
    );
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(`${answer.split("\r\n", 1)[0]} ${answer.split("\r\n\r\n")[1]}`));
  });
}
