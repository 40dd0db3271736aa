import { PORT_VERSION } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../packages/messenger/package.json" with { type: "json" };
import { adapters, installedMessengers, type Packages, withInstalled } from "../../src/messengers.ts";
import { bottles } from "../system/contract/toy/bottles.ts";

const toy = (kind: string, more: object = {}) => ({ default: { ...bottles, kind, ...more } });
const fits = { version: "1.2.3", license: "MIT", gangway: { port: `^${PORT_VERSION}` } };

/** Packages by name: what their package.json says, and what they export or throw. */
const holding = (all: Record<string, [manifest: object | string, exported?: object | (() => never)]>): Packages => ({
  manifest: (name) => {
    const [text] = all[name] ?? [];
    return typeof text === "object" ? JSON.stringify(text) : text;
  },
  load: async (name) => {
    const exported = all[name]?.[1];
    return typeof exported === "function" ? exported() : exported;
  },
});
const refusedAs = async (name: string, packages: Packages) => {
  const [found] = await installedMessengers({ MESSENGERS: name }, packages);
  return found && "refused" in found ? found.refused : undefined;
};

it.each(adapters)(
  "$kind: what an erasure takes of its notes is declared among those that expire, or stay",
  ({ notes }) => {
    expect(notes?.expires ?? []).toEqual(expect.arrayContaining(notes?.ofStep ?? []));
    expect(notes?.stays ?? []).toEqual(expect.arrayContaining(notes?.ofCustomer ?? []));
  },
);

describe("messengers that are installed beside the server", () => {
  it("are those that MESSENGERS names, each once, after those of the server", async () => {
    const packages = holding({ "gangway-bottle": [fits, toy("bottle")], "@acme/gangway-flag": [fits, toy("flag")] });
    const found = await installedMessengers(
      { MESSENGERS: " gangway-bottle, @acme/gangway-flag,,gangway-bottle " },
      packages,
    );
    expect(found).toMatchObject([
      { package: "gangway-bottle", version: "1.2.3", license: "MIT", adapter: { kind: "bottle" } },
      { package: "@acme/gangway-flag", adapter: { kind: "flag" } },
    ]);
    const own = adapters.map(({ kind }) => kind);
    expect(withInstalled(found).map(({ kind }) => kind)).toEqual([...own, "bottle", "flag"]);
    expect(await installedMessengers({}, packages)).toEqual([]);
  });

  it("are refused in words, and keep no other one out", async () => {
    const packages = holding({
      "gangway-new": [{ ...fits, gangway: { port: "^99.0.0" } }, toy("new")],
      "gangway-no": [{ version: "1.0.0" }, toy("no")],
      "gangway-torn": ["{", toy("torn")],
      "gangway-loud": [
        fits,
        () => {
          throw new Error("no pager at hand");
        },
      ],
      "gangway-none": [fits, {}],
      "gangway-half": [fits, toy("half", { open: undefined })],
      "gangway-other": [fits, toy("telegram")],
      "gangway-greedy": [fits, toy("greedy", { serverSettings: z.object({ SECRET_KEYS: z.string() }) })],
      "gangway-curious": [
        fits,
        toy("curious", { serverSettings: z.object({ META_APP_SECRET: z.string().optional() }) }),
      ],
      "gangway-needy": [fits, toy("needy", { serverSettings: z.object({ NEEDY_URL: z.string() }) })],
      // Its schema is of another library.
      "gangway-old": [fits, toy("old", { settings: { parse: (given: unknown) => given, safeParse: () => ({}) } })],
      "gangway-sly": [fits, toy("sly", { features: ({ mode }: { mode: string }) => ({ text: mode.length }) })],
      "gangway-bottle": [fits, toy("bottle")],
      "gangway-flask": [fits, toy("bottle")],
    });
    const names = "gangway-new,gangway-absent,gangway-loud,gangway-bottle,gangway-flask";
    const found = await installedMessengers({ MESSENGERS: names }, packages);
    expect(found.flatMap((each) => ("adapter" in each ? each.package : []))).toEqual(["gangway-bottle"]);
    const refused = Object.fromEntries(
      found.flatMap((each) => ("refused" in each ? [[each.package, each.refused]] : [])),
    );
    expect(refused).toEqual({
      "gangway-new": `it is written for port ^99.0.0, and this server has ${PORT_VERSION}`,
      "gangway-absent": "it is not installed beside the server",
      "gangway-loud": "it fails when it is loaded: no pager at hand",
      "gangway-flask": 'its kind "bottle" is that of gangway-bottle',
    });
    expect(await refusedAs("../../etc", packages)).toBe("this is no name of a package");
    expect(await refusedAs("gangway-no", packages)).toMatch(/"gangway": \{"port"/);
    expect(await refusedAs("gangway-torn", packages)).toMatch(/^it fails when it is loaded: .*JSON/);
    expect(await refusedAs("gangway-none", packages)).toBe("its default export is no adapter (nothing)");
    expect(await refusedAs("gangway-half", packages)).toBe("its default export is no adapter (open)");
    expect(await refusedAs("gangway-other", packages)).toBe('its kind "telegram" is that of this server');
    expect(await refusedAs("gangway-curious", packages)).toBe("its setting META_APP_SECRET is one of the server's own");
    expect(await refusedAs("gangway-needy", packages)).toMatch(/^it fails when it is loaded: NEEDY_URL /);
    expect(await refusedAs("gangway-old", packages)).toMatch(/^it fails when it is loaded: /);
    expect(await refusedAs("gangway-sly", packages)).toMatch(/^it fails when it is loaded: /);
    expect(await refusedAs("gangway-greedy", packages)).toBe("its setting SECRET_KEYS is one of the server's own");
  });

  it("fit the port, whose version is its package's", () => {
    expect(manifest.version).toBe(PORT_VERSION);
  });
});
