import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Random, seeded } from "../../../../../test/support/random.ts";
import { HARBOUR_BOT_TOKEN } from "../../../emulator/world.ts";
import { readUpdate } from "../../../src/reading/reading.ts";
import type { Reading } from "../../../src/reading/reading-context.ts";
import { settings as schema } from "../../../src/wire.ts";

interface Sample {
  about: string;
  settings?: { groups: "off" | "members" | "whole" };
  /** Notes that the channel has already. */
  notes?: Record<string, string>;
  update: Record<string, unknown> & { update_id: number };
  expect: { events: object[]; notes?: Record<string, string>; unknown?: string; callbackId?: string };
}

const FOLDER = new URL("../../../samples/", import.meta.url);
const samples = readdirSync(FOLDER).map((file): [string, Sample] => [
  file.replace(".json", ""),
  JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")),
]);

const NOW = Date.UTC(2026, 0, 1);
const read = ({ settings, notes = {} }: Pick<Sample, "settings" | "notes">, update: unknown) =>
  readUpdate(update, {
    botId: "7712345601",
    settings: { ...schema.parse({ token: HARBOUR_BOT_TOKEN, businessOwners: ["6010000001"] }), ...settings },
    note: async (key) => notes[key],
    now: NOW,
  });
const keysOf = (reading: Reading | undefined) => reading?.events.map(({ key }) => key);

