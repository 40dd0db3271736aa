import { describe, expect, it } from "vitest";
import { gangway } from "../../support/gangway.ts";
import { temporaryFolder } from "../../support/store.ts";

describe("gangway messengers", () => {
  it("lists those of the server", async () => {
    const { code, out } = await gangway(temporaryFolder(), ["messengers"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^telegram +Telegram +gangway-telegram +\d+\.\d+\.\d+ +(reads|proven|tortured) +MIT$/m);
  });

  it("names a package that is refused, as the doctor does", async () => {
    const folder = temporaryFolder();
    const env = { MESSENGERS: "gangway-absent" };
    const { code, json } = await gangway(folder, ["messengers", "--json"], env);
    expect(code).toBe(1);
    const refused = [{ package: "gangway-absent", refused: "it is not installed beside the server" }];
    expect(json()).toMatchObject({ ok: false, refused });
    const examined = await gangway(folder, ["doctor", "--offline"], env);
    expect(examined.out).toMatch(/^fail {2}messenger gangway-absent: it is not installed beside the server$/m);
  });
});
