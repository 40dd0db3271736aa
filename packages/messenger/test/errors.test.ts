import { describe, expect, it } from "vitest";
import { DeliveryError } from "../src/errors.ts";
import { FileTooLarge } from "../src/hosted.ts";

/** The same modules once more, as a messenger brings them that is installed beside the server. */
const other = {
  ...(await import(/* @vite-ignore */ new URL("../src/errors.ts?other", import.meta.url).href)),
  ...(await import(/* @vite-ignore */ new URL("../src/hosted.ts?other", import.meta.url).href)),
} as typeof import("../src/errors.ts") & typeof import("../src/hosted.ts");

class Own extends DeliveryError {}

describe("an error of another copy of this package", () => {
  it("is a delivery error, with its verdict", () => {
    expect(other.DeliveryError).not.toBe(DeliveryError);
    const error: unknown = new other.DeliveryError({ type: "reject", code: "general" }, "no");
    expect(error instanceof DeliveryError && error.verdict).toEqual({ type: "reject", code: "general" });
    expect(new DeliveryError({ type: "retry" }, "later")).toBeInstanceOf(other.DeliveryError);
  });

  it("is no other error, and no kind of delivery error but its own", () => {
    expect(new Error("no")).not.toBeInstanceOf(DeliveryError);
    expect(null).not.toBeInstanceOf(DeliveryError);
    expect(new other.DeliveryError({ type: "retry" }, "later")).not.toBeInstanceOf(Own);
    expect(new DeliveryError({ type: "retry" }, "later")).not.toBeInstanceOf(Own);
    expect(new Own({ type: "retry" }, "later")).toBeInstanceOf(Own);
    expect(new Own({ type: "retry" }, "later")).toBeInstanceOf(DeliveryError);
  });

  it("is a file that is too large", () => {
    expect(new other.FileTooLarge(5)).toBeInstanceOf(FileTooLarge);
    expect(new Error("no")).not.toBeInstanceOf(FileTooLarge);
  });
});
