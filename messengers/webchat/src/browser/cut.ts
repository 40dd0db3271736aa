/** The first `max` characters; never half of one. */
export const cutText = (text: string, max: number): string => Array.from(text).slice(0, max).join("");
