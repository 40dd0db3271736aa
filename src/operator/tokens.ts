import { SCOPES } from "../domain/vendor.ts";
import { type Command, failed, UsageError } from "./command.ts";
import { table, when } from "./table.ts";

const NAME = /^[\w.-]{1,64}$/;

export const tokensAdd: Command = {
  words: "tokens add",
  summary: "make a token for the API, and print it: only its hash is kept",
  options: {
    name: { value: "name", help: "whose it is; it stands in the audit with each act" },
    scope: { value: "scopes", many: true, help: `what it is for, separated by commas: ${SCOPES.join(", ")}` },
  },
  async run(context, given) {
    const name = given.text("name") ?? "";
    if (!NAME.test(name)) throw new UsageError("--name should have 1 to 64 letters, digits, dots, - and _");
    const asked = (given.texts("scope") ?? []).flatMap((each) => each.split(",")).map((each) => each.trim());
    const scopes = SCOPES.filter((each) => asked.includes(each));
    const unknown = asked.filter((each) => !scopes.some((known) => known === each));
    if (asked.length === 0) throw new UsageError(`--scope is missing: ${SCOPES.join(", ")}`);
    if (unknown.length > 0)
      throw new UsageError(`there is no scope ${unknown.join(", ")}; there are ${SCOPES.join(", ")}`);
    const token = await context.withStore((store) => store.apiTokens.add(name, scopes));
    if (token === undefined)
      return failed(`There is a token ${name} already; gangway tokens remove ${name} removes it.`);
    return { ok: true, json: { name, scopes, token }, text: [token] };
  },
};

export const tokensList: Command = {
  words: "tokens list",
  summary: "list the API's tokens: their scopes, and the hour of their last use",
  options: {},
  async run(context) {
    const tokens = await context.withStore((store) => store.apiTokens.list());
    const shown = tokens.map(({ name, scopes, createdAt, usedAt }) => ({
      ...{ name, scopes, createdAt: when(createdAt), usedAt: usedAt === undefined ? undefined : when(usedAt) },
    }));
    const rows = shown.map(({ name, scopes, createdAt, usedAt }) => [
      name,
      scopes.join(" "),
      createdAt,
      usedAt ?? "never",
    ]);
    const text = rows.length === 0 ? ["There are no tokens."] : table(["name", "scopes", "made", "last used"], rows);
    return { ok: true, json: { tokens: shown }, text };
  },
};

export const tokensRemove: Command = {
  words: "tokens remove",
  summary: "remove a token of the API; it opens nothing from then on",
  takes: { name: "name", needed: true },
  options: {},
  async run(context, given) {
    const name = given.word ?? "";
    if (!(await context.withStore((store) => store.apiTokens.remove(name))))
      return failed(`There is no token ${name}.`);
    return { ok: true, json: { name }, text: [`The token ${name} is removed.`] };
  },
};
