import type { Capabilities } from "gangway-messenger/plan";
import type { Writing } from "../../src/domain/markdown.ts";

/** A messenger that takes short plain texts only. */
export const textOnly = (text: number): Capabilities => ({
  language: "en",
  text,
  caption: 0,
  marks: false,
  image: { most: 0, size: 0 },
  file: { most: 0, size: 0 },
  audio: { most: 0, size: 0 },
  webPictures: false,
  suggestions: [],
  albumButtons: false,
});

/** A messenger of albums, with limits that a test can reach in a line. */
export const TINY: Capabilities = {
  language: "en",
  text: 40,
  caption: 10,
  marks: true,
  image: { most: 10, size: 100 },
  file: { most: 10, size: 200 },
  audio: { most: 1, size: 200 },
  webPictures: true,
  suggestions: ["text", "url"],
  albumButtons: false,
};

/** A gateway without markup. */
export const PLAIN: Writing = { markup: "none", text: 65_535, note: 64_000 };
