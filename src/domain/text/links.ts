import type { FilePart, Suggestion } from "../message/message.ts";
import { cutText } from "./split.ts";

/** UTF-16 units reserved for a file's name, and for a URL not known yet: signed ones have several hundred. */
export const MAX_NAME = 200;
const URL_UNITS = 1_000;

type Named = Pick<FilePart, "caption" | "name">;

function nameOf({ caption, name }: Named, known?: string): string {
  // Do not cut a surrogate pair in half.
  return cutText(caption || name || known || "file", MAX_NAME, "utf16");
}

export const linkLine = (file: Named, at: { name?: string; url: string }): string =>
  `${nameOf(file, at.name)}: ${at.url}`;

/** UTF-16 units to reserve for the lines of these files. */
export const linkRoom = (files: Named[]): number =>
  files.reduce((sum, { caption, name }) => {
    const length = caption || name ? nameOf({ caption, name }).length : MAX_NAME;
    return sum + length + ": \n".length + URL_UNITS;
  }, 0);

export const buttonLine = ({ title, payload }: Suggestion): string =>
  payload && payload !== title ? `${title}: ${payload}` : title;
