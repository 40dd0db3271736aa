import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "../config.ts";
import { packageFolder } from "../store/migrations.ts";
import { type Answer, type Arguments, type Command, type CommandContext, failed, UsageError } from "./command.ts";

const QUESTIONS = {
  "public-url": "The server's public address, such as https://gangway.example.com",
  "module-code": "The module's symbol code in the marketplace, such as your-company-chats",
} as const;
type Question = keyof typeof QUESTIONS;

const PROXIES = { nginx: "nginx/gangway.conf", caddy: "caddy/one.Caddyfile" } as const;
type Proxy = keyof typeof PROXIES;
const isProxy = (name: string): name is Proxy => Object.hasOwn(PROXIES, name);

const random = (encoding: "base64" | "hex") => randomBytes(32).toString(encoding);

export const init: Command = {
  words: "init",
  summary: "write a file of settings with new keys, and print a proxy's file; asks for what is not given",
  options: {
    file: { value: "path", help: "the file to write (default .env); one that exists is left alone" },
    "public-url": { value: "address", help: QUESTIONS["public-url"] },
    "module-code": { value: "code", help: QUESTIONS["module-code"] },
    "data-folder": { value: "path", help: "the folder of the database (default data)" },
    proxy: { value: "name", help: "nginx or caddy: print its file for this address" },
  },
  async run(context, given): Promise<Answer> {
    const file = resolve(given.text("file") ?? ".env");
    if (existsSync(file)) return failed(`${file} exists: nothing was changed. Name another file by --file.`);
    const proxy = given.text("proxy");
    if (proxy !== undefined && !isProxy(proxy)) throw new UsageError("--proxy should be nginx or caddy");
    const settings = {
      PUBLIC_URL: await answerTo("public-url", context, given),
      MODULE_CODE: await answerTo("module-code", context, given),
      SECRET_KEYS: `k1:${random("base64")}`,
      DATA_FOLDER: given.text("data-folder") ?? "data",
      HOST: "127.0.0.1",
      TRUSTED_PROXIES: "1",
      METRICS_PORT: "9464",
      CONSOLE_PORT: "9465",
      CONSOLE_TOKEN: random("hex"),
    };
    const { publicUrl, port } = readConfig(settings, []);
    if (settings.DATA_FOLDER.includes("'")) throw new UsageError("--data-folder should have no apostrophe");
    writeFileSync(file, textOf(settings), { mode: 0o600, flag: "wx" });
    const lines = proxy && { at: `deploy/${PROXIES[proxy]}`, text: proxyFile(proxy, new URL(publicUrl), port) };
    return {
      ok: true,
      json: { file, publicUrl, proxy: lines?.text },
      text: [
        `Wrote ${file}, readable by its owner alone.`,
        "Keep a copy of SECRET_KEYS elsewhere: without it nobody opens the database or its backups.",
        ...(lines ? ["", `For the proxy (${lines.at}):`, "", lines.text.trimEnd()] : []),
        ...["", "Then start the server with these settings, and look with: gangway doctor"],
      ],
    };
  },
};

async function answerTo(question: Question, { ask }: CommandContext, given: Arguments): Promise<string> {
  const answer = given.text(question) ?? (await ask?.(`${QUESTIONS[question]}: `))?.trim();
  if (!answer) throw new UsageError(`--${question} is missing`);
  return answer;
}

const NOTES: Record<string, string> = {
  PUBLIC_URL: "Of the server, for the CRM, the gateway and messengers.",
  SECRET_KEYS: "Seals secrets. Keep a copy elsewhere: without it the database and its backups cannot be opened.",
  HOST: "A TLS proxy on this machine stands in front, and tells the client's address.",
  METRICS_PORT: "For Prometheus, on the loopback.",
  CONSOLE_PORT: "All accounts, for your staff, on the loopback: ssh -L 9465:127.0.0.1:9465 <server>",
};

/** Quotes for systemd, shells and `--env-file` alike. */
const quoted = (value: string) => (/^[\w./:@%+,=-]*$/.test(value) ? value : `'${value}'`);

const textOf = (settings: Record<string, string>): string =>
  [
    "# Settings of Gangway; all of them: gangway --help",
    ...Object.entries(settings).flatMap(([name, value]) => [
      ...(NOTES[name] ? ["", `# ${NOTES[name]}`] : []),
      `${name}=${quoted(value)}`,
    ]),
    "",
  ].join("\n");

function proxyFile(proxy: Proxy, { host }: URL, port: number): string {
  const file = readFileSync(join(packageFolder(), "deploy", PROXIES[proxy]), "utf8");
  return file
    .replaceAll("gangway.example.com", host)
    .replaceAll("{$PUBLIC_URL}", host)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`);
}