describe("an update of Telegram", () => {
  it("is recorded in more than sixty cases", () => expect(samples.length).toBeGreaterThan(60));

  it.each(samples)("is read: %s", async (_, sample) => {
    const reading = await read(sample, sample.update);
    const { events, notes, unknown, callbackId } = sample.expect;
    expect(reading?.events).toHaveLength(events.length);
    expect(reading?.events).toMatchObject(events);
    if (notes) expect(Object.fromEntries(reading?.notes.map(({ key, value }) => [key, value]) ?? [])).toEqual(notes);
    expect(reading?.unknown).toBe(unknown);
    expect(reading?.answer?.callback_query_id).toBe(callbackId);
  });

  it.each(samples)("has the same keys whenever it comes again, by whichever way: %s", async (_, sample) => {
    const first = keysOf(await read(sample, sample.update));
    const again = keysOf(await read(sample, { ...sample.update, update_id: 5 }));
    expect(again).toEqual(first);
    expect(new Set(first).size).toBe(first?.length);
  });

  it("tells of each reaction, also of one that is added, removed and added within a second, and of none twice", async () => {
    const [, sample] = samples.find(([name]) => name === "reaction") as [string, Sample];
    const notes: Record<string, string> = {};
    const added = sample.update as { update_id: number; message_reaction: { new_reaction: object[] } };
    const removed = structuredClone(added);
    removed.message_reaction.new_reaction = [];
    const keys: (string | undefined)[] = [];
    for (const update of [added, added, removed, removed, added]) {
      const reading = await read({ notes }, update);
      for (const { key, value } of reading?.notes ?? []) notes[key] = value;
      keys.push(...(keysOf(reading) ?? []));
    }
    const [first, again, second, secondAgain, third] = keys;
    expect([first, second]).toEqual([again, secondAgain]);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it("that is a press has the time of its arrival: the message under the button may be old", async () => {
    const [, sample] = samples.find(([name]) => name === "button") as [string, Sample];
    expect((await read({}, sample.update))?.events).toMatchObject([{ at: NOW }]);
  });

  it.each([
    ["fil", undefined],
    ["kab", undefined],
    ["pt-br", "pt"],
    ["ES_mx", "es"],
  ])("tells the customer's language only where it has two letters: %s", async (language_code, language) => {
    const [, sample] = samples.find(([name]) => name === "text") as [string, Sample];
    const update = structuredClone(sample.update) as { update_id: number; message: { from: object } };
    Object.assign(update.message.from, { language_code });
    expect((await read({}, update))?.events).toMatchObject([{ customer: { language } }]);
  });

  it("has another key when within one second only the formatting of an edit has changed", async () => {
    const [plain, formatted] = await Promise.all(
      ["edited-text", "edited-formatting"].map(async (name) => {
        const sample = samples.find(([each]) => each === name)?.[1];
        return sample && keysOf(await read(sample, sample.update));
      }),
    );
    expect(plain).toHaveLength(1);
    expect(formatted).not.toEqual(plain);
  });

  it("has the same key when an edit in an album is repeated after another caption has changed", async () => {
    const [, sample] = samples.find(([name]) => name === "edited-album") as [string, Sample];
    const changed = Object.entries(sample.notes ?? {}).map(([key, value]) => {
      if (!key.startsWith("album:")) return [key, value];
      const captions = Object.keys(JSON.parse(value)).map((number) => [number, "changed since"]);
      return [key, JSON.stringify(Object.fromEntries(captions))];
    });
    const later = await read({ ...sample, notes: Object.fromEntries(changed) }, sample.update);
    expect(JSON.stringify(later?.events)).toContain("changed since");
    expect(keysOf(later)).toEqual(keysOf(await read(sample, sample.update)));
  });

  it.each([9e15, -9e15, 1e300, 0.5, -1, 0, 5e9, "soon", undefined])(
    "arrives with the time of receipt when it tells no date that can be: %s",
    async (date) => {
      let seen = 0;
      for (const [, sample] of samples) {
        const bent = structuredClone(sample.update);
        putDates(bent, date);
        const { events = [] } = (await read(sample, bent)) ?? {};
        expect(events).toHaveLength(sample.expect.events.length);
        for (const event of events.filter(({ type }) => type !== "deleted")) {
          expect(event.at).toBe(NOW);
          seen += 1;
        }
      }
      expect(seen).toBeGreaterThan(60);
    },
  );

  it("is none when it is no object with a number", async () => {
    for (const body of [undefined, null, 7, "x", [], {}, { update_id: "x" }, { update_id: null }])
      expect(await read({}, body)).toBeUndefined();
  });

  it("never throws, never says nothing, and never leaves a customer without a name, however it is bent", async () => {
    const random = seeded(7);
    for (let n = 0; n < 3_000; n++) {
      const [, sample] = random.pick(samples);
      const bent = structuredClone(sample.update);
      bend(bent, random);
      for (const event of (await read(sample, bent))?.events ?? []) {
        if (event.type === "message") {
          expect(event.customer.nickname).not.toBe("");
          const { content } = event;
          expect(
            "files" in content ? content.files.length : content.type === "text" && content.text.length,
          ).toBeTruthy();
        }
        if (event.type === "edited") expect(event.text).not.toBe("");
      }
    }
  });

  it("with a hundred kilobytes of entities is read all the same", async () => {
    const text = "rope ".repeat(800);
    const entities = Array.from({ length: 2_500 }, (_, n) => ({
      type: "text_link",
      offset: (n * 5) % 4_000,
      length: 4,
      url: "https://shop.example/a",
    }));
    const [, sample] = samples.find(([name]) => name === "text") as [string, Sample];
    const update = structuredClone(sample.update) as { update_id: number; message: Record<string, unknown> };
    Object.assign(update.message, { text, entities });
    expect(JSON.stringify(entities).length).toBeGreaterThan(100 * 1024);
    expect((await read({}, update))?.events).toHaveLength(1);
  });
});

/** Replaces every date. */
function putDates(value: object, date: unknown): void {
  for (const [key, inner] of Object.entries(value)) {
    if (key === "date" || key === "edit_date") (value as Record<string, unknown>)[key] = date;
    else if (typeof inner === "object" && inner !== null) putDates(inner, date);
  }
}

const ODD: unknown[] = [undefined, null, "", 0, -1, [], {}, "x", true, 1e300, { a: 1 }];

/** Replaces one field at any depth by an odd value. */
function bend(value: object, random: Random): void {
  const keys = Object.keys(value).filter((key) => key !== "update_id");
  const key = keys[random.int(keys.length)];
  if (key === undefined) return;
  const inner = (value as Record<string, unknown>)[key];
  if (typeof inner === "object" && inner !== null && random.chance(0.75)) bend(inner, random);
  else (value as Record<string, unknown>)[key] = random.pick(ODD);
}
