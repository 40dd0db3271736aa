import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CRM, runningSite } from "../../support/site.ts";

const HTTP = new URL("../../../src/http/", import.meta.url);
const SOURCES = globSync("**/*.ts", { cwd: fileURLToPath(HTTP) }).map((file): [string, string] => [
  file,
  readFileSync(new URL(file, HTTP), "utf8"),
]);
/** What machines post to. */
const DOORS = ["site.ts", "doors/doors.ts"];
/** Sent by a script, which leaves the page's address as it is. */
const BY_SCRIPT = ["/check"];
/** What is not below `/account`. */
const OUTSIDE = ["visit/support.ts", "visit/connect-form.ts", "account/account.ts"];

/** Every path that a page's form posts to, read from the source; `$` stands for a verb. */
const POSTS = SOURCES.filter(([file]) => !DOORS.includes(file) && !file.startsWith("console/")).flatMap(
  ([file, source]) =>
    [...source.matchAll(/site\.post\(["`]([^"`]+)["`]/g)]
      .map(([, path = ""]) => path.replace(/\$\{\w+\}/, "$"))
      .filter((path) => !path.includes("*") && !BY_SCRIPT.includes(path))
      .map((path): [string, string] => [file, path]),
);
const VERBS: Record<string, string[]> = { "/jobs/:id/$": ["again", "arrived", "drop", "discard", "restore"] };

async function connected() {
  const site = await runningSite();
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const channel = / data-channel="([\w-]{22})"/.exec(await site.page(cookie))?.[1] ?? "";
  const get = (path: string) => site.ask(path, { headers: { cookie } });
  const post = async (path: string, fields: Record<string, string> = {}) =>
    site.submit(path, { formToken: await site.formToken(cookie), ...fields }, { cookie });
  return { ...site, cookie, channel, get, post };
}

describe("the address of a form", () => {
  it("is a page for who asks for it after a post: a reload is never a 404", async () => {
    const { get, ask, channel } = await connected();
    expect(POSTS.length).toBeGreaterThan(18);
    for (const [file, route] of POSTS)
      for (const verb of VERBS[route] ?? [""]) {
        const below = route.startsWith("/channels/:id") ? route.replace(":id", channel) : route.replace(":id", "1");
        const path = `${OUTSIDE.includes(file) ? "" : "/account"}${below.replace("$", verb)}`.replace(/(?<=.)\/$/, "");
        // With the account's cookie, the support leads every path below `/account` to the account's own.
        const { status } = await (file === "visit/entry.ts" ? ask(path) : get(path));
        expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => [200, 303, 401].includes(code))]);
      }
  });
});

describe("the way back to the CRM", () => {
  const way = `<a href="${CRM}">Back to the CRM</a>`;

  it("is on every page of the account", async () => {
    const { get, channel } = await connected();
    const pages = ["", "/history", "/customers", "/messages", "/undelivered", "/disconnect", "/add/webchat"];
    const ofChannel = ["", "/preview", "/try", "?done=added"].map((path) => `/channels/${channel}${path}`);
    for (const path of [...pages, "?done=connected", ...ofChannel]) {
      const answer = await get(`/account${path}`);
      expect([path, answer.status, (await answer.text()).split(way).length]).toEqual([path, 200, 2]);
    }
  });

  it.each([
    ["a refused messenger", "/channels", { kind: "webchat", name: "x".repeat(101) }, 422],
    ["an unknown messenger", "/channels", { kind: "smoke" }, 422],
    ["a previewed message", "/channels/:id/preview", { text: "hi" }, 200],
    ["a search for customers", "/customers", { text: "ann" }, 200],
    ["a search for messages", "/messages", { text: "ann" }, 200],
    ["a form that is out of date", "/channels/:id/pause", { formToken: "x" }, 403],
    ["a message that is gone", "/jobs/1/again", {}, 404],
    ["an erased account", "/disconnect", { erase: "yes" }, 200],
  ])("is on the answer to a form: %s", async (_, path, fields, status) => {
    const { post, channel } = await connected();
    const answer = await post(`/account${path.replace(":id", channel)}`, fields);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(way)]);
  });
});
