/** A template's code: its name, and its language, since Meta reviews each language on its own. */
export const codeOf = (name: string, language: string): string => `${name}|${language}`;
export function nameAndLanguage(code: string): { name: string; language: string } {
  const at = code.lastIndexOf("|");
  return at > 0 ? { name: code.slice(0, at), language: code.slice(at + 1) } : { name: code, language: "en" };
}
