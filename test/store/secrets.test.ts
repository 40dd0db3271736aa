import { createCipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSealer } from "../../src/store/secrets.ts";

const key = (byte: number) => Buffer.alloc(32, byte);
const place = { table: "account", row: "a", column: "api_key" };
const old = { keys: [{ id: "old", key: key(1) }] };

describe("the sealer", () => {
  it("opens at its place what it sealed there", () => {
    const sealer = createSealer(old);
    const sealed = sealer.seal("secret ключ", place);
    expect(sealed).not.toContain("secret");
    expect(sealer.open(sealed, place)).toBe("secret ключ");
  });

  it.each([
    ["table", { ...place, table: "channel" }],
    ["row", { ...place, row: "b" }],
    ["column", { ...place, column: "gateway_token" }],
  ])("refuses a value moved to another %s", (_, elsewhere) => {
    const sealer = createSealer(old);
    expect(() => sealer.open(sealer.seal("secret", place), elsewhere)).toThrow(/does not open/);
  });

  it("refuses it there also when it has just been opened at its own place", () => {
    const sealer = createSealer(old);
    const sealed = sealer.seal("secret", place);
    expect([sealer.open(sealed, place), sealer.open(sealed, place)]).toEqual(["secret", "secret"]);
    expect(() => sealer.open(sealed, { ...place, row: "b" })).toThrow(/does not open/);
  });

  it("keeps in memory what is short only: a kept webhook is read once", () => {
    const sealer = createSealer(old);
    const opensBent = (plain: string) => {
      const sealed = sealer.seal(plain, place);
      sealer.open(sealed, place);
      const [version, id, iv = "", body = ""] = sealed.split(".");
      const bent = [version, id, iv, `${body.startsWith("A") ? "B" : "A"}${body.slice(1)}`].join(".");
      return sealer.open(bent, place) === plain;
    };
    expect(opensBent("short")).toBe(true);
    expect(() => opensBent("long".repeat(2_000))).toThrow(/does not open/);
  });

  it("refuses a value with one bit changed", () => {
    const sealer = createSealer(old);
    const parts = sealer.seal("secret", place).split(".");
    const bytes = Buffer.from(parts[3] ?? "", "base64url");
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    expect(() => sealer.open([...parts.slice(0, 3), bytes.toString("base64url")].join("."), place)).toThrow(
      /does not open/,
    );
  });

  it("refuses an authentication tag cut to four bytes", () => {
    const iv = Buffer.alloc(12, 3);
    const cipher = createCipheriv("aes-256-gcm", key(1), iv, { authTagLength: 4 });
    cipher.setAAD(Buffer.from(JSON.stringify([place.table, place.row, place.column])));
    const bytes = Buffer.concat([cipher.update("secret"), cipher.final(), cipher.getAuthTag()]);
    const forged = `v1.old.${iv.toString("base64url")}.${bytes.toString("base64url")}`;
    expect(() => createSealer(old).open(forged, place)).toThrow();
  });

  it("seals with the first key and opens with all", () => {
    const before = createSealer(old).seal("secret", place);
    const rotated = createSealer({ keys: [{ id: "new", key: key(2) }, ...old.keys] });
    expect(rotated.open(before, place)).toBe("secret");
    expect(rotated.seal("secret", place)).toMatch(/^v1\.new\./);
    expect(() => createSealer({ keys: [{ id: "new", key: key(2) }] }).open(before, place)).toThrow(/key "old"/);
  });
});
