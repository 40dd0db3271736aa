import type { Call, CallRequest } from "gangway-messenger/call";

/** Token of the bot at `permissiveTelegram`. */
export const BOT_TOKEN = `7712345601:${"A".repeat(35)}`;

const json = (body: unknown) => ({
  type: "answer" as const,
  status: 200,
  headers: { "content-type": "application/json" },
  bytes: Buffer.from(JSON.stringify(body)),
});

/** A Telegram without a socket that accepts and records every call; other calls pass through. */
export function permissiveTelegram() {
  const asked: { method: string; params: Record<string, unknown> }[] = [];
  let count = 0;
  const answer = (method: string): unknown => {
    count += 1;
    if (method === "getMe") return { id: 7712345601, first_name: "Harbour", username: "harbour_bot" };
    if (method === "getWebhookInfo") return { url: "" };
    if (method === "getMyCommands") return [{ command: "start" }];
    if (method === "getFile") return { file_path: "photos/file.jpg" };
    return method.startsWith("send") ? { message_id: count, chat: { id: 1 } } : true;
  };
  const paramsOf = ({ body }: CallRequest) =>
    typeof body === "string" ? (JSON.parse(body) as Record<string, unknown>) : {};
  const before =
    (real: Call): Call =>
    async (request) => {
      if (!request.url.startsWith("https://api.telegram.org/")) return real(request);
      const method = new URL(request.url).pathname.split("/").at(-1) ?? "";
      asked.push({ method, params: paramsOf(request) });
      return json({ ok: true, result: answer(method) });
    };
  const secret = () => String(asked.findLast(({ method }) => method === "setWebhook")?.params.secret_token);
  const door = () => String(asked.findLast(({ method }) => method === "setWebhook")?.params.url);
  return { before, asked, secret, door };
}
