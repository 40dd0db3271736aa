import { answerText, type Call } from "gangway-messenger/call";
import telegram from "gangway-telegram";
import webchat from "gangway-webchat";
import { describe, expect, it } from "vitest";
import { withoutEchoes } from "../../../src/calls/outgoing.ts";
import { createLog } from "../../../src/log.ts";
import { secretSettings } from "../../../src/module/channels/secret-settings.ts";

const SECRET = "Zk3vQ9xLr2T8mNp5";
/** Texts that determine a refusal's verdict. */
const WORDS = "external_id,description,parameters,retry_after,migrate_to_chat_id,error_code,delivery.attempted";
const refusal = {
  ok: false,
  error_code: 429,
  description: "Too Many Requests: retry after 300, external_id already exists",
  parameters: { retry_after: 300, migrate_to_chat_id: -1001 },
};

/** The answer as read with these secrets known. */
async function read(secrets: string[], said: object): Promise<unknown> {
  const log = createLog({ level: "silent", write: () => {} });
  for (const secret of secrets) log.hide(secret);
  const bytes = Buffer.from(JSON.stringify(said));
  const call: Call = async () => ({ type: "answer", status: 429, headers: {}, bytes });
  const result = await withoutEchoes(call, log.mask)({ method: "GET", url: "https://host/", timeoutMs: 1_000 });
  return result.type === "answer" ? JSON.parse(answerText(result)) : result;
}

describe("the text of another system's refusal", () => {
  it("has our secrets masked", async () => {
    const said = { ...refusal, description: `bot ${SECRET} is unknown` };
    expect(await read([SECRET], said)).toEqual({ ...refusal, description: "bot *** is unknown" });
  });

  it("has our secrets masked in an error, too", async () => {
    const log = createLog({ level: "silent", write: () => {} });
    log.hide(SECRET);
    const fails = (message: string) =>
      withoutEchoes(async () => {
        throw new Error(message);
      }, log.mask)({ method: "GET", url: "https://host/", timeoutMs: 1_000 });
    await expect(fails(`socket hang up: https://host/${SECRET}`)).rejects.toThrow(
      /^socket hang up: https:\/\/host\/\*\*\*$/,
    );
    await expect(fails("socket hang up")).rejects.toThrow("socket hang up");
  });

  it("is not changed by values that users write into a channel's settings", async () => {
    const secretsOf = secretSettings([webchat, telegram]);
    const settings = webchat.settings.parse({ title: "Chat", greeting: WORDS, accent: "#000000" });
    const secrets = secretsOf("webchat", settings);
    expect(secrets).toEqual([(settings as { visitorKey: string }).visitorKey]);
    expect(await read(secrets, refusal)).toEqual(refusal);
  });

  it("keeps its field names and words, whatever is entered as a key", async () => {
    expect(await read([WORDS, "migrate_to_chat_id"], refusal)).toEqual(refusal);
  });
});

describe("the secrets among settings", () => {
  it("are the marked fields of the existing kinds", () => {
    const secretsOf = secretSettings([webchat, telegram]);
    const token = `1000000001:${"A1".repeat(17)}x`;
    const settings = telegram.settings.parse({ token }) as { webhookSecret: string };
    expect(secretsOf("telegram", settings).sort()).toEqual([token, settings.webhookSecret].sort());
    expect([secretsOf("pigeons", settings), secretsOf("telegram", undefined)]).toEqual([[], []]);
  });
});
