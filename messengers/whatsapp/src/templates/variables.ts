/** `{{1}}`, or `{{customer_name}}` in a template whose format is NAMED. */
const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

/** Numbers or names of a text's variables, each once, in order. */
export const variablesOf = (text = ""): string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name = ""]) => name)),
];

/** Numbers in place of names: the gateway's variables have no names. */
export const numbered = (text: string, names: string[] = []): string =>
  replaced(text, (name) => (names.includes(name) ? String(names.indexOf(name) + 1) : name));

/** Names in place of numbers. */
export const named = (text: string, names: string[] = []): string =>
  replaced(text, (number) => names[Number(number) - 1] ?? number);

const replaced = (text: string, by: (name: string) => string): string =>
  text.replace(VARIABLE, (_, name: string) => `{{${by(name)}}}`);

/** The names in a text, and new ones for variables that an agent has added. */
export function enoughNames(count: number, known: string[]): string[] {
  const names = [...known];
  for (let n = 1; names.length < count; n++) if (!names.includes(`variable_${n}`)) names.push(`variable_${n}`);
  return names;
}
