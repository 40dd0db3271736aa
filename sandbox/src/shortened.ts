/** At most `max` characters of a text, the last of them "…" if there are more. */
export const shortened = (text: string, max: number): string => {
  const characters = [...text];
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
};
