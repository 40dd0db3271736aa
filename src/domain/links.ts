import type { FilePart, Suggestion } from "./message.ts";

/** UTF-16 units of a file's name in its line, and of an address that is not known yet: a signed one has some hundred. */
const NAME_LENGTH = 200;
const ADDRESS_LENGTH = 1_000;

type Named = Pick<FilePart, "caption" | "name">;

function nameOf({ caption, name }: Named, known?: string): string {
  // Never half of a surrogate pair.
  return (caption || name || known || "file").slice(0, NAME_LENGTH).replace(/[\ud800-\udbff]$/, "");
}

/** The line that stands for a file which went as a link. */
export const linkLine = (file: Named, at: { name?: string; url: string }): string =>
  `${nameOf(file, at.name)}: ${at.url}`;

/** Units that are kept free for such lines. */
export const linkRoom = (files: Named[]): number =>
  files.reduce((sum, { caption, name }) => {
    const length = caption || name ? nameOf({ caption, name }).length : NAME_LENGTH;
    return sum + length + ": \n".length + ADDRESS_LENGTH;
  }, 0);

/** The line that stands for a button which leads to an address. */
export const buttonLine = ({ title, payload }: Suggestion): string =>
  payload && payload !== title ? `${title}: ${payload}` : title;
