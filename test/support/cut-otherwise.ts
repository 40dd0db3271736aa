// What the rule of cut texts has to notice, and what not.

const MAX = 40;

export const cut = (text: string | undefined, given: string | undefined, list: string[], at: number) => [
  text?.trim() && text.slice(0, MAX),
  (text ?? "").substring(0, 40),
  given?.slice(0, MAX - 1),
  text?.slice(0, at),
  list.slice(0, MAX),
];
