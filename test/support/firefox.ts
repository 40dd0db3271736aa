import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./store.ts";
import { until } from "./until.ts";

// Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) over Node's own WebSocket.

/** `FIREFOX`, or Debian's; undefined: there is none on this machine. */
export function findFirefox(): string | undefined {
  const { FIREFOX, PATH = "" } = process.env;
  const candidates = PATH.split(delimiter).flatMap((folder) =>
    ["firefox-esr", "firefox"].map((name) => join(folder, name)),
  );
  return [...(FIREFOX ? [FIREFOX] : []), ...candidates].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

type Command = (method: string, params?: object) => Promise<Record<string, unknown>>;

/** A key as WebDriver writes it, by its name in events. */
const KEYS: Record<string, string> = { Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004" };

export interface FirefoxPage {
  goto(url: string): Promise<void>;
  /** The value as JSON. */
  evaluate<T>(expression: string): Promise<T>;
  /** With the mouse, in the middle of the element to which the expression leads. */
  click(element: string): Promise<void>;
  /** Texts, and keys by name. */
  press(...keys: string[]): Promise<void>;
  /** Until the expression is true. */
  shows(expression: string): Promise<void>;
}

/** A tab of a Firefox of its own, without a window. */
export async function firefoxPage(executable: string): Promise<FirefoxPage> {
  const profile = temporaryFolder();
  const args = ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile, "about:blank"];
  const firefox = spawn(executable, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: profile },
  });
  const ended = new Promise((resolve) => firefox.once("exit", resolve));
  onTestFinished(async () => {
    firefox.kill();
    await ended;
  });
  let address = "";
  createInterface(firefox.stderr).on("line", (line) => {
    address ||= /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1] ?? "";
  });
  await until("Firefox to listen", () => address !== "");
  const command = await connect(`${address}/session`);
  await command("session.new", { capabilities: {} });
  const { context } = await command("browsingContext.create", { type: "tab" });
  await command("browsingContext.setViewport", { context, viewport: { width: 1280, height: 900 } });
  return pageOf(command, context);
}

async function connect(url: string): Promise<Command> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`${url} does not answer`)));
  });
  onTestFinished(() => socket.close());
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data));
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let last = 0;
  return async (method, params = {}) => {
    const id = ++last;
    const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, result, message } = await answered;
    if (type !== "success") throw new Error(`${method}: ${message}`);
    return result as Record<string, unknown>;
  };
}

function pageOf(command: Command, context: unknown): FirefoxPage {
  const evaluate = async <T>(expression: string): Promise<T> => {
    const target = { context };
    const asked = { expression: `JSON.stringify(${expression})`, target, awaitPromise: true };
    const { result, exceptionDetails } = await command("script.evaluate", asked);
    if (exceptionDetails) throw new Error((exceptionDetails as { text: string }).text);
    const { value } = result as { value?: string };
    return (value === undefined ? undefined : JSON.parse(value)) as T;
  };
  return {
    async goto(url) {
      await command("browsingContext.navigate", { context, url, wait: "complete" });
    },
    evaluate,
    async click(element) {
      const middle = `(({ x, y, width, height }) => [x + width / 2, y + height / 2].map(Math.round))((${element}).getBoundingClientRect())`;
      const [x, y] = await evaluate<[number, number]>(middle);
      const button = { button: 0 };
      const actions = [
        { type: "pointerMove", x, y },
        { type: "pointerDown", ...button },
        { type: "pointerUp", ...button },
      ];
      await command("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] });
    },
    async press(...keys) {
      const strokes = keys.flatMap((key) => (KEYS[key] ? [KEYS[key]] : [...key]));
      const actions = strokes.flatMap((value) => ["keyDown", "keyUp"].map((type) => ({ type, value })));
      await command("input.performActions", { context, actions: [{ type: "key", id: "keys", actions }] });
    },
    shows: (expression) => until(expression, () => evaluate<boolean>(`Boolean(${expression})`)).then(() => {}),
  };
}
